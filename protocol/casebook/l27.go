package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-27", Rank: 72, Kind: Waiting,
		Title: "The local mutex stays locked when the remote lock is lost",
		Lesson: `A lock of a fleet has a mutex in front of it, so that a process asks the store once.
Unlocking releases the remote part first; where that has expired, or the store answers with
an error, it returns before it comes to the mutex. Other processes notice nothing, and this
one never gets the lock again until it is restarted. The local part is released whatever
becomes of the remote one, in a deferred call, and the loss is reported then.`,
		Sources: []string{
			"https://github.com/spring-projects/spring-integration/issues/1888", "https://github.com/spring-projects/spring-integration/pull/1890",
			"https://github.com/spring-projects/spring-integration/pull/2661",
		},
		Checks: []Check{
			{
				Shows: "the lock has expired", Property: checks.Answered(),
				Before: twoLayers{}, After: twoLayers{Fixed: true},
				World: world(1, 0).requests(2), Steps: 3,
			},
			{
				Shows: "the store answers with an error", Property: checks.Answered(),
				Before: twoLayers{Work: time.Second}, After: twoLayers{Work: time.Second, Fixed: true},
				World: world(1, 0, faults.StoreError(1)).requests(2), Faults: 1, Steps: 4,
			},
		},
	})
}

type twoLayers struct {
	Work  time.Duration `default:"8s"`
	Fixed bool
}

func (p twoLayers) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	c.Memory.Lock("local")
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		c.Memory.Unlock("local")
		return protocol.Failed()
	}
	c.Acquired("lock")
	c.SleepBetween(time.Second, p.Work)
	c.Releasing("lock")
	if !p.unlock(c, token) {
		return protocol.Failed()
	}
	return protocol.Empty()
}

// unlock reports whether the lock was still there.
func (p twoLayers) unlock(c *protocol.Client, token protocol.Token) bool {
	if p.Fixed {
		defer c.Memory.Unlock("local")
	}
	if got, err := c.Store.DelIfEqual("lock", token); err != nil || got != protocol.Mine {
		return false
	}
	if !p.Fixed {
		c.Memory.Unlock("local")
	}
	return true
}
