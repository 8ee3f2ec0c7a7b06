package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-14", Rank: 18, Kind: BasicLock,
		Title: "An owner that is not unique",
		Lesson: `The owner of a lock is named after its host, its process number or a constant, and in
containers these are the same for all. The second one finds its own name in the lock,
concludes that it holds it already, and works along. Each process start, or better each
acquisition, needs a value that is its own.`,
		Sources: []string{
			"https://github.com/kubernetes/kubernetes/issues/61151",
			"https://github.com/kubernetes-csi/external-provisioner/pull/690",
			"https://github.com/garrytan/gbrain/issues/2840",
		},
		Checks: []Check{
			{
				Shows: "two of the same name", Property: checks.MutualExclusion(),
				Before: sameName{}, After: sameName{Fixed: true},
				World: world(2, 0), Steps: 6,
			},
		},
	})
}

// sameName takes a lock in its name, and believes to hold one that bears it. The name is
// something that all have in common: here the version of the source.
type sameName struct{ Fixed bool }

func (p sameName) Handle(c *protocol.Client) protocol.Answer {
	name, err := c.Source.Read()
	if err != nil {
		return protocol.Failed()
	}
	if p.Fixed {
		name = c.NewToken()
	}
	ok, err := c.Store.SetNX("lock", name, 10*time.Second)
	if err != nil {
		return protocol.Failed()
	}
	if holder, there, err := c.Store.Get("lock"); !ok && (err != nil || !there || holder != name) {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Max: time.Second})
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", name)
	return protocol.Empty()
}
