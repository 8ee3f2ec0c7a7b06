package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "N-02", Rank: 114, Kind: NegativeControl,
		Title: "Who joins a load is said to lose it when the entry is removed",
		Lesson: `A caller finds a load in the table, lets go of the table, and waits. The report fears that
in between the load ends and removes its entry, so that there is nothing left to wait for.
There is: the caller has a reference to the load, not to the entry, and a load that is over
lets nobody wait. Every caller gets the result. It would be lost to one that let go of the
table and then looked under the key again.`,
		Sources: []string{"https://github.com/golang/groupcache/issues/101"},
		Checks: []Check{
			{
				Shows: "removed before the wait", Property: checks.Answered(),
				Before: joinedLate{ByKey: true}, After: joinedLate{},
				World: world(1, 0).requests(2), Steps: 14,
			},
		},
	})
}

// joinedLate has a table under a mutex and loads that tell those who wait when they are
// over. Whoever refers to one by key, not by reference, looks for it after it has let go
// of the table.
type joinedLate struct{ ByKey bool }

func (p joinedLate) Handle(c *protocol.Client) protocol.Answer {
	c.Memory.Lock("table")
	over := c.Memory.Watch("over")
	leads := c.Memory.SetNX("loading", c.NewToken())
	c.Memory.Unlock("table")
	if leads {
		return p.load(c)
	}
	if p.ByKey {
		over = c.Memory.Watch("over")
	}
	if err := over.Wait(); err != nil {
		return protocol.Failed()
	}
	if v, ok := c.Memory.Get("result"); ok {
		return protocol.Fresh(v)
	}
	return protocol.Failed()
}

func (p joinedLate) load(c *protocol.Client) protocol.Answer {
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	c.Memory.Lock("table")
	defer c.Memory.Unlock("table")
	c.Memory.Del("loading")
	if err == nil {
		c.Memory.Set("result", v)
	}
	c.Memory.Incr("over")
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}
