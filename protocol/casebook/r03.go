package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	wiped := only{faults.Wipe(1), firstStore}
	add(Case{
		ID: "R-03", Rank: 36, Kind: QuorumLock,
		Title: "A store of the quorum forgets what it granted",
		Lesson: `Two majorities share a store, and the lock is safe as long as that remembers. If it is
restarted without its memory it grants the lock again, and a second client has a majority,
too. Writes must be durable before they are answered. Or a store that comes up empty must
stay away for as long as the longest lock lives, until whatever it forgot is over: which
itself counts on the clock.`,
		Sources: []string{
			"https://redis.io/docs/latest/develop/use/patterns/distributed-locks/",
			"https://github.com/go-redsync/redsync/pull/147",
		},
		Checks: []Check{
			{
				Shows: "durable writes", Property: checks.MutualExclusion(),
				Before: forgetful{}, After: forgetful{},
				World: world(2, 0, wiped).latency(0), Repaired: world(2, 0).latency(0), Faults: 1, Steps: 6,
			},
			{
				Shows: "an empty store stays away", Property: checks.MutualExclusion(),
				Before: forgetful{Away: time.Second}, After: forgetful{Away: 10 * time.Second},
				World: world(2, 0, wiped).latency(0), Faults: 1, Steps: 8,
			},
		},
	})
}

// forgetful takes a lock that two of three stores grant for ten seconds. The first store
// may come up empty; it grants nothing until it has been up for Away. Who is refused then
// asks once more.
type forgetful struct{ Away time.Duration }

// Boot has the store note since when it is up.
func (p forgetful) Boot(c *protocol.Client) {
	if p.Away > 0 {
		protocol.Atomic(c.Stores(3)[0], forgetfulGrant{c.NewToken(), p.Away}, forgetfulUp)
	}
}

func (p forgetful) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	stores := c.Stores(3)
	got := p.ask(stores, token)
	if !got && p.Away > 0 {
		c.Sleep(2 * time.Second)
		got = p.ask(stores, token)
	}
	if got {
		c.Acquired("lock")
		c.SleepBetween(time.Second, 5*time.Second)
		c.Releasing("lock")
	}
	for _, s := range stores {
		s.DelIfEqual("lock", token)
	}
	return protocol.Empty()
}

// ask reports whether two stores have granted the lock; what fewer grant it gives back.
func (p forgetful) ask(stores []*protocol.Store, token protocol.Token) bool {
	granted := 0
	for i, s := range stores {
		grant := forgetfulGrant{Token: token}
		if i == 0 {
			grant.Away = p.Away
		}
		if ok, err := protocol.Atomic(s, grant, forgetfulGranted); err == nil && ok {
			granted++
		}
		if granted == 2 {
			return true
		}
	}
	for _, s := range stores {
		s.DelIfEqual("lock", token)
	}
	return false
}

type forgetfulGrant struct {
	Token protocol.Token
	Away  time.Duration
}

// forgetfulUp reports whether the store has been up for long enough. What it notes of that
// is lost with the rest.
func forgetfulUp(v *protocol.View, g forgetfulGrant) bool {
	return !v.SetNX("up", g.Token, 0, protocol.AtNow(g.Away)) && v.OlderThan("up", g.Away)
}

func forgetfulGranted(v *protocol.View, g forgetfulGrant) bool {
	if g.Away > 0 && !forgetfulUp(v, g) {
		return false
	}
	return v.SetNX("lock", g.Token, 10*time.Second)
}
