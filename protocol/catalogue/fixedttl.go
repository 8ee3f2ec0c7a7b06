package catalogue

import (
	"time"

	"lockstep/protocol"
)

// FixedTTL guards the rebuild with a lock of fixed TTL and deletes the lock
// unconditionally when it is done. A loser serves the stale copy.
//
// It claims one rebuild for the fleet. That is refuted: the lock expires during a
// rebuild longer than its TTL, the next holder's lock is deleted by the first, and
// a third gets in. Only a TTL above the longest rebuild together with LookAgain
// (see [SetNX]) makes the claim true.
type FixedTTL struct {
	TTL       time.Duration  `default:"5s" help:"how long the lock lives"`
	Rebuild   protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
	LookAgain bool           `help:"look at the cache once more after acquiring the lock"`
}

// Handle gets the value; on a miss it takes the lock, rebuilds, stores and
// deletes the lock, whoever's it is by then.
func (p FixedTTL) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	ok, err := c.Store.SetNX(lock, c.NewToken(), p.TTL)
	if err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired(lock)
	if p.LookAgain {
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			c.Releasing(lock)
			c.Store.Del(lock)
			return protocol.Fresh(v)
		}
	}
	v, err := c.Rebuild(p.Rebuild)
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.Set(feed, v, c.ValueTTL())
	c.Releasing(lock)
	c.Store.Del(lock)
	return protocol.Fresh(v)
}

// Update changes the source.
func (p FixedTTL) Update(c *protocol.Client) { protocol.UpdateSource(c, feed) }

// ClaimedRebuilds is one for the whole fleet.
func (p FixedTTL) ClaimedRebuilds(nodes, requests int) int { return 1 }
