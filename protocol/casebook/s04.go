package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "S-04", Rank: 38, Kind: SingleFlight,
		Title: "What is forgotten removes the entry of its successor",
		Lesson: `A load is in flight when its entry is removed from the table, so that the next caller
does not get what is out of date: it starts a second load under the same key. The first one
ends and, as every load does, removes the entry under its key, which is the second one's by
now. A third caller finds the table empty and loads what is under way. Who cleans up must
compare the entry with its own before it removes it, as with a lock.`,
		Sources: []string{
			"https://github.com/golang/go/issues/31420", "https://github.com/janos/singleflight/pull/14",
			"https://github.com/catatsuy/cache/pull/37",
		},
		Checks: []Check{
			{
				Shows: "a third load", Property: checks.RebuildBound(2),
				Before: forgotten{}, After: forgotten{Fixed: true},
				World: world(1, 0).requests(3).at(2500 * time.Millisecond), Steps: 11,
			},
		},
	})
}

// forgotten has a table of loads in flight whose entry is forgotten once, a second after
// the start. All callers come before a load that began then can be over, so that two
// loads are enough.
type forgotten struct{ Fixed bool }

func (p forgotten) Boot(c *protocol.Client) {
	protocol.Go(c, func(c *protocol.Client) bool {
		if c.Sleep(time.Second) != nil {
			return false
		}
		c.Forget("feed")
		return true
	})
}

func (p forgotten) Handle(c *protocol.Client) protocol.Answer {
	mine := false
	v, err, _ := c.Do("feed", func() (protocol.Value, error) {
		mine = true
		return c.Rebuild(protocol.Range{Min: 2 * time.Second, Max: 2 * time.Second})
	})
	if mine && !p.Fixed {
		c.Forget("feed") // whatever is in flight under the key by now
	}
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}
