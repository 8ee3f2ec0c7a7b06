package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
	"lockstep/scheduler"
)

func init() {
	add(Case{
		ID: "K-05", Rank: 59, Kind: ConsensusLock,
		Title: "A leader of the store that has been deposed ends leases",
		Lesson: `The leader of a consensus store counts leases down in its own memory. One that stood
still, and was replaced meanwhile, has not seen that clients renew at its successor. When it
goes on it finds every lease over and has them revoked, and the others agree, since a
revocation looks like any other request: holders that did all they should lose their locks.
A revocation must say in which term it was decided, and be refused in a later one.`,
		Sources: []string{"https://github.com/etcd-io/etcd/issues/15247", "https://github.com/etcd-io/etcd/issues/16432"},
		Checks: []Check{
			{
				Shows: "a lease that is renewed is revoked", Property: checks.MutualExclusion(),
				Before: deposed{}, After: deposed{Terms: true},
				World: func(s *scheduler.Scenario) {
					world(2, 0)(s)
					s.Jobs = 1
				}, Steps: 11,
			},
		},
	})
}

// deposed holds a lock under a lease of ten seconds, which it renews.
type deposed struct{ Terms bool }

func (p deposed) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	for range 3 {
		c.Sleep(4 * time.Second)
		if owner, err := c.Store.ExpireIfEqual("lock", token, 10*time.Second); err != nil || owner != protocol.Mine {
			break
		}
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

// Job is a leader that has granted the lease, is deposed, and counts on: what clients do at
// its successor it does not see.
func (p deposed) Job(c *protocol.Client) {
	term, err := c.Store.Incr("term")
	if err != nil {
		return
	}
	lease, ok, err := c.Store.Get("lock")
	if err != nil || !ok {
		return
	}
	c.Store.Incr("term")
	c.Sleep(10 * time.Second)
	protocol.Atomic(c.Store, revocation{lease, term, p.Terms}, revokeLease)
}

type revocation struct {
	Lease, Term protocol.Value
	Terms       bool
}

func revokeLease(v *protocol.View, r revocation) bool {
	if term, ok := v.Get("term"); r.Terms && ok && protocol.Older(r.Term, term) {
		return false
	}
	holder, ok := v.Get("lock")
	return ok && holder == r.Lease && v.Del("lock")
}
