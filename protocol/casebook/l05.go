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
		Title: "A lock or a marker without any expiry",
		Lesson: `A lock, or a mark that says that a value is being computed, has no expiry at all. Whoever
set it is killed by the system or by a deployment, and all others wait, or get nothing,
until somebody deletes it by hand. Every lock needs a lease, and who waits should have a
bound of its own and serve the old value meanwhile.`,
		Sources: []string{
			"https://github.com/sebleier/django-redis-cache/issues/128",
			"https://github.com/bbangert/beaker/pull/163",
			"https://github.com/learningequality/kolibri/issues/7463",
		},
		Checks: []Check{
			{
				Shows: "killed while it computes", Property: checks.Answered(),
				Before: marker{}, After: marker{Lease: 30 * time.Second},
				World: world(2, 0, faults.Crash(1)), Faults: 1, Steps: 4,
			},
			{
				Shows: "a deployment that restarts it", Property: checks.Answered(),
				Before: marker{}, After: marker{Lease: 30 * time.Second},
				World: world(1, 0, faults.Restart(1, protocol.Range{Min: time.Second, Max: 5 * time.Second})).requests(2), Faults: 1, Steps: 5,
			},
		},
	})
}

// marker marks a value as being computed; others wait for it.
type marker struct{ Lease time.Duration }

func (p marker) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("page"); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	ok, err := c.Store.SetNX("computing", token, p.Lease)
	if err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	v, err := c.Rebuild(protocol.Range{Max: 10 * time.Second})
	if err == nil {
		c.Cache.Set("page", v)
	}
	c.Store.DelIfEqual("computing", token)
	return protocol.Fresh(v)
}
