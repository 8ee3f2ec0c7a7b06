package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "H-02", Rank: 13, Kind: Heartbeat,
		Title: "A renewal that sets what is missing",
		Lesson: `A heartbeat extends the lock or sets it if it is gone, in one step. When the work has taken
longer than the lock lives another has had the lock in between, worked, and given it back;
the renewal takes it again and nobody notices. A renewal must only extend what is there and
its own, and the loss of the lock must end the work.`,
		Sources: []string{"https://github.com/swarthy/redis-semaphore/issues/175", "https://github.com/leandromoreira/redlock-rb/issues/36", "https://github.com/go-redsync/redsync/pull/149"},
		Checks: []Check{
			{
				Shows:      "renewed out of nothing",
				Property:   checks.NoStaleOverwrite(),
				Before:     renewal{},
				After:      renewal{Fixed: true},
				World:      world(2, 1),
				Steps:      13,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// renewal: the work has taken longer than the lock lives, another has
// been in between, and the renewal before the write makes the lock anew as if nothing
// had happened. A renewal of what is gone must fail, and the work be dropped.
//
// That both believe for a while that they hold the lock is not repaired.
type renewal struct{ Fixed bool }

func (p renewal) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 5*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired(lock)
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 8 * time.Second})
	if err != nil {
		return protocol.Failed()
	}
	extend := extendOrSet
	if p.Fixed {
		extend = extendOnly
	}
	if mine, err := protocol.Atomic(c.Store, token, extend); err != nil || !mine {
		return protocol.Stale()
	}
	c.Cache.Set(feed, v)
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
	return protocol.Fresh(v)
}

func extendOrSet(v *protocol.View, token protocol.Token) bool {
	return v.SetNX(lock, token, 5*time.Second) || extendOnly(v, token)
}

func extendOnly(v *protocol.View, token protocol.Token) bool {
	holder, ok := v.Get(lock)
	return ok && holder == token && v.PExpire(lock, 5*time.Second)
}
