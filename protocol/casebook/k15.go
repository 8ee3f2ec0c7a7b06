package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	before, after := rowLock{}, rowLock{OfDatabase: true}
	add(Case{
		ID: "K-15", Rank: 48, Kind: DatabaseLock,
		Title: "A lock in a row that each node judges by its own clock",
		Lesson: `The row says since when the lock is held, by the clock of the node that took it, and
another node decides by its own clock whether that is over. If their clocks differ by more
than the lifetime, the lock of a live holder is taken over by a node that is ahead, or is
already over when a node that is behind writes it. Margins only move the limit. The
database must do both in one statement, with its own time, so that there is one clock.`,
		Sources: []string{
			"https://github.com/lukas-krecan/ShedLock/issues/231",
			"https://github.com/lukas-krecan/ShedLock/issues/263",
			"https://github.com/lukas-krecan/ShedLock/issues/639",
		},
		Checks: []Check{
			{
				Shows: "a node that is ahead", Property: checks.MutualExclusion(),
				Before: before, After: after,
				World: world(2, 0, faults.ClockForward(1, 3*time.Minute)), Faults: 1, Steps: 9,
			},
			{
				Shows: "a node that is behind", Property: checks.MutualExclusion(),
				Before: before, After: after,
				World: world(2, 0, faults.ClockBack(1, 3*time.Minute)), Faults: 1, Steps: 9,
			},
		},
	})
}

// rowLock takes a lock in a row, which lasts for two minutes, and works for up to one.
type rowLock struct{ OfDatabase bool }

const rowLockFor = 2 * time.Minute

func (p rowLock) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	ok, err := p.take(c, token)
	if err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.SleepBetween(time.Second, time.Minute)
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

func (p rowLock) take(c *protocol.Client, token protocol.Token) (bool, error) {
	if p.OfDatabase {
		return protocol.Atomic(c.Store, token, rowLockByDatabase)
	}
	ok, err := c.Store.SetNX("lock", token, 0, protocol.At(c.Now(rowLockFor)))
	if err != nil || ok {
		return ok, err
	}
	holder, since, ok, err := c.Store.GetStamped("lock")
	if err != nil || !ok || !c.OlderThan(since, rowLockFor) {
		return false, err
	}
	return protocol.Atomic(c.Store, rowLockTaken{holder, token, c.Now(rowLockFor)}, rowLockTakeOver)
}

type rowLockTaken struct {
	From, To protocol.Token
	At       protocol.Timestamp
}

// rowLockTakeOver is UPDATE ... WHERE holder = from.
func rowLockTakeOver(v *protocol.View, t rowLockTaken) bool {
	if holder, ok := v.Get("lock"); !ok || holder != t.From {
		return false
	}
	v.Set("lock", t.To, protocol.At(t.At))
	return true
}

// rowLockByDatabase is UPDATE ... WHERE locked_at < now() - interval.
func rowLockByDatabase(v *protocol.View, token protocol.Token) bool {
	if _, held := v.Get("lock"); held && !v.OlderThan("lock", rowLockFor) {
		return false
	}
	v.Set("lock", token, protocol.AtNow(rowLockFor))
	return true
}
