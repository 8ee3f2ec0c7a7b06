package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-03", Rank: 16, Kind: BasicLock,
		Title: "Release reads the owner, then deletes",
		Lesson: `To look whether the lock is one's own and then to delete it are two steps. While the
delete is on its way the lock expires and is taken by another, whose lock it removes; a
third one gets in while the second works. One step must compare and delete: a script, a
conditional delete of the server, or a watch with the delete inside of the transaction.`,
		Sources: []string{"https://github.com/redis/redis-py/pull/1031", "https://github.com/eclipse-leshan/leshan/pull/837"},
		Checks: []Check{
			{
				Shows: "another's lock is deleted", Property: checks.NoForeignRelease(),
				Before: giveBack{}, After: giveBack{Fixed: true},
				World: world(2, 0).latency(2 * time.Second), Steps: 6,
			},
			{
				Shows: "a third one gets in", Property: checks.MutualExclusion(),
				Before: giveBack{}, After: giveBack{Fixed: true},
				World: world(3, 0).latency(2 * time.Second), Steps: 7,
			},
		},
	})
}

// giveBack gives a lock back whose owner it has looked at.
type giveBack struct{ Fixed bool }

func (p giveBack) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.SleepBetween(time.Second, 2*time.Second)
	if p.Fixed {
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
		return protocol.Empty()
	}
	holder, ok, err := c.Store.Get("lock")
	c.Releasing("lock")
	if err == nil && ok && holder == token {
		c.Store.Del("lock")
	}
	return protocol.Empty()
}
