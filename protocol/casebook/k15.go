package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-15", Rank: 48, Kind: DatabaseLock,
		Title: "A row that is locked until a time of the client",
		Lesson: `A row says until when it is locked, by the clock of the client that took it, and another
client compares that with its own clock. One that is ahead takes a lock over that has just
begun. Both sides must be evaluated with the clock of the database, in the statement that
takes the lock.`,
		Sources: []string{
			"https://github.com/lukas-krecan/ShedLock/issues/231",
			"https://github.com/lukas-krecan/ShedLock/issues/263",
			"https://github.com/lukas-krecan/ShedLock/issues/639",
		},
		Checks: []Check{
			{
				Shows: "a client that is ahead", Property: checks.MutualExclusion(),
				Before: rowLock{}, After: rowLock{Fixed: true},
				World: world(2, 0, faults.ClockForward(1, time.Minute)), Faults: 1, Steps: 8,
			},
			{
				Shows: "the work is longer than the lock", Property: checks.MutualExclusion(),
				Before: rowLock{Fixed: true, Work: 11 * time.Second}, After: rowLock{Fixed: true},
				World: world(2, 0), Steps: 2,
			},
		},
	})
}

// rowLock is a row that may be taken over 10 s after it was locked, by the clock of the client
// or by that of the database. The work takes 5 s if it is not given.
type rowLock struct {
	Fixed bool
	Work  time.Duration
}

func (p rowLock) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	locked := false
	if p.Fixed {
		locked, _ = protocol.Atomic(c.Store, token, lockRowNow)
	} else {
		locked = lockByOwnClock(c, token)
	}
	if !locked {
		return protocol.Empty()
	}
	c.Acquired("lock")
	work := max(p.Work, 5*time.Second)
	c.Compute(protocol.Range{Min: work, Max: work})
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

// lockRowNow is UPDATE ... SET locked_at = now() WHERE locked_at < now() - interval '10 s'.
func lockRowNow(v *protocol.View, token protocol.Token) bool {
	if _, locked := v.Get("lock"); locked && !v.OlderThan("lock", 10*time.Second) {
		return false
	}
	v.Set("lock", token, protocol.AtNow(10*time.Second))
	return true
}

func lockByOwnClock(c *protocol.Client, token protocol.Token) bool {
	now := c.Now(10 * time.Second)
	if ok, err := c.Store.SetNX("lock", token, 0, protocol.At(now)); err != nil || ok {
		return err == nil
	}
	holder, since, ok, err := c.Store.GetStamped("lock")
	if err != nil || !ok || !c.OlderThan(since, 10*time.Second) {
		return false
	}
	taken, err := protocol.Atomic(c.Store, takeover{holder, token, now}, takeRow)
	return err == nil && taken
}

type takeover struct {
	From, To protocol.Token
	At       protocol.Timestamp
}

// takeRow changes the row if it is as it was read.
func takeRow(v *protocol.View, t takeover) bool {
	if holder, ok := v.Get("lock"); !ok || holder != t.From {
		return false
	}
	v.Set("lock", t.To, protocol.At(t.At))
	return true
}
