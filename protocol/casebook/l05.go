package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-05", Rank: 26, Kind: BasicLock,
		Title: "Marker of work in progress never expires",
		Lesson: `Who rebuilds a value leaves a marker, so that the others wait. The marker has no
expiry, its owner is killed, and all others wait until an operator deletes it by hand. Every
marker needs a lease; and since that is how long they wait if its owner is killed, it should
not be much longer than the work.`,
		Sources: []string{"https://github.com/sebleier/django-redis-cache/issues/128", "https://github.com/bbangert/beaker/pull/163", "https://github.com/learningequality/kolibri/issues/7463"},
		Checks: []Check{
			{
				Shows: "the owner is killed", Property: checks.Answered(),
				Before: inProgress{}, After: inProgress{TTL: 5 * time.Second},
				World: world(2, 0, faults.Crash(1)), Faults: 1, Steps: 4,
			},
			{
				Shows: "a lease much longer than the work", Property: checks.AnsweredWithin(7 * time.Second),
				Before: inProgress{TTL: 6 * time.Second}, After: inProgress{TTL: 3 * time.Second},
				World: world(2, 0, faults.Crash(1)).at(0), Faults: 1, Steps: 25,
			},
		},
	})
}

// inProgress waits while another request rebuilds.
type inProgress struct{ TTL time.Duration }

func (p inProgress) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	if ok, err := c.Store.SetNX("rebuilding", token, p.TTL); err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	v, err := c.Rebuild(quick)
	if err == nil {
		c.Cache.Set("feed", v)
	}
	c.Store.DelIfEqual("rebuilding", token)
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}
