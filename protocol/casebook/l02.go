package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-02", Rank: 3, Kind: BasicLock,
		Title: "A release that deletes whatever is there",
		Lesson: `The work takes longer than the lock lives. Another has the lock by the time at which the
first one is done and deletes it by its name, and a third one gets in while the second
works. A lock needs a value that is its owner's alone, and the release must compare and
delete in one step. That two overlapped in the first place is not repaired by that.`,
		Sources: []string{
			"https://github.com/laravel/framework/issues/26213",
			"https://github.com/lukas-krecan/ShedLock/issues/2583",
			"https://github.com/nexspence/nexspence/issues/223",
		},
		Checks: []Check{
			{
				Shows: "another's lock is deleted", Property: checks.NoForeignRelease(),
				Before: deletesByName{}, After: deletesByName{Fixed: true},
				World: world(2, 0), Steps: 5, Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// deletesByName works for longer than its lock lives and gives back what is there.
type deletesByName struct{ Fixed bool }

func (p deletesByName) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Min: time.Second, Max: 8 * time.Second})
	c.Releasing("lock")
	if p.Fixed {
		c.Store.DelIfEqual("lock", token)
	} else {
		c.Store.Del("lock")
	}
	return protocol.Empty()
}
