package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-19", Rank: 4, Kind: BasicLock,
		Title: "Lock is released before the commit",
		Lesson: `A transaction reads a row, changes it and gives the lock back before it commits.
The next one gets the lock, reads what it can see, which is the row as it was, waits for the
first to commit, and writes over it: the first update is lost, though the lock was always held
by one only. The lock must be given back after the commit or the rollback.`,
		Sources: []string{"https://github.com/redisson/redisson/issues/2183", "https://github.com/entur/tiamat/issues/458", "https://github.com/civicrm/civicrm-core/pull/25673"},
		Checks: []Check{
			{
				Shows: "an update is lost", Property: checks.NoLostUpdate(),
				Before: transacted{}, After: transacted{Fixed: true},
				World: world(2, 0), Steps: 10,
			},
		},
	})
}

// transacted reads a row and writes what follows from it, under a lock.
type transacted struct{ Fixed bool }

func (p transacted) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	release := func() {
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
	}
	defer func() {
		if p.Fixed {
			release()
		}
	}()
	if _, err := c.Source.Read(); err != nil {
		return protocol.Failed()
	}
	written, err := c.Source.Begin()
	if err != nil {
		return protocol.Failed()
	}
	if !p.Fixed {
		release()
	}
	if err := c.Source.Commit(); err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(written)
}
