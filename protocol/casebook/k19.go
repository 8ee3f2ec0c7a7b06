package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-19", Rank: 94, Kind: Operator,
		Title: "An operator unlocks while the holder lives",
		Lesson: `A lock without a TTL looks stuck, and an operator removes it. The holder was only slow:
another takes the lock, and both write. Removing by the id of the lock protects the next
holder, not the data. Each acquisition must get a higher number, and the resource refuse a
write with a lower one than it knows.`,
		Sources: []string{
			"https://github.com/hashicorp/terraform/issues/14513",
			"https://github.com/hashicorp/terraform/issues/19296",
			"https://github.com/madelson/DistributedLock/issues/253",
		},
		Checks: []Check{
			{
				Shows: "two writers", Property: checks.NoStaleOverwrite(),
				Before: stuckLooking{}, After: stuckLooking{Fixed: true},
				World: world(2, 1, faults.OperatorDelete(1)), Faults: 1, Steps: 12, Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// stuckLooking holds a lock without a TTL for a long time and then writes.
type stuckLooking struct{ Fixed bool }

func (p stuckLooking) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 0); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	generation, err := c.Store.Incr("generation")
	if err == nil && p.Fixed {
		// The resource knows of the new holder before that reads.
		_, err = c.Cache.Announce("state", generation)
	}
	if err != nil {
		return protocol.Failed()
	}
	if v, err := c.Rebuild(protocol.Range{Max: time.Minute}); err == nil && p.Fixed {
		c.Cache.SetFenced("state", v, generation)
	} else if err == nil {
		c.Cache.Set("state", v)
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
