package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-14", Rank: 18, Kind: BasicLock,
		Title: "Two owners have the same name",
		Lesson: `An owner calls itself by its process number, its host or a constant, and renews
the record if that name is in it. In a container every process is number one: a second owner
reads the first one's record, takes it for its own and works, too, and neither ever sees a
loss. The name must be drawn at random whenever a process starts.`,
		Sources: []string{"https://github.com/kubernetes/kubernetes/issues/61151", "https://github.com/kubernetes-csi/external-provisioner/pull/690", "https://github.com/garrytan/gbrain/issues/2840"},
		Checks: []Check{
			{
				Shows: "process number one on both", Property: checks.MutualExclusion(),
				Before: named{}, After: named{Fixed: true},
				World: world(2, 0), Steps: 4,
			},
		},
	})
}

// named takes a lock, or goes on with one that carries its name.
type named struct{ Fixed bool }

func (p named) Handle(c *protocol.Client) protocol.Answer {
	name := c.Memory.Incr("processes") // each node counts from one
	if p.Fixed {
		name = c.NewToken()
	}
	if ok, err := protocol.Atomic(c.Store, name, takeOrRenew); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.SleepBetween(time.Second, 2*time.Second)
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", name)
	return protocol.Empty()
}

func takeOrRenew(v *protocol.View, name protocol.Value) bool {
	if v.SetNX("lock", name, 10*time.Second) {
		return true
	}
	holder, ok := v.Get("lock")
	return ok && holder == name && v.PExpire("lock", 10*time.Second)
}
