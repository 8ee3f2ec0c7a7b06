package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "F-02", Rank: 28, Kind: Fencing,
		Title: "Random id is used as a fencing token",
		Lesson: `The lock carries a random id, and the holder sends it along with what it writes.
Whether an id is newer than another nobody can tell: a resource that trusts the last
one it has seen accepts a holder that was paused and comes late with what it read long ago. A
counter must be raised in the step that takes the lock, so that the resource can compare; or
the id must be shown before the read, and a write be accepted only if no other came since.`,
		Sources: []string{"https://github.com/awslabs/amazon-dynamodb-lock-client/issues/1", "https://github.com/awslabs/amazon-dynamodb-lock-client/issues/62"},
		Differs: `That no policy of the resource can work with random ids is too much: one that
is told the id before the holder reads, and then accepts writes with the last id only, keeps
what is newer. The search finds nothing against it with one pause and two holders.`,
		Checks: []Check{
			{
				Shows: "the last one seen wins", Property: checks.NoStaleOverwrite(),
				Before: randomFence{}, After: guarded{Guard: "read and write"},
				World: world(2, 1, faults.Pause(1, 12*time.Second)), Faults: 1, Steps: 12,
				Unrepaired: checks.MutualExclusion(),
			},
			{
				Shows: "shown before the read", Property: checks.NoStaleOverwrite(),
				Before: randomFence{}, After: randomFence{Early: true},
				World: world(2, 1, faults.Pause(1, 12*time.Second)), Faults: 1, Steps: 12,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// randomFence shows the id of its lock to a resource that takes the last one it has seen to
// be the newest. After the repair it is the protocol of F-01.
type randomFence struct{ Early bool }

func (p randomFence) Handle(c *protocol.Client) protocol.Answer {
	id := c.NewToken()
	if ok, err := c.Store.SetNX("lock", id, 10*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired("lock")
	if p.Early {
		if err := c.Cache.Set("feed:id", id); err != nil {
			return protocol.Failed()
		}
	}
	v, err := c.Rebuild(quick)
	if err != nil {
		return protocol.Failed()
	}
	protocol.Atomic(c.Cache, shown{v, id, p.Early}, trustLast)
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", id)
	return protocol.Fresh(v)
}

type shown struct {
	Value protocol.Value
	ID    protocol.Token
	Early bool
}

func trustLast(v *protocol.View, s shown) bool {
	if last, ok := v.Get("feed:id"); s.Early && (!ok || last != s.ID) {
		return false
	}
	v.Set("feed:id", s.ID)
	v.Set("feed", s.Value)
	return true
}
