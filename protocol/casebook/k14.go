package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-14", Rank: 32, Kind: LeaderLease,
		Title: "Expiry by the clock of another",
		Lesson: `Whether a leader is gone is judged by a time that it has written, with the clock of whoever
judges. A clock that is ahead deposes a leader that lives; one that is behind waits for too
long, or for ever. Slack for the difference helps as far as it goes. Who waits for the
record not to change, by its own clock, needs no agreement on the time.`,
		Sources: []string{"https://github.com/kubernetes/client-go/issues/448", "https://github.com/kubernetes/kubernetes/pull/120824", "https://github.com/awslabs/amazon-dynamodb-lock-client/pull/88"},
		Checks: []Check{
			{
				Shows:    "a clock that is ahead",
				Property: checks.MutualExclusion(),
				Before:   leader{Judges: "the record"},
				After:    leader{Judges: "what it sees"},
				World:    world(2, 0, faults.ClockForward(1, time.Minute)),
				Faults:   1,
				Steps:    9,
			},
			{
				Shows:    "a clock that is behind",
				Property: checks.MutualExclusion(),
				Before:   leader{Judges: "the record"},
				After:    leader{Judges: "what it sees"},
				World:    world(2, 0, faults.ClockBack(1, time.Minute)),
				Faults:   1,
				Steps:    9,
			},
			{
				Shows:    "slack for clocks that differ",
				Property: checks.MutualExclusion(),
				Before:   leader{Judges: "the record"},
				After:    leader{Judges: "the record", Slack: 5 * time.Second},
				World:    world(2, 0, faults.ClockForward(1, 5*time.Second)),
				Faults:   1,
				Steps:    9,
			},
			{
				Shows:    "who never waits never leads",
				Property: checks.Answered(),
				Before:   leader{Judges: "nothing"},
				After:    leader{Judges: "what it sees"},
				World:    world(2, 0, faults.Crash(1)),
				Faults:   1,
				Steps:    3,
			},
		},
	})
}

// leader: who leads is in a record that the store never ends. Whether it has
// expired another judges by the time in the record, which needs clocks that agree, up to
// the slack that is added; or by having seen for so long that it does not change, which
// needs a clock that runs, and takes as long whenever one comes new. If nobody judges, a
// leader that is gone is never replaced.
type leader struct {
	Judges string
	Slack  time.Duration
}

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

const (
	record = "leader"
	leads  = 10 * time.Second
)

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
