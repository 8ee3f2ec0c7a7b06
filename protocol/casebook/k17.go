package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-17", Rank: 79, Kind: DatabaseLock,
		Title: "A short job that runs once on each node",
		Lesson: `Every node starts the same job at the same time, more or less, and a lock is to let one of
them run it. The job takes 50 ms and gives the lock back; a node whose timer is a little
late finds it free and runs the job again. The lock excludes, and that is not what was
wanted: it must be held for longer than the timers differ, or the period be part of its
name.`,
		Sources: []string{
			"https://github.com/lukas-krecan/ShedLock/issues/6",
			"https://github.com/go-co-op/gocron/issues/841",
			"https://github.com/sidekiq-scheduler/sidekiq-scheduler/issues/156",
		},
		Checks: []Check{
			{
				Shows: "timers that differ by a second", Property: checks.RebuildBound(1),
				Before: shortJob{}, After: shortJob{Fixed: true},
				World: world(2, 0).at(time.Second), Steps: 6, Unharmed: checks.MutualExclusion(),
			},
		},
	})
}

// shortJob runs a job under a lock, which it gives back at once or leaves to its TTL.
type shortJob struct{ Fixed bool }

func (p shortJob) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("job", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("job")
	c.Rebuild(protocol.Range{Min: 50 * time.Millisecond, Max: 50 * time.Millisecond})
	c.Releasing("job")
	if !p.Fixed {
		c.Store.DelIfEqual("job", token)
	}
	return protocol.Empty()
}
