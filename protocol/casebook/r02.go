package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "R-02", Rank: 35, Kind: QuorumLock,
		Title: "A pause while the grants are under way",
		Lesson: `A client asks several stores for the lock and is paused for longer than the TTL before it
has all the answers, or just after it has looked at them. In the first case it must measure
the time from before its first request and refuse itself. In the second no look helps, since
the pause comes after it: only a comparison at the resource does.`,
		Sources: []string{
			"https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
			"http://antirez.com/news/101",
		},
		Checks: []Check{
			{
				Shows: "grants that are over", Property: checks.HonestStatus(),
				Before: pausedGrants{}, After: pausedGrants{Looks: true},
				World: world(2, 0, faults.Pause(1, 12*time.Second)).reply(5 * time.Millisecond), Faults: 1, Steps: 9, Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// pausedGrants takes a lock of two stores for 10 s, and looks how long that took or does not.
type pausedGrants struct{ Looks bool }

func (p pausedGrants) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	valid := c.Deadline(9 * time.Second)
	granted := 0
	for _, s := range c.Stores(2) {
		if ok, err := s.SetNX("lock", token, 10*time.Second); err == nil && ok {
			granted++
		}
	}
	if granted == 2 && !(p.Looks && valid.Passed()) {
		c.Acquired("lock")
		c.Compute(protocol.Range{Max: time.Second})
		c.Releasing("lock")
	}
	for _, s := range c.Stores(2) {
		s.DelIfEqual("lock", token)
	}
	return protocol.Empty()
}
