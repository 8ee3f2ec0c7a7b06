package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-11", Rank: 46, Kind: LeaderLease,
		Title: "A leader that does not stop",
		Lesson: `A leader cannot renew its lease, since the store refuses it, and stays in its loop of
renewals; or it sees that another leads and never calls what should stop the work. Both then
act on the same objects. A leader must stop when its last renewal is as long ago as its own
deadline says, which is shorter than the lease by what stopping takes, and when it is told
that another leads.`,
		Sources: []string{
			"https://github.com/kubernetes/kubernetes/issues/23731",
			"https://github.com/cilium/cilium/pull/42920",
			"https://github.com/vmware/pinniped/pull/800",
		},
		Checks: []Check{
			{
				Shows: "renewals that are refused", Property: checks.MutualExclusion(),
				Before: neverStops{}, After: neverStops{Fixed: true},
				World: world(2, 0, faults.StoreError(3)), Faults: 2, Steps: 9,
			},
		},
	})
}

// neverStops leads for four rounds of 4 s under a lease of 11 s.
type neverStops struct{ Fixed bool }

func (p neverStops) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	renewed := c.Deadline(6 * time.Second)
	if ok, err := c.Store.SetNX("leader", token, 11*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("leader")
	for range 4 {
		c.Compute(protocol.Range{Max: 4 * time.Second})
		whose, err := c.Store.ExpireIfEqual("leader", token, 11*time.Second)
		if err == nil && whose == protocol.Mine {
			renewed.Reset()
		} else if p.Fixed && (err == nil || renewed.Passed()) {
			break
		}
	}
	c.Releasing("leader")
	c.Store.DelIfEqual("leader", token)
	return protocol.Empty()
}
