package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-05", Rank: 59, Kind: ConsensusLock,
		Title: "A deposed leader revokes leases",
		Lesson: `The leader of a consensus store counts leases down in its memory. It stalls, another is
elected, and clients renew there. The old one wakes, has seen no renewal, and proposes to
revoke every lease, which the others accept: live clients lose their locks. What a leader
proposes must carry its term and be refused once there is a later one.`,
		Sources: []string{
			"https://github.com/etcd-io/etcd/issues/15247",
			"https://github.com/etcd-io/etcd/issues/16432",
		},
		Checks: []Check{
			{
				Shows: "a renewed lock is revoked", Property: checks.MutualExclusion(),
				Before: deposed{}, After: deposed{Terms: true},
				World: world(2, 0), Steps: 7,
			},
		},
	})
}

// deposed holds a lock of 10 s for 15 s and renews it, at a new leader, after 8 s. The old leader
// is the job: it has seen the lock, and revokes it when its own countdown is over.
type deposed struct{ Terms bool }

func (p deposed) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Max: 8 * time.Second})
	if kept, err := protocol.Atomic(c.Store, token, renewInNewTerm); err == nil && kept {
		c.Compute(protocol.Range{Max: 7 * time.Second})
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

func (p deposed) Job(c *protocol.Client) {
	holder, ok, err := c.Store.Get("lock")
	if err != nil || !ok {
		return
	}
	c.Sleep(10 * time.Second)
	if p.Terms {
		protocol.Atomic(c.Store, holder, revokeInOldTerm)
	} else {
		c.Store.DelIfEqual("lock", holder)
	}
}

func renewInNewTerm(v *protocol.View, token protocol.Token) bool {
	if holder, ok := v.Get("lock"); !ok || holder != token {
		return false
	}
	v.Set("new term", token)
	return v.PExpire("lock", 10*time.Second)
}

// revokeInOldTerm is refused if there is a new term.
func revokeInOldTerm(v *protocol.View, holder protocol.Token) bool {
	current, ok := v.Get("lock")
	if _, later := v.Get("new term"); later || !ok || current != holder {
		return false
	}
	return v.Del("lock")
}
