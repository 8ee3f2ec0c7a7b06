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
		Lesson: `A lifetime ends only if the clock that measures it runs. A store whose time source is
broken still answers every command, but nothing in it expires: the lock of a holder that is
gone stays, and whoever waits for the lifetime to free it waits for ever. The store must
check its clock. And who waits must have a limit of his own, by his own clock, after which
he gives up with an error that somebody sees.`,
		Sources: []string{"https://github.com/valkey-io/valkey/issues/4345"},
		Checks: []Check{
			{
				Shows: "a wait with a limit of its own", Property: checks.Answered(),
				Before: frozenWait{}, After: frozenWait{Tries: 3},
				World: world(2, 0, faults.Crash(1), only{faults.StoreClockFreeze(1), lockStore}), Faults: 2, Steps: 4,
			},
			{
				Shows: "a clock that runs", Property: checks.AnsweredWithin(15 * time.Second),
				Before: frozenWait{}, After: frozenWait{},
				World:    world(2, 0, faults.Crash(1), only{faults.StoreClockFreeze(1), lockStore}).latency(0),
				Repaired: world(2, 0, faults.Crash(1)).latency(0), Faults: 2, Steps: 11,
			},
		},
	})
}

// frozenWait tries every few seconds to get a lock: for ever, or so many times.
type frozenWait struct{ Tries int }

func (p frozenWait) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	for try := 1; ; try++ {
		ok, err := c.Store.SetNX("lock", token, 10*time.Second)
		if err == nil && ok {
			break
		}
		if try == p.Tries {
			return protocol.Failed()
		}
		c.Sleep(4 * time.Second)
		if p.Tries == 0 {
			return protocol.Again()
		}
	}
	c.Acquired("lock")
	c.Sleep(2 * time.Second)
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
