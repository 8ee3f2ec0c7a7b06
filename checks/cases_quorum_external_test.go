package checks_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func TestReportedWaysInWhichQuorumLocksBreakAndTheirFixes(t *testing.T) {
	step := faults.StoreClockForward(1, 30*time.Second)
	runAll(t, []reported{
		{
			id: "R-01", lesson: "the clock of one store steps forward",
			property: checks.MutualExclusion(),
			before:   quorum{Stores: 3, Need: 2}, after: quorum{Stores: 3, Need: 2},
			scenario: inWorld(2, 0, step), faults: 1, steps: 11,
			repaired: inWorld(2, 0),
		},
		{
			id: "R-01", lesson: "who is content with a majority",
			property: checks.MutualExclusion(),
			before:   quorum{Stores: 3, Need: 2, Enough: true}, after: quorum{Stores: 3, Need: 3},
			scenario: inWorld(2, 0, step), faults: 1, steps: 10,
		},
		{
			id: "R-01", lesson: "a fence where the effect is",
			property: checks.NoStaleOverwrite(),
			before:   quorum{Stores: 3, Need: 2, Enough: true, Writes: "as it is"}, after: quorum{Stores: 3, Need: 2, Enough: true, Writes: "newer"},
			scenario: inWorld(2, 1, step), faults: 1, steps: 17,
			unrepaired: checks.MutualExclusion(),
		},
	})
}

// quorum is case R-01: a lock that a majority of independent stores grants. The clock of
// one of them steps forward, the lock expires there, and another gets a majority with
// it. The clocks must not step, or more stores must grant the lock than a majority, or
// what is written must be compared where it is written.
type quorum struct {
	Stores, Need int
	// Enough: it asks no more stores when it has got as many as it needs.
	Enough bool
	// Writes is what it does with the lock: nothing, or a write of what it has read.
	Writes string
}

func (p quorum) Handle(c *protocol.Client) protocol.Answer {
	const ttl = 20 * time.Second
	token := c.NewToken()
	valid := c.Deadline(ttl - time.Second)
	granted := 0
	stores := c.Stores(p.Stores)
	for _, s := range stores {
		if ok, err := s.SetNX(lock, token, ttl); err == nil && ok {
			granted++
		}
		if p.Enough && granted == p.Need {
			break
		}
	}
	if granted >= p.Need && !valid.Passed() {
		c.Acquired(lock)
		p.work(c)
		c.Releasing(lock)
	}
	for _, s := range stores {
		s.DelIfEqual(lock, token)
	}
	return protocol.Empty()
}

func (p quorum) work(c *protocol.Client) {
	v, err := c.Rebuild(quick)
	switch {
	case err != nil:
	case p.Writes == "as it is":
		c.Cache.Set(feed, v)
	case p.Writes == "newer":
		protocol.Atomic(c.Cache, v, storeNewer)
	}
}
