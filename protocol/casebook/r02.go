package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	paused := faults.Pause(1, 25*time.Second)
	add(Case{
		ID: "R-02", Rank: 35, Kind: QuorumLock,
		Title: "A pause before or after the look at the clock",
		Lesson: `A client that is paused while the replies of the stores wait for it finds a majority
that has expired meanwhile. It must therefore note the time before it asks, and look at the
clock after the last reply: then it notices. But a pause right after that look goes
unnoticed, and two work under the lock. No check by the client comes late enough; only the
place where the result is written can refuse what is old.`,
		Sources: []string{
			"https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
			"http://antirez.com/news/101",
		},
		Checks: []Check{
			{
				Shows: "a pause before the look", Property: majorityWhenAcquired(3),
				Before: pausedQuorum{}, After: pausedQuorum{Looks: true},
				World: world(1, 0, paused), Faults: 1, Steps: 6,
			},
			{
				Shows: "a pause after the look", Property: checks.NoStaleOverwrite(),
				Before: pausedQuorum{Looks: true}, After: pausedQuorum{Looks: true, Compares: true},
				World: world(2, 1, paused).latency(0), Faults: 1, Steps: 19,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// pausedQuorum takes a lock that two of three stores grant, content with the first two.
type pausedQuorum struct{ Looks, Compares bool }

func (p pausedQuorum) Handle(c *protocol.Client) protocol.Answer {
	const ttl = 20 * time.Second
	token := c.NewToken()
	valid := c.Deadline(ttl - time.Second)
	granted := 0
	stores := c.Stores(3)
	for _, s := range stores {
		if ok, err := s.SetNX("lock", token, ttl); err == nil && ok {
			granted++
		}
		if granted == 2 {
			break
		}
	}
	if granted == 2 && !(p.Looks && valid.Passed()) {
		c.Acquired("lock")
		p.work(c)
		c.Releasing("lock")
	}
	for _, s := range stores {
		s.DelIfEqual("lock", token)
	}
	return protocol.Empty()
}

func (p pausedQuorum) work(c *protocol.Client) {
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 5 * time.Second})
	switch {
	case err != nil:
	case p.Compares:
		protocol.Atomic(c.Cache, v, pausedStore)
	default:
		c.Cache.Set("feed", v)
	}
}

// pausedStore stores a value that is not older than that which is there.
func pausedStore(v *protocol.View, value protocol.Value) bool {
	if there, ok := v.Get("feed"); ok && protocol.Older(value, there) {
		return false
	}
	v.Set("feed", value)
	return true
}
