package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "N-05", Rank: 87, Kind: NegativeControl,
		Title: "A pause between reading the clock and taking the lock in a table",
		Lesson: `A node reads the time, computes how long the lock is to last, and runs the update that
takes it if it is free. The report has two nodes that both succeed. That takes a time
between the clock and the update that, with the work, exceeds the lifetime: the lock is all
but over when it is taken, or born dead. Where this can be ruled out nothing breaks. With
the time of the database in the statement the lifetime counts from its effect, and no wait
before that matters.`,
		Differs: `The report's condition is a pause longer than the lifetime. The checker finds that a
shorter one is enough where work follows: pause and work together must not exceed it. The
checker is right: the lifetime is spent from the reading of the clock on, and 4.5 s of
waiting leave 500 ms of 5 s for the work.`,
		Sources: []string{"https://github.com/lukas-krecan/ShedLock/issues/132"},
		Checks: []Check{
			{
				Shows: "longer than the lifetime", Property: checks.MutualExclusion(),
				Before: lockTable{Wait: 6 * time.Second}, After: lockTable{Wait: 4500 * time.Millisecond},
				World: world(2, 0), Steps: 6,
			},
			{
				Shows: "shorter, but not with the work", Property: checks.MutualExclusion(),
				Before: lockTable{Wait: 4500 * time.Millisecond, Work: time.Second}, After: lockTable{Wait: 3 * time.Second, Work: time.Second},
				World: world(2, 0), Steps: 6,
			},
			{
				Shows: "the time of the database", Property: checks.MutualExclusion(),
				Before: lockTable{Wait: 6 * time.Second, Work: time.Second}, After: lockTable{Wait: 6 * time.Second, Work: time.Second, OfDatabase: true},
				World: world(2, 0), Steps: 6,
			},
		},
	})
}

// lockTable waits for a connection after it has read the clock, and then works
// under a lock that lasts for five seconds.
type lockTable struct {
	Wait, Work time.Duration
	OfDatabase bool
}

const lockTableTTL = 5 * time.Second

func (p lockTable) Handle(c *protocol.Client) protocol.Answer {
	row := lockRow{Token: c.NewToken(), OfDatabase: p.OfDatabase, At: c.Now(lockTableTTL)}
	c.SleepBetween(0, p.Wait)
	if ok, err := protocol.Atomic(c.Store, row, updateLockRow); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Sleep(p.Work)
	c.Releasing("lock")
	return protocol.Empty()
}

type lockRow struct {
	Token      protocol.Token
	OfDatabase bool
	At         protocol.Timestamp
}

// updateLockRow takes the lock if nobody has it or its time is over.
func updateLockRow(v *protocol.View, r lockRow) bool {
	at := protocol.At(r.At)
	if r.OfDatabase {
		at = protocol.AtNow(lockTableTTL)
	}
	if v.SetNX("lock", r.Token, 0, at) {
		return true
	}
	if !v.OlderThan("lock", lockTableTTL) {
		return false
	}
	v.Set("lock", r.Token, at)
	return true
}
