package catalogue

import (
	"time"

	"lockstep/protocol"
)

// Lease guards the rebuild with a lock that a heartbeat renews as long as the
// work goes on, and releases it only if it is still its own. A loser serves the
// stale copy.
//
// The heartbeat starts when the source has been read and the long part of the
// work begins. How long a pause the lease survives is thus its TTL less the time
// until the first renewal: the read, one heartbeat interval, the renewal.
//
// It claims one rebuild for the fleet. That is refuted as for [SetNX], and
// LookAgain makes it true as it does there as long as no holder is gone or paused
// for too long.
type Lease struct {
	TTL       time.Duration  `default:"10s" help:"how long the lock lives without renewal"`
	Heartbeat time.Duration  `default:"3s" help:"the time between two renewals"`
	Rebuild   protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
	LookAgain bool           `help:"look at the cache once more after acquiring the lock"`
}

// Handle gets the value; on a miss it takes the lock and rebuilds under the
// protection of the heartbeat, stores, and releases.
func (p Lease) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	ok, err := c.Store.SetNX(lock, token, p.TTL)
	if err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired(lock)
	if p.LookAgain {
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			p.release(c, token)
			return protocol.Fresh(v)
		}
	}
	v, err := p.rebuild(c, token)
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.Set(feed, v, c.ValueTTL())
	p.release(c, token)
	return protocol.Fresh(v)
}

// rebuild reads the source and computes the value while the heartbeat renews the
// lock.
func (p Lease) rebuild(c *protocol.Client, token protocol.Token) (protocol.Value, error) {
	v, err := c.Source.Read()
	if err != nil {
		return v, err
	}
	heartbeat := protocol.Go(c, func(c *protocol.Client) bool { return p.renew(c, token) })
	err = c.Compute(p.Rebuild)
	heartbeat.Stop()
	return v, err
}

// release gives the lock back if it is still its own.
func (p Lease) release(c *protocol.Client, token protocol.Token) {
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
}

// renew extends the lock until it is told to stop, and reports whether the lock
// was its own to the end.
func (p Lease) renew(c *protocol.Client, token protocol.Token) bool {
	for {
		c.Checkpoint(token)
		if err := c.Sleep(p.Heartbeat); err != nil {
			return true
		}
		owner, err := c.Store.ExpireIfEqual(lock, token, p.TTL)
		if err == nil && owner != protocol.Mine {
			return false
		}
	}
}

// Update changes the source.
func (p Lease) Update(c *protocol.Client) { protocol.UpdateSource(c, feed) }

// ClaimedRebuilds is one for the whole fleet.
func (p Lease) ClaimedRebuilds(nodes, requests int) int { return 1 }
