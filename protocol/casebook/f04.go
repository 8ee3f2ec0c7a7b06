package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "F-04", Rank: 11, Kind: Fencing,
		Title: "Evicted entry takes its version along",
		Lesson: `The cache accepts only what is newer than what it has. A reader has read before
an update, the update stores its version, and the cache evicts it: now there is nothing to
compare with, the old value is accepted, and stays. A reader must get a ticket before it reads
the source, every writer must void all tickets, and what no valid ticket comes with must not be
stored. A ticket that is evicted is void.`,
		Sources: []string{"https://github.com/MystenLabs/sui/pull/20450", "https://github.com/MystenLabs/sui/pull/27317", "https://github.com/MystenLabs/sui/pull/20236"},
		Checks: []Check{
			{
				Shows: "nothing to compare with", Property: checks.Convergent(),
				Before: versioned{}, After: versioned{Fixed: true},
				World: world(1, 1, faults.Evict(1)), Faults: 1, Steps: 7,
			},
		},
	})
}

// versioned stores what is newer, or what comes with a ticket.
type versioned struct{ Fixed bool }

func (p versioned) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	ticket := c.NewToken()
	if p.Fixed {
		if err := c.Cache.Set("ticket", ticket, protocol.PX(10*time.Second)); err != nil {
			return protocol.Failed()
		}
	}
	v, err := c.Rebuild(quick)
	if err != nil {
		return protocol.Failed()
	}
	if p.Fixed {
		protocol.Atomic(c.Cache, ticketed{v, ticket}, storeWithTicket)
	} else {
		protocol.Atomic(c.Cache, v, storeNewer)
	}
	return protocol.Fresh(v)
}

func (p versioned) Update(c *protocol.Client) {
	v, err := c.Source.Update()
	switch {
	case err != nil:
	case p.Fixed:
		protocol.Atomic(c.Cache, v, storeAndVoid)
	default:
		protocol.Atomic(c.Cache, v, storeNewer)
	}
}

type ticketed struct {
	Value  protocol.Value
	Ticket protocol.Token
}

func storeWithTicket(v *protocol.View, t ticketed) bool {
	if ticket, ok := v.Get("ticket"); !ok || ticket != t.Ticket {
		return false
	}
	v.Del("ticket")
	return storeNewer(v, t.Value)
}

func storeAndVoid(v *protocol.View, value protocol.Value) bool {
	v.Del("ticket")
	return storeNewer(v, value)
}
