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
		Title: "A version that eviction forgets",
		Lesson: `A cache accepts a value only if it is newer than the one that is there. A reader has loaded
an old value and is slow; the writer stores the new one, the cache evicts it, and with it
the version that the old one would have been compared with. What was evicted must not be
needed: the reader takes a ticket before it reads, every writer voids it, and a value is
stored only with a ticket that is there.`,
		Sources: []string{
			"https://github.com/MystenLabs/sui/pull/20450",
			"https://github.com/MystenLabs/sui/pull/27317",
			"https://github.com/MystenLabs/sui/pull/20236",
		},
		Checks: []Check{
			{
				Shows: "an older value after an eviction", Property: checks.NoStaleOverwrite(),
				Before: evictedVersion{}, After: evictedVersion{Tickets: true},
				World: world(1, 1, faults.Evict(1)), Faults: 1, Steps: 8,
			},
		},
	})
}

// evictedVersion fills a cache with what is newer, or with what it has a ticket for. The writer
// stores its value, too, and voids the tickets.
type evictedVersion struct{ Tickets bool }

type ticketed struct {
	Ticket protocol.Token
	Value  protocol.Value
}

func (p evictedVersion) Handle(c *protocol.Client) protocol.Answer {
	ticket := c.NewToken()
	if err := c.Cache.Set("ticket", ticket); p.Tickets && err != nil {
		return protocol.Failed()
	}
	v, err := c.Rebuild(protocol.Range{Max: time.Second})
	switch {
	case err != nil:
		return protocol.Failed()
	case p.Tickets:
		protocol.Atomic(c.Cache, ticketed{ticket, v}, storeWithTicket)
	default:
		protocol.Atomic(c.Cache, v, storeNewerObject)
	}
	return protocol.Fresh(v)
}

func (p evictedVersion) Update(c *protocol.Client) {
	v, err := c.Source.Update()
	if err != nil {
		return
	}
	c.Cache.Del("ticket")
	protocol.Atomic(c.Cache, v, storeNewerObject)
}

func storeNewerObject(v *protocol.View, value protocol.Value) bool {
	if cached, ok := v.Get("object"); ok && !protocol.Older(cached, value) {
		return false
	}
	v.Set("object", value)
	return true
}

func storeWithTicket(v *protocol.View, t ticketed) bool {
	if ticket, ok := v.Get("ticket"); !ok || ticket != t.Ticket {
		return false
	}
	v.Del("ticket")
	v.Set("object", t.Value)
	return true
}
