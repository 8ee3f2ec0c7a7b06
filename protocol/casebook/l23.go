package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-23", Rank: 101, Kind: Clock,
		Title: "The clock of the store stands still",
		Lesson: `The time source of a server always says the same, so no TTL ever ends, while commands are
answered as usual. A holder crashes, and whoever waits for its lock waits for ever. A TTL is
a promise of the store and can fail: those who wait must bound their wait by a clock of
their own, and say that they have given up.`,
		Sources: []string{
			"https://github.com/valkey-io/valkey/issues/4345",
		},
		Checks: []Check{
			{
				Shows: "waiting for a TTL", Property: checks.Answered(),
				Before: waitsForTTL{}, After: waitsForTTL{Bounded: true},
				World: world(2, 0, faults.Crash(1), faults.StoreClockFreeze(1)), Faults: 2, Steps: 4,
			},
		},
	})
}

// waitsForTTL tries again until it gets the lock, or for 20 s.
type waitsForTTL struct{ Bounded bool }

func (p waitsForTTL) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	for tries := 0; ; tries++ {
		ok, err := c.Store.SetNX("lock", token, 10*time.Second)
		if err == nil && ok {
			break
		}
		if p.Bounded && tries == 4 {
			return protocol.Failed()
		}
		if c.Sleep(5 * time.Second); !p.Bounded {
			return protocol.Again()
		}
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Max: time.Second})
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
