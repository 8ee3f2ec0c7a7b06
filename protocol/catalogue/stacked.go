package catalogue

import (
	"time"

	"lockstep/protocol"
)

// Stacked has both layers: a flight shares the rebuild on the node, a lock over
// the fleet lets one node do it. A loser looks at the cache once more and then
// serves the stale copy.
//
// It claims one rebuild for the fleet. That is refuted as for [SetNX], and
// LookAgain makes it true as it does there.
type Stacked struct {
	TTL       time.Duration  `default:"30s" help:"how long the lock lives"`
	Rebuild   protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
	Wait      time.Duration  `default:"50ms" help:"how long a loser waits before it looks again"`
	LookAgain bool           `help:"look at the cache once more after acquiring the lock"`
}

// Handle gets the value; on a miss it joins the flight of the node if there is
// one, else tries the lock.
func (p Stacked) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	if v, err, joined := c.Join(feed); joined {
		if err != nil {
			return protocol.Failed()
		}
		return protocol.Fresh(v)
	}
	ok, err := c.Store.SetNX(lock, c.NewToken(), p.TTL)
	if err != nil || !ok {
		c.Sleep(p.Wait)
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			return protocol.Fresh(v)
		}
		return protocol.Stale()
	}
	c.Acquired(lock)
	flight := c.Fly(feed)
	v, err := p.rebuild(c)
	c.Releasing(lock)
	c.Store.Del(lock)
	flight.Resolve(v, err)
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}

// rebuild computes the value and stores it.
func (p Stacked) rebuild(c *protocol.Client) (protocol.Value, error) {
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
}

// Update changes the source.
func (p Stacked) Update(c *protocol.Client) { protocol.UpdateSource(c, feed) }

// ClaimedRebuilds is one for the whole fleet.
func (p Stacked) ClaimedRebuilds(nodes, requests int) int { return 1 }

// SharesOnNode is true: requests of one node share a rebuild.
func (p Stacked) SharesOnNode() bool { return true }
