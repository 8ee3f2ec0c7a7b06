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
		Title: "A heartbeat that shares the loop of the work",
		Lesson: `The heartbeat is a timer in the event loop that the work blocks. The lock ends although the
process lives and is busy, the job passes for stalled and another takes it, and both
complete it. Renewing from a thread of its own makes that rarer. What must not happen twice
has to be done in a step that compares the token of the lock; that two work at once remains.`,
		Sources: []string{
			"https://github.com/taskforcesh/bullmq/issues/3183",
			"https://github.com/OptimalBits/bull/issues/308",
			"https://github.com/ionelmc/python-redis-lock/issues/91",
		},
		Checks: []Check{
			{
				Shows: "completed without the lock", Property: checks.WriteUnderLease(),
				Before: busyLoop{}, After: busyLoop{Fixed: true},
				World: world(2, 0, faults.Starve(1, 6*time.Second)), Faults: 1, Steps: 6, Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// busyLoop works for 6 s under a lock of 5 s, which it renews every 3 s if it is let, and stores
// the result.
type busyLoop struct{ Fixed bool }

type completion struct {
	Token protocol.Token
	Value protocol.Value
}

func (p busyLoop) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	heartbeat := protocol.Go(c, func(c *protocol.Client) bool {
		for range 2 {
			if c.Sleep(3*time.Second) != nil {
				break
			}
			c.Store.ExpireIfEqual("lock", token, 5*time.Second)
		}
		return true
	})
	v, err := c.Rebuild(protocol.Range{Max: 6 * time.Second})
	if err == nil && p.Fixed {
		protocol.Atomic(c.Store, completion{token, v}, completeIfMine)
	} else if err == nil {
		c.Store.Set("result", v)
	}
	heartbeat.Stop()
	heartbeat.Wait()
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

func completeIfMine(v *protocol.View, done completion) bool {
	if holder, ok := v.Get("lock"); !ok || holder != done.Token {
		return false
	}
	v.Set("result", done.Value)
	return true
}
