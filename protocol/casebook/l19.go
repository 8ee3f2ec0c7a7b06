package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-19", Rank: 4, Kind: BasicLock,
		Title: "Unlocked before the commit",
		Lesson: `The lock is taken and given back within a transaction, which commits afterwards. In between
another takes the lock and reads what the database shows, which is what was there before,
and writes on top of that: the first update is lost although every update was made under the
lock. The lock must be taken before the transaction begins and given back after it has been
committed, or rolled back.`,
		Sources: []string{
			"https://github.com/redisson/redisson/issues/2183",
			"https://github.com/entur/tiamat/issues/458",
			"https://github.com/civicrm/civicrm-core/pull/25673",
		},
		Checks: []Check{
			{
				Shows: "an update is lost", Property: checks.NoLostUpdate(),
				Before: withinTransaction{}, After: withinTransaction{Fixed: true},
				World: world(2, 0), Steps: 10, Unharmed: checks.MutualExclusion(),
			},
		},
	})
}

// withinTransaction reads, changes and commits under a lock, which it gives back before the
// commit or after it.
type withinTransaction struct{ Fixed bool }

func (p withinTransaction) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, time.Minute); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	unlock := func() {
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
	}
	if _, err := c.Source.Read(); err != nil {
		unlock()
		return protocol.Failed()
	}
	if _, err := c.Source.Begin(); err != nil {
		unlock()
		return protocol.Failed()
	}
	if !p.Fixed {
		unlock()
	}
	c.Source.Commit()
	if p.Fixed {
		unlock()
	} else {
		c.Source.Read()
	}
	return protocol.Empty()
}
