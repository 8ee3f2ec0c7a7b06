package catalogue

import "lockstep/protocol"

// Direct does not coordinate: every request that misses rebuilds and stores.
// With R requests that miss at the same time it claims no more than R rebuilds.
type Direct struct {
	Rebuild protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
}

// Handle gets the value; on a miss it rebuilds and stores it.
func (p Direct) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, err := c.Rebuild(p.Rebuild)
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.Set(feed, v, c.ValueTTL())
	return protocol.Fresh(v)
}

// Update changes the source.
func (p Direct) Update(c *protocol.Client) { protocol.UpdateSource(c, feed) }

// ClaimedRebuilds is one for each request.
func (p Direct) ClaimedRebuilds(nodes, requests int) int { return nodes * requests }
