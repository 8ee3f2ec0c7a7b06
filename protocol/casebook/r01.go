package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	step := faults.StoreClockForward(1, 30*time.Second)
	add(Case{
		ID: "R-01", Rank: 34, Kind: QuorumLock,
		Title: "The clock of one store jumps",
		Lesson: `A lock is granted by a majority of independent stores. The clock of one of them jumps
forward, its copy of the lock ends early, and a second client gets a majority while the
first still believes in its own. Clocks must not jump, or the resource must compare a number
that grows with each holder.`,
		Sources: []string{"https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html"},
		Checks: []Check{
			{
				Shows:    "the clock of one store steps forward",
				Property: checks.MutualExclusion(),
				Before:   quorum{Stores: 3, Need: 2},
				After:    quorum{Stores: 3, Need: 2},
				World:    world(2, 0, step),
				Faults:   1,
				Steps:    11,
				Repaired: world(2, 0),
			},
			{
				Shows:    "who is content with a majority",
				Property: checks.MutualExclusion(),
				Before:   quorum{Stores: 3, Need: 2, Enough: true},
				After:    quorum{Stores: 3, Need: 3},
				World:    world(2, 0, step),
				Faults:   1,
				Steps:    10,
			},
			{
				Shows:      "a fence where the effect is",
				Property:   checks.NoStaleOverwrite(),
				Before:     quorum{Stores: 3, Need: 2, Enough: true, Writes: "as it is"},
				After:      quorum{Stores: 3, Need: 2, Enough: true, Writes: "newer"},
				World:      world(2, 1, step),
				Faults:     1,
				Steps:      17,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

func storeNewer(v *protocol.View, value protocol.Value) bool {
	if stored, ok := v.Get(feed); ok && protocol.Older(value, stored) {
		return false
	}
	v.Set(feed, value)
	return true
}

// quorum: a lock that a majority of independent stores grants. The clock of
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
