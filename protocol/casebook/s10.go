package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "S-10", Rank: 51, Kind: SingleFlight,
		Title: "The one that loads is stuck, and so are all who joined",
		Lesson: `Callers that join a load wait for its end, whatever deadline they have: one backend that
hangs holds them all. The load must go on without its caller, and each caller wait for as
long as it can afford and then serve what it has. Where a timeout of a mutex ends the wait,
the value may be in the cache by then, stored but not yet unlocked, or one waiter late in a
queue: who gives up looks once more before it fails.`,
		Sources: []string{
			"https://github.com/anthony-chaudhary/fak/issues/11924", "https://github.com/thibaultcha/lua-resty-mlcache/pull/49",
			"https://github.com/thibaultcha/lua-resty-mlcache/issues/99",
		},
		Checks: []Check{
			{
				Shows: "whoever waits does so as long as the load takes", Property: checks.AnsweredWithin(5 * time.Second),
				Before: stuck{}, After: stuck{Fixed: true},
				World: world(1, 0).requests(2), Steps: 5,
			},
			{
				Shows: "an error although the value is there", Property: checks.Available(),
				Before: queued{}, After: queued{Fixed: true},
				World: world(1, 0).requests(2), Steps: 8,
			},
		},
	})
}

// stuck loads in a process of its own, before the repair as well, so that what is stuck
// is those who wait.
type stuck struct{ Fixed bool }

func (p stuck) Handle(c *protocol.Client) protocol.Answer {
	if v, ok := c.Memory.Get("feed"); ok {
		return protocol.Fresh(v)
	}
	over := c.Memory.Watch("over")
	if c.Memory.SetNX("loading", c.NewToken()) {
		protocol.Go(c, loadDetached)
	}
	var err error
	if p.Fixed {
		_, err = over.WaitWithin(3 * time.Second)
	} else {
		err = over.Wait()
	}
	if v, ok := c.Memory.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	return protocol.Stale()
}

func loadDetached(c *protocol.Client) bool {
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 20 * time.Second})
	if err == nil {
		c.Memory.Set("feed", v)
	}
	c.Memory.Del("loading")
	c.Memory.Incr("over")
	return err == nil
}

// queued loads under a mutex for which nobody waits for long.
type queued struct{ Fixed bool }

func (p queued) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	if !c.Memory.LockWithin("loading", 2*time.Second) {
		if p.Fixed {
			if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
				return protocol.Fresh(v)
			}
		}
		return protocol.Failed()
	}
	defer c.Memory.Unlock("loading")
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 3 * time.Second})
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.Set("feed", v)
	return protocol.Fresh(v)
}
