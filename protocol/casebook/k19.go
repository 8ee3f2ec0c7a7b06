package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	deleted := only{faults.OperatorDelete(1), lockStore}
	add(Case{
		ID: "K-19", Rank: 94, Kind: Operator,
		Title: "An operator removes the lock of a holder that is alive",
		Lesson: `A lock without a lifetime looks stuck when a run takes long, and somebody deletes it by
hand. The holder does not learn of it, works on beside the next one, and overwrites what
that has written. Its release, if it does not compare, then deletes the lock of the other,
too. Who takes the lock must get a higher number each time and announce it to the state,
which then refuses lower ones; and a release must name what it releases. That two believe
they hold the lock, no check can undo.`,
		Differs: `The report lets the state compare the number when it is written. The checker
finds that this is not enough: the removed holder, with the lower number, may read late and
write first, and the next one, which read before, then writes what is older with the higher
number. The checker is right; the number must be announced before the read.`,
		Sources: []string{
			"https://github.com/hashicorp/terraform/issues/14513",
			"https://github.com/hashicorp/terraform/issues/19296",
			"https://github.com/madelson/DistributedLock/issues/253",
		},
		Checks: []Check{
			{
				Shows: "a number that the state compares", Property: checks.NoStaleOverwrite(),
				Before: forced{}, After: forced{Numbered: true, Announces: true},
				World: world(2, 1, deleted), Faults: 1, Steps: 10,
				Unrepaired: checks.MutualExclusion(),
			},
			{
				Shows: "a number that is compared too late", Property: checks.NoStaleOverwrite(),
				Before: forced{Numbered: true}, After: forced{Numbered: true, Announces: true},
				World: world(2, 1, deleted), Faults: 1, Steps: 10,
			},
			{
				Shows: "a release that compares", Property: checks.NoForeignRelease(),
				Before: forced{}, After: forced{Compares: true},
				World: world(2, 0, deleted), Faults: 1, Steps: 7,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// forced writes state under a lock that nothing but a delete ends.
type forced struct{ Numbered, Announces, Compares bool }

func (p forced) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	number, err := protocol.Atomic(c.Store, token, forcedTake)
	if err != nil || number == (protocol.Value{}) {
		return protocol.Empty()
	}
	c.Acquired("lock")
	p.write(c, number)
	c.Releasing("lock")
	if p.Compares {
		c.Store.DelIfEqual("lock", token)
	} else {
		c.Store.Del("lock")
	}
	return protocol.Empty()
}

func (p forced) write(c *protocol.Client, number protocol.Value) {
	if p.Announces {
		if ok, err := c.Cache.Announce("state", number); err != nil || !ok {
			return
		}
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 5 * time.Second})
	switch {
	case err != nil:
	case p.Numbered:
		c.Cache.SetFenced("state", v, number)
	default:
		c.Cache.Set("state", v)
	}
}

// forcedTake takes the lock and returns its number, or nothing if another has it.
func forcedTake(v *protocol.View, token protocol.Token) protocol.Value {
	if !v.SetNX("lock", token, 0) {
		return protocol.Value{}
	}
	return v.Incr("number")
}
