package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-02", Rank: 3, Kind: BasicLock,
		Title: "Release deletes whatever lock is there",
		Lesson: `The work takes longer than the lock lives, another client takes the lock, and
the first one, when it is done, deletes the key: it is the other's lock by then, and the next
client gets in while that one works. The value must be unique for each acquisition, and the
store must compare it in the step that deletes. That the first two overlap is not repaired.`,
		Sources: []string{"https://github.com/laravel/framework/issues/26213", "https://github.com/lukas-krecan/ShedLock/issues/2583", "https://github.com/nexspence/nexspence/issues/223"},
		Checks: []Check{
			{
				Shows: "another's lock is deleted", Property: checks.NoForeignRelease(),
				Before: dropped{}, After: dropped{Fixed: true},
				World: world(2, 0), Steps: 5,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// dropped has a lock that may end before its work does.
type dropped struct{ Fixed bool }

func (p dropped) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.SleepBetween(time.Second, 8*time.Second)
	c.Releasing("lock")
	if p.Fixed {
		c.Store.DelIfEqual("lock", token)
	} else {
		c.Store.Del("lock")
	}
	return protocol.Empty()
}
