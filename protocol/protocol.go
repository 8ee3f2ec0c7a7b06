package protocol

import "lockstep/model"

// Protocol is what a protocol author writes: usually a struct whose exported
// fields are its parameters (see [Parameters]).
type Protocol interface {
	// Handle is one request on a node.
	Handle(c *Client) Answer
}

// Updater is a Protocol that says itself what an update does. Without it an
// update changes the source and nothing else.
type Updater interface {
	// Update changes the source, and the cache if the protocol does so; see
	// [UpdateSource].
	Update(c *Client)
}

// Claimer is a Protocol that claims a bound on rebuilds.
type Claimer interface {
	// ClaimedRebuilds returns the number of rebuilds that start, at most, for
	// each expiry or invalidation of the cached value, with the given number of
	// nodes and of requests on each.
	ClaimedRebuilds(nodes, requests int) int
}

// Sharer is a Protocol in which requests of one node may share work, so that it
// takes several of them to see what it does.
type Sharer interface {
	// SharesOnNode reports whether they do.
	SharesOnNode() bool
}

// Range is a range of durations, both ends included.
type Range = model.Range

// UpdateSource is the update that most services do: it changes the source and
// then, if the scenario says that updates invalidate, deletes the keys from the
// cache.
func UpdateSource(c *Client, keys ...string) {
	if _, err := c.Source.Update(); err != nil {
		return
	}
	if !c.Invalidates() {
		return
	}
	for _, key := range keys {
		c.Cache.Del(key)
	}
}
