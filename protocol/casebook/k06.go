package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-06", Rank: 15, Kind: ConsensusLock,
		Title: "A delay as the only margin",
		Lesson: `A store that has declared a session dead refuses its lock to others for a delay, so that the
holder can notice and stop. Stopping takes longer than that: a child process has to be
ended, a batch to be finished. Then two work at once. The delay is safe only if what stops
the work takes less time than it, measured from when the session can be dead; a number that
the resource compares needs no such bound.`,
		Sources: []string{
			"https://github.com/hashicorp/consul/issues/1843",
			"https://github.com/hashicorp/consul/issues/9788",
		},
		Checks: []Check{
			{
				Shows: "stopping takes longer than the delay", Property: checks.MutualExclusion(),
				Before: lockDelay{Stop: 7 * time.Second}, After: lockDelay{Stop: 3 * time.Second},
				World: world(2, 0), Steps: 7,
			},
		},
	})
}

// lockDelay works until its session of 10 s is over, by its own clock, and then takes up to Stop
// to stop. The store gives the lock to another 5 s after the session has ended.
type lockDelay struct{ Stop time.Duration }

func (p lockDelay) Handle(c *protocol.Client) protocol.Answer {
	const session, delay = 10 * time.Second, 5 * time.Second
	over := c.Deadline(session)
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, session+delay); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Min: 9 * time.Second, Max: session})
	if !over.Passed() {
		c.Sleep(time.Second)
	}
	c.Compute(protocol.Range{Max: p.Stop})
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
