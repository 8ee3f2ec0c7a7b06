package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-22", Rank: 33, Kind: Clock,
		Title: "The clock of the store steps forward",
		Lesson: `The store keeps the end of a TTL as a time of its wall clock. Somebody, or NTP, steps that
clock forward, and locks end at once that should have lived for long: the next request gets
the lock while the first one works. Clocks of stores must be slewed and not stepped; a step
that is shorter than what is left of the lock after the longest work does no harm.`,
		Sources: []string{
			"https://github.com/valkey-io/valkey/issues/2651",
			"https://github.com/redis/redis/issues/416",
			"https://github.com/redis/redis-doc/pull/2106",
		},
		Checks: []Check{
			{
				Shows: "a step of an hour, and one of 15 s", Property: checks.MutualExclusion(),
				Before: shortWork{}, After: shortWork{},
				World: world(2, 0, faults.StoreClockForward(1, time.Hour)), Faults: 1, Steps: 3,
				Repaired: world(2, 0, faults.StoreClockForward(1, 15*time.Second)),
			},
		},
	})
}

// shortWork holds a lock of 30 s for 10 s at most.
type shortWork struct{}

func (shortWork) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 30*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Max: 10 * time.Second})
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
