package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-24", Rank: 20, Kind: DatabaseLock,
		Title: "A lock of a session that a pool hands on",
		Lesson: `A database lock belongs to the session in which it was taken, and a proxy gives each
statement another session. The lock of one client stays with a session that then serves
another, for which it counts as its own: both are inside. And the unlock lands in a session
that does not have it. The lock must live and end with a transaction, or its session must
not go back to the pool meanwhile.`,
		Sources: []string{
			"https://github.com/goauthentik/authentik/issues/23876",
			"https://github.com/vectorize-io/hindsight/pull/726",
			"https://github.com/pgbouncer/pgbouncer/issues/102",
		},
		Checks: []Check{
			{
				Shows: "granted again to the same session", Property: checks.MutualExclusion(),
				Before: pooled{}, After: pooled{Pinned: true},
				World: world(2, 0), Steps: 4,
			},
		},
	})
}

// pooled takes an advisory lock in one of two sessions of the database, and keeps the session for
// itself meanwhile, or does not.
type pooled struct{ Pinned bool }

type statement struct{ Session int }

func (p pooled) Handle(c *protocol.Client) protocol.Answer {
	session := c.Choose(2)
	pin := c.NewToken()
	busy := [...]string{"busy 0", "busy 1"}[session]
	if p.Pinned {
		if ok, err := c.Store.SetNX(busy, pin, time.Minute); err != nil || !ok {
			return protocol.Failed()
		}
	}
	if ok, err := protocol.Atomic(c.Store, locking{session, c.NewToken()}, lockInSession); err == nil && ok {
		c.Acquired("lock")
		c.Compute(protocol.Range{Max: time.Second})
		c.Releasing("lock")
		if !p.Pinned {
			session = c.Choose(2)
		}
		protocol.Atomic(c.Store, statement{session}, unlockInSession)
	}
	if p.Pinned {
		c.Store.DelIfEqual(busy, pin)
	}
	return protocol.Empty()
}

type locking struct {
	Session int
	Token   protocol.Token
}

// The lock is held by the session under whose key there is something.
var heldBy = [...]string{"held by 0", "held by 1"}

// lockInSession is pg_try_advisory_lock: a session may take its own lock again.
func lockInSession(v *protocol.View, l locking) bool {
	if _, another := v.Get(heldBy[1-l.Session]); another {
		return false
	}
	v.Set(heldBy[l.Session], l.Token)
	return true
}

func unlockInSession(v *protocol.View, s statement) bool { return v.Del(heldBy[s.Session]) }
