package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	cut := faults.Disconnect(1, 12*time.Second)
	good := slowResign{AtDeadline: true, Stop: time.Second, StopFirst: true}
	late, early := good, good
	late.Stop = 6 * time.Second
	early.StopFirst = false
	add(Case{
		ID: "K-11", Rank: 46, Kind: LeaderLease,
		Title: "A leader that has lost its lease goes on",
		Lesson: `The lease lasts for ten seconds, and a leader that cannot renew it has until then to
stop. One that only tries again and again never does, even when it sees another's name in
the record. One that gives up at a deadline before must have stopped when the lease ends:
the time from the deadline to the end is all that its work has to wind up in. And when it
resigns of its own accord, it must stop first and release afterwards.`,
		Sources: []string{
			"https://github.com/kubernetes/kubernetes/issues/23731",
			"https://github.com/cilium/cilium/pull/42920",
			"https://github.com/vmware/pinniped/pull/800",
		},
		Checks: []Check{
			{
				Shows: "it never stops", Property: checks.MutualExclusion(),
				Before: slowResign{Stop: time.Second, StopFirst: true}, After: good,
				World: world(2, 0, cut), Faults: 1, Steps: 18,
			},
			{
				Shows: "it takes too long to stop", Property: checks.MutualExclusion(),
				Before: late, After: good,
				World: world(2, 0, cut), Faults: 1, Steps: 18,
			},
			{
				Shows: "it releases before it stops", Property: checks.MutualExclusion(),
				Before: early, After: good,
				World: world(2, 0), Steps: 11,
			},
		},
	})
}

// slowResign leads under a lease for ten seconds that it renews every two, twice, and then
// resigns. It gives up six seconds after the last success, if it has such a deadline, and
// takes up to Stop until what it does as a leader has ended.
type slowResign struct {
	AtDeadline bool
	Stop       time.Duration
	StopFirst  bool
}

const slowResignFor = 10 * time.Second

func (p slowResign) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	give := c.Deadline(6 * time.Second)
	if ok, err := c.Store.SetNX("leader", token, slowResignFor); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("leader")
	for renewed := 0; renewed < 2; {
		c.Checkpoint(token, give, renewed)
		c.Sleep(2 * time.Second)
		next := c.Deadline(6 * time.Second)
		if owner, err := c.Store.ExpireIfEqual("leader", token, slowResignFor); err == nil && owner == protocol.Mine {
			give = next
			renewed++
		} else if p.AtDeadline && (err == nil || give.Passed()) {
			break
		}
	}
	if !p.StopFirst {
		c.Store.DelIfEqual("leader", token)
	}
	c.SleepBetween(0, p.Stop)
	c.Releasing("leader")
	if p.StopFirst {
		c.Store.DelIfEqual("leader", token)
	}
	return protocol.Empty()
}
