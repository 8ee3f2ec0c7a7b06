package checks_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func TestReportedWaysInWhichLeasesByTheClockBreakAndTheirFixes(t *testing.T) {
	runAll(t, []reported{
		{
			id: "K-14", lesson: "a clock that is ahead",
			property: checks.MutualExclusion(),
			before:   leader{Judges: "the record"}, after: leader{Judges: "what it sees"},
			scenario: inWorld(2, 0, faults.ClockForward(1, time.Minute)), faults: 1, steps: 9,
		},
		{
			id: "K-14", lesson: "a clock that is behind",
			property: checks.MutualExclusion(),
			before:   leader{Judges: "the record"}, after: leader{Judges: "what it sees"},
			scenario: inWorld(2, 0, faults.ClockBack(1, time.Minute)), faults: 1, steps: 9,
		},
		{
			id: "K-14", lesson: "slack for clocks that differ",
			property: checks.MutualExclusion(),
			before:   leader{Judges: "the record"}, after: leader{Judges: "the record", Slack: 5 * time.Second},
			scenario: inWorld(2, 0, faults.ClockForward(1, 5*time.Second)), faults: 1, steps: 9,
		},
		{
			id: "K-14", lesson: "who never waits never leads",
			property: checks.Answered(),
			before:   leader{Judges: "nothing"}, after: leader{Judges: "what it sees"},
			scenario: inWorld(2, 0, faults.Crash(1)), faults: 1, steps: 3,
		},
	})
}

// leader is case K-14: who leads is in a record that the store never ends. Whether it has
// expired another judges by the time in the record, which needs clocks that agree, up to
// the slack that is added; or by having seen for so long that it does not change, which
// needs a clock that runs, and takes as long whenever one comes new. If nobody judges, a
// leader that is gone is never replaced.
type leader struct {
	Judges string
	Slack  time.Duration
}

const (
	record = "leader"
	leads  = 10 * time.Second
)

func (p leader) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	now := c.Now(leads + p.Slack)
	ok, err := c.Store.SetNX(record, token, 0, protocol.At(now))
	if err == nil && !ok {
		ok, err = p.succeed(c, token)
	}
	if err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired(record)
	c.Compute(protocol.Range{Min: time.Second, Max: 9 * time.Second})
	c.Releasing(record)
	c.Store.DelIfEqual(record, token)
	return protocol.Empty()
}

// succeed takes the record over if its holder has gone on for too long.
func (p leader) succeed(c *protocol.Client, token protocol.Token) (bool, error) {
	holder, since, ok, err := c.Store.GetStamped(record)
	if err != nil || !ok {
		return false, err
	}
	switch p.Judges {
	case "nothing":
		return false, nil
	case "the record":
		if !c.OlderThan(since, leads+p.Slack) {
			return false, nil
		}
	default:
		c.Sleep(leads)
	}
	return protocol.Atomic(c.Store, succession{holder, token, c.Now(leads + p.Slack)}, succeeds)
}

type succession struct {
	From, To protocol.Token
	At       protocol.Timestamp
}

func succeeds(v *protocol.View, s succession) bool {
	if holder, ok := v.Get(record); !ok || holder != s.From {
		return false
	}
	v.Set(record, s.To, protocol.At(s.At))
	return true
}
