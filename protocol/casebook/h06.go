package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "H-06", Rank: 24, Kind: Heartbeat,
		Title: "Heartbeat shares the loop with the work",
		Lesson: `The timer of the heartbeat fires in the same loop as the work. A part of the work
that blocks the loop blocks the renewal, too; the lock expires, and another worker takes the
job. A heartbeat that runs by itself goes on while the work is stuck. It does not help if the
whole process stands still: then two still do the job, and only a comparison where the result
is stored keeps it from being stored twice.`,
		Sources: []string{"https://github.com/taskforcesh/bullmq/issues/3183", "https://github.com/OptimalBits/bull/issues/308", "https://github.com/ionelmc/python-redis-lock/issues/91"},
		Checks: []Check{
			{
				Shows: "the work blocks the loop", Property: checks.MutualExclusion(),
				Before: looped{}, After: looped{Fixed: true},
				World: world(2, 0), Steps: 3,
			},
			{
				Shows: "the worker stands still", Property: checks.NoStaleOverwrite(),
				Before: guarded{Guard: "none"}, After: guarded{Guard: "read and write"},
				World: world(2, 1, faults.Pause(1, 12*time.Second)), Faults: 1, Steps: 12,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// looped works for up to eight seconds under a lock of five.
type looped struct{ Fixed bool }

func (p looped) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	if p.Fixed {
		heartbeat := protocol.Go(c, func(c *protocol.Client) bool {
			for {
				c.Checkpoint(token)
				if c.Sleep(2*time.Second) != nil {
					return true
				}
				if owner, err := c.Store.ExpireIfEqual("lock", token, 5*time.Second); err == nil && owner != protocol.Mine {
					return false
				}
			}
		})
		c.Compute(protocol.Range{Min: time.Second, Max: 8 * time.Second})
		heartbeat.Stop()
		heartbeat.Wait()
	} else {
		c.Compute(protocol.Range{Min: time.Second, Max: 8 * time.Second}) // the timer cannot fire
		c.Store.ExpireIfEqual("lock", token, 5*time.Second)
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
