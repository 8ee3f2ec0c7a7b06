package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-24", Rank: 20, Kind: DatabaseLock,
		Title: "A lock of a database session behind a pool that hands sessions around",
		Lesson: `The lock belongs to the session of the database, not to the client. A pool that gives
each statement whatever session is free gives the one with the lock to somebody else, who is
granted it once more because that session has it already; and the unlock, in another
session, finds nothing to unlock, so that the lock stays. An error on the way leaves it
behind, too. The lock must end with the transaction, for which a pool keeps the session, or
the session must not come from a pool.`,
		Sources: []string{
			"https://github.com/goauthentik/authentik/issues/23876",
			"https://github.com/vectorize-io/hindsight/pull/726",
			"https://github.com/pgbouncer/pgbouncer/issues/102",
		},
		Checks: []Check{
			{
				Shows: "granted to the same session", Property: checks.MutualExclusion(),
				Before: pooledLock{}, After: pooledLock{InTransaction: true},
				World: world(2, 0), Steps: 4,
			},
			{
				Shows: "unlocked in another session", Property: checks.ReleasedWhenDone(),
				Before: pooledLock{}, After: pooledLock{InTransaction: true},
				World: world(1, 0), Steps: 5,
			},
			{
				Shows: "an error before the unlock", Property: checks.ReleasedWhenDone(),
				Before: pooledLock{Dedicated: true}, After: pooledLock{InTransaction: true},
				World: world(1, 0, faults.RebuildError(1)), Faults: 1, Steps: 3,
			},
		},
	})
}

// pooledLock takes an advisory lock through a pool of two sessions. The pool chooses one
// for each statement; or for a whole transaction, with which the lock ends. A session that is
// dedicated to the client does not come from the pool, but its lock does not end by itself.
type pooledLock struct{ InTransaction, Dedicated bool }

func (p pooledLock) Handle(c *protocol.Client) protocol.Answer {
	s := pooledStatement{Session: c.Choose(2), Token: c.NewToken()}
	if p.InTransaction {
		if ok, err := protocol.Atomic(c.Store, s, pooledBegin); err != nil || !ok {
			return protocol.Failed()
		}
		defer protocol.Atomic(c.Store, s, pooledCommit)
	}
	if ok, err := protocol.Atomic(c.Store, s, pooledTryLock); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	if err := c.Compute(protocol.Range{Min: time.Second, Max: 2 * time.Second}); err != nil {
		return protocol.Failed()
	}
	c.Releasing("lock")
	if !p.InTransaction {
		if !p.Dedicated {
			s.Session = c.Choose(2)
		}
		protocol.Atomic(c.Store, s, pooledUnlock)
	}
	return protocol.Empty()
}

// pooledStatement is a statement in one of the two sessions.
type pooledStatement struct {
	Session int
	Token   protocol.Token
}

func (s pooledStatement) lock() string {
	return [...]string{"lock of session 0", "lock of session 1"}[s.Session]
}
func (s pooledStatement) other() string { return pooledStatement{Session: 1 - s.Session}.lock() }
func (s pooledStatement) busy() string  { return [...]string{"busy 0", "busy 1"}[s.Session] }

// pooledTryLock grants the lock unless another session has it.
func pooledTryLock(v *protocol.View, s pooledStatement) bool {
	if _, held := v.Get(s.other()); held {
		return false
	}
	v.SetNX(s.lock(), s.Token, 0)
	return true
}

func pooledUnlock(v *protocol.View, s pooledStatement) bool { return v.Del(s.lock()) }

func pooledBegin(v *protocol.View, s pooledStatement) bool { return v.SetNX(s.busy(), s.Token, 0) }

func pooledCommit(v *protocol.View, s pooledStatement) bool {
	v.Del(s.lock())
	return v.Del(s.busy())
}
