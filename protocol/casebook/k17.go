package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-17", Rank: 79, Kind: DatabaseLock,
		Title: "A short job that runs once on each node, one after the other",
		Lesson: `A lock keeps nodes from running a job at the same time, not from running it again. If
the job is shorter than the difference between the clocks or timers of the nodes, the first
has given the lock back before the second asks for it, which then runs the job of the same
period once more. The lock must be kept for longer than they can differ, however short the
job is; or what is done must be recorded under the period, for as long as that lasts.`,
		Sources: []string{
			"https://github.com/lukas-krecan/ShedLock/issues/6",
			"https://github.com/go-co-op/gocron/issues/841",
			"https://github.com/sidekiq-scheduler/sidekiq-scheduler/issues/156",
		},
		Checks: []Check{
			{
				Shows: "a lock that is kept for a while", Property: checks.AtMostOnceWithin(time.Minute),
				Before: shortJob{}, After: shortJob{KeepFor: 5 * time.Second},
				World: world(2, 0).at(2 * time.Second), Steps: 4,
				Unharmed: checks.MutualExclusion(),
			},
			{
				Shows: "timers that differ by more", Property: checks.AtMostOnceWithin(time.Minute),
				Before: shortJob{KeepFor: 5 * time.Second}, After: shortJob{Records: true},
				World: world(2, 0).at(10 * time.Second), Steps: 5,
				Unharmed: checks.MutualExclusion(),
			},
		},
	})
}

// shortJob is what the timer of a node starts for one period: each request is the timer of
// its node, and all of them are for the same period.
type shortJob struct {
	KeepFor time.Duration
	Records bool
}

func (p shortJob) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if p.Records {
		if ok, err := c.Store.SetNX("report:monday", token, time.Hour); err != nil || !ok {
			return protocol.Empty()
		}
	} else if ok, err := c.Store.SetNX("lock", token, time.Minute); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Sleep(50 * time.Millisecond)
	c.Releasing("lock")
	switch {
	case p.Records:
	case p.KeepFor > 0:
		c.Store.ExpireIfEqual("lock", token, p.KeepFor)
	default:
		c.Store.DelIfEqual("lock", token)
	}
	return protocol.Empty()
}
