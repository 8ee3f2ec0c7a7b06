package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-17", Rank: 19, Kind: BasicLock,
		Title: "A lock in a store that evicts",
		Lesson: `A store that makes room evicts a lock as it evicts any value, and the next request gets the
lock while the first one still works. Keep locks apart from what may be evicted, in an
instance of its own or under a policy that spares them; or let the resource compare a number
that grows with each holder, so that the one who lost the lock does no harm.`,
		Sources: []string{"https://github.com/samcook/RedLock.net/issues/101", "https://github.com/redis/redis/issues/9105", "https://github.com/JSONbored/loopover/issues/9468"},
		Checks: []Check{
			{
				Shows:    "a lock among cached values",
				Property: checks.MutualExclusion(),
				Before:   amongValues{},
				After:    amongValues{Fixed: true},
				World:    world(2, 0, only{faults.Evict(1), cacheStore}),
				Faults:   1,
				Steps:    3,
			},
			{
				Shows:      "a fence where the effect is",
				Property:   checks.NoStaleOverwrite(),
				Before:     guarded{Guard: "none"},
				After:      guarded{Guard: "read and write"},
				World:      world(2, 1, faults.Evict(1)),
				Faults:     1,
				Steps:      10,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// amongValues: a store that makes room by evicting whatever it likes
// evicts a lock that is held. Locks belong into a store that evicts nothing.
type amongValues struct{ Fixed bool }

func (p amongValues) Handle(c *protocol.Client) protocol.Answer {
	store := c.Cache
	if p.Fixed {
		store = c.Store
	}
	token := c.NewToken()
	if ok, err := store.SetNX(lock, token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired(lock)
	c.SleepBetween(time.Second, 2*time.Second)
	c.Releasing(lock)
	store.DelIfEqual(lock, token)
	return protocol.Empty()
}
