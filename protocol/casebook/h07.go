package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "H-07", Rank: 2, Kind: Heartbeat,
		Title: "A loss that the holder is not told of",
		Lesson: `The renewals of a lease fail, since packets to the store are dropped; the library logs that
and tries again, and the holder works on. The lease ends, another gets it, and there are two
for as long as the work takes. The holder needs a deadline of its own, measured from the
last renewal that succeeded and shorter than the lease, at which the work ends whatever the
store says.`,
		Sources: []string{
			"https://github.com/hashicorp/consul/issues/18271",
			"https://github.com/redisson/redisson/issues/4698",
			"https://github.com/cirello-io/dynamolock/pull/279",
		},
		Checks: []Check{
			{
				Shows: "two work at once", Property: checks.MutualExclusion(),
				Before: untold{}, After: untold{Fixed: true},
				World: world(2, 0, faults.Partition(1, time.Minute)), Faults: 1, Steps: 12,
			},
		},
	})
}

// untold works for up to 25 s under a lease of 20 s that it renews every 5 s, and gives a renewal
// a second; or until its last renewal was 10 s ago.
type untold struct{ Fixed bool }

func (p untold) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	renewed := c.Deadline(10 * time.Second)
	if ok, err := c.Store.SetNX("lock", token, 20*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	for range 5 {
		c.Compute(protocol.Range{Max: 5 * time.Second})
		if p.Fixed && renewed.Passed() {
			break
		}
		c.Within(time.Second, func() {
			if whose, err := c.Store.ExpireIfEqual("lock", token, 20*time.Second); err == nil && whose == protocol.Mine {
				renewed.Reset()
			}
		})
	}
	c.Releasing("lock")
	c.Within(time.Second, func() { c.Store.DelIfEqual("lock", token) })
	return protocol.Empty()
}
