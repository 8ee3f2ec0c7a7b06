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
		Title: "Loss of the lease is not told to the holder",
		Lesson: `The store cannot be reached, renewals fail, and the library only logs it: the
holder works on while the store ends the lease and grants it to another. The holder itself must
know when its lease ends, by its own clock and counted from the moment at which it sent the
last renewal that succeeded, and must stop its work before then, whether the store has told it
or not.`,
		Sources: []string{"https://github.com/hashicorp/consul/issues/18271", "https://github.com/redisson/redisson/issues/4698", "https://github.com/cirello-io/dynamolock/pull/279"},
		Checks: []Check{
			{
				Shows: "a failure that is only logged", Property: checks.MutualExclusion(),
				Before: untold{}, After: untold{Fixed: true},
				World: world(2, 0, faults.Disconnect(1, 10*time.Second)), Faults: 1, Steps: 12,
			},
		},
	})
}

// untold works in five parts of two seconds, and renews a lease of six seconds after each.
type untold struct{ Fixed bool }

func (p untold) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	valid := c.Deadline(3 * time.Second) // the lease, less one part and some slack
	if ok, err := c.Store.SetNX("lease", token, 6*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lease")
	for part := 0; part < 5; part++ {
		if p.Fixed && valid.Passed() {
			break
		}
		c.Sleep(2 * time.Second)
		renewed := c.Deadline(3 * time.Second)
		owner, err := c.Store.ExpireIfEqual("lease", token, 6*time.Second)
		if err == nil && owner != protocol.Mine {
			break
		}
		if err == nil {
			valid = renewed
		}
	}
	c.Releasing("lease")
	c.Store.DelIfEqual("lease", token)
	return protocol.Empty()
}
