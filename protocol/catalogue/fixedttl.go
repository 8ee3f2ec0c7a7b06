package catalogue

import (
	"time"

	"lockstep/protocol"
)

// FixedTTL guards the rebuild with a lock of fixed TTL and deletes the lock
// unconditionally when it is done. A loser serves the stale copy.
type FixedTTL struct {
	TTL     time.Duration  `default:"5s" help:"how long the lock lives"`
	Rebuild protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
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
