package catalogue

import "lockstep/protocol"

// SingleFlight shares a rebuild among the requests of a node: who misses joins
// the flight of the node, or starts one and shares its result, value or error.
//
// It claims one rebuild a node. That is refuted: a request that has missed and
// comes to the flight only when it is over starts another, although the value is
// there by now. With LookAgain the work begins with one more look at the cache,
// and the claim is true.
type SingleFlight struct {
	Rebuild   protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
	LookAgain bool           `help:"look at the cache once more before the rebuild"`
}

// Handle gets the value; on a miss it joins or starts the flight.
func (p SingleFlight) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, err, _ := c.Do(feed, func() (protocol.Value, error) {
		if p.LookAgain {
			if v, ok, err := c.Cache.Get(feed); err == nil && ok {
				return v, nil
			}
		}
		v, err := c.Rebuild(p.Rebuild)
		if err != nil {
			return v, err
		}
		return v, c.Cache.Set(feed, v, c.ValueTTL())
	})
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}

// Update changes the source.
func (p SingleFlight) Update(c *protocol.Client) { protocol.UpdateSource(c, feed) }

// ClaimedRebuilds is one for each node.
func (p SingleFlight) ClaimedRebuilds(nodes, requests int) int { return nodes }

// SharesOnNode is true: requests of one node share a rebuild.
func (p SingleFlight) SharesOnNode() bool { return true }
