package catalogue

import (
	"time"

	"lockstep/protocol"
)

// NoTTL guards the rebuild with a lock that never expires. The release is a
// deferred plain delete. A loser waits and starts over, without end.
//
// It claims one rebuild for the fleet. That is refuted as for [SetNX], and
// LookAgain makes it true as it does there.
//
// With Notify a loser does not poll: it subscribes to what a release publishes, tries
// once more, and waits for the message.
type NoTTL struct {
	Rebuild   protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
	Wait      time.Duration  `default:"50ms" help:"how long a loser waits before it starts over"`
	LookAgain bool           `help:"look at the cache once more after acquiring the lock"`
	Notify    bool           `help:"a loser waits for a message that a release publishes, and does not poll"`
}

// Handle gets the value; on a miss it takes the lock, rebuilds and stores.
func (p NoTTL) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	ok, err := c.Store.SetNX(lock, token, 0)
	if p.Notify && err == nil && !ok {
		var released *protocol.Watch
		if released, err = c.Store.Subscribe("released"); err == nil {
			if ok, err = c.Store.SetNX(lock, token, 0); err == nil && !ok {
				if released.Wait() != nil {
					return protocol.Failed()
				}
				return protocol.Again()
			}
		}
	}
	if err != nil || !ok {
		if c.Sleep(p.Wait) != nil {
			return protocol.Failed()
		}
		return protocol.Again()
	}
	c.Acquired(lock)
	defer func() {
		c.Releasing(lock)
		c.Store.Del(lock)
		if p.Notify {
			c.Store.Publish("released")
		}
	}()
	if p.LookAgain {
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			return protocol.Fresh(v)
		}
	}
	v, err := c.Rebuild(p.Rebuild)
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.Set(feed, v, c.ValueTTL())
	return protocol.Fresh(v)
}

// Update changes the source.
func (p NoTTL) Update(c *protocol.Client) { protocol.UpdateSource(c, feed) }

// ClaimedRebuilds is one for the whole fleet.
func (p NoTTL) ClaimedRebuilds(nodes, requests int) int { return 1 }
