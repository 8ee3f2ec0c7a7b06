package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "H-01", Rank: 12, Kind: Heartbeat,
		Title: "A renewal of whatever lock is there",
		Lesson: `A heartbeat extends the lock by its name. While its node is paused, or cut off, the lock
ends and another takes it; then the heartbeat extends the other's lock and its request
believes that all is well. If the other crashes its lock is kept alive for ever. A renewal
must extend only what is its own, in one step, and its refusal must end the work.`,
		Sources: []string{
			"https://github.com/sibson/redbeat/issues/127",
			"https://github.com/sibson/redbeat/pull/128",
			"https://github.com/KanishJebaMathewM/Truxify/issues/9401",
		},
		Checks: []Check{
			{
				Shows: "another's lock is renewed", Property: checks.NoForeignRenewal(),
				Before: renewsByName{}, After: renewsByName{Fixed: true},
				World: world(2, 0, faults.Pause(1, 6*time.Second)), Faults: 1, Steps: 7, Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// renewsByName holds a lock of 5 s for 6 s and renews it after 3 s.
type renewsByName struct{ Fixed bool }

func (p renewsByName) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	heartbeat := protocol.Go(c, func(c *protocol.Client) bool {
		if c.Sleep(3*time.Second) != nil {
			return true
		}
		if p.Fixed {
			whose, err := c.Store.ExpireIfEqual("lock", token, 5*time.Second)
			return err == nil && whose == protocol.Mine
		}
		there, err := c.Store.PExpire("lock", 5*time.Second)
		return err == nil && there
	})
	c.Compute(protocol.Range{Max: 6 * time.Second})
	heartbeat.Stop()
	heartbeat.Wait()
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
