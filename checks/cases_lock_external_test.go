package checks_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func TestReportedWaysInWhichLocksBreakAndTheirFixes(t *testing.T) {
	runAll(t, []reported{
		{
			id: "L-03", lesson: "look, then delete",
			property: checks.NoForeignRelease(),
			before:   giveBack{}, after: giveBack{Fixed: true},
			scenario: latency(2*time.Second, inWorld(2, 0)), steps: 6,
		},
		{
			id: "L-03", lesson: "a third one gets in",
			property: checks.MutualExclusion(),
			before:   giveBack{}, after: giveBack{Fixed: true},
			scenario: latency(2*time.Second, inWorld(3, 0)), steps: 7,
		},
		{
			id: "L-07", lesson: "refused by one's own ghost",
			property: checks.AnsweredWithin(4 * time.Second),
			before:   ghost{TTL: 30 * time.Second}, after: ghost{Fixed: true, TTL: 30 * time.Second},
			scenario: inWorld(1, 0, faults.LostReply(1)), faults: 1, steps: 7,
		},
		{
			id: "L-07", lesson: "what gives it back is lost, too",
			property: checks.AnsweredWithin(10 * time.Second),
			before:   ghost{Fixed: true, TTL: 30 * time.Second}, after: ghost{Fixed: true, TTL: 5 * time.Second},
			scenario: inWorld(1, 0, faults.LostReply(1), faults.LostRequest(1)), faults: 2, steps: 19,
		},
		{
			id: "L-17", lesson: "a lock among cached values",
			property: checks.MutualExclusion(),
			before:   amongValues{}, after: amongValues{Fixed: true},
			scenario: inWorld(2, 0, only{faults.Evict(1), cacheStore}), faults: 1, steps: 3,
		},
		{
			id: "L-17", lesson: "a fence where the effect is",
			property: checks.NoStaleOverwrite(),
			before:   guarded{Guard: "none"}, after: guarded{Guard: "read and write"},
			scenario: inWorld(2, 1, faults.Evict(1)), faults: 1, steps: 10,
			unrepaired: checks.MutualExclusion(),
		},
		{
			id: "L-20", lesson: "granted again after a failover",
			property: checks.MutualExclusion(),
			before:   quorum{Stores: 1, Need: 1}, after: quorum{Stores: 3, Need: 3},
			scenario: inWorld(2, 0, faults.Failover(1, time.Second)), faults: 1, steps: 8,
		},
		{
			id: "L-20", lesson: "a majority that has no room",
			property: checks.MutualExclusion(),
			before:   quorum{Stores: 3, Need: 2, Enough: true}, after: quorum{Stores: 3, Need: 3},
			scenario: inWorld(2, 0, faults.Failover(1, time.Second)), faults: 1, steps: 11,
		},
		{
			id: "L-20", lesson: "who is promoted",
			property: checks.MutualExclusion(),
			before:   acknowledged{By: 1, Looks: true}, after: acknowledged{By: 2, Looks: true},
			scenario: twoReplicas, faults: 1, steps: 8,
		},
		{
			id: "L-20", lesson: "a failover before the question",
			property: checks.MutualExclusion(),
			before:   acknowledged{By: 2}, after: acknowledged{By: 2, Looks: true},
			scenario: twoReplicas, faults: 1, steps: 6,
		},
		{
			id: "L-20", lesson: "a comparison where the effect is",
			property: checks.NoStaleOverwrite(),
			before:   quorum{Stores: 1, Need: 1, Writes: "as it is"}, after: quorum{Stores: 1, Need: 1, Writes: "newer"},
			scenario: inWorld(2, 1, only{faults.Failover(1, time.Second), firstStore}), faults: 1, steps: 15,
			unrepaired: checks.MutualExclusion(),
		},
		{
			id: "H-02", lesson: "renewed out of nothing",
			property: checks.NoStaleOverwrite(),
			before:   renewal{}, after: renewal{Fixed: true},
			scenario: inWorld(2, 1), steps: 13,
			unrepaired: checks.MutualExclusion(),
		},
		{
			id: "H-04", lesson: "blocked for ever",
			property: checks.Answered(),
			before:   outlived{}, after: outlived{Fixed: true},
			scenario: inWorld(2, 0, faults.RebuildError(1)), faults: 1, steps: 3,
		},
		{
			id: "H-04", lesson: "renewed for nobody",
			property: quiescent(),
			before:   outlived{}, after: outlived{Fixed: true},
			scenario: inWorld(1, 0, faults.RebuildError(1)), faults: 1, steps: 4,
		},
		{
			id: "F-01", lesson: "no guard",
			property: checks.NoStaleOverwrite(),
			before:   guarded{Guard: "none"}, after: guarded{Guard: "read and write"},
			scenario: inWorld(2, 1, faults.Pause(1, 12*time.Second)), faults: 1, steps: 12,
			unrepaired: checks.MutualExclusion(),
		},
		{
			id: "F-01", lesson: "a look at the clock",
			property: checks.NoStaleOverwrite(),
			before:   guarded{Guard: "clock"}, after: guarded{Guard: "read and write"},
			scenario: inWorld(2, 1, faults.Pause(1, 12*time.Second)), faults: 1, steps: 16,
		},
		{
			id: "F-01", lesson: "a fence at the write alone",
			property: checks.NoStaleOverwrite(),
			before:   guarded{Guard: "write"}, after: guarded{Guard: "read and write"},
			scenario: inWorld(2, 1, faults.Pause(1, 12*time.Second)), faults: 1, steps: 12,
		},
		{
			id: "F-03", lesson: "a counter that is evicted",
			property: fenceMonotonic(),
			before:   guarded{Guard: "read and write"}, after: guarded{Guard: "counted"},
			scenario: inWorld(2, 0, only{faults.Evict(1), lockStore}), faults: 1, steps: 8,
		},
		{
			id: "F-03", lesson: "a counter that is rolled back",
			property: checks.NoStaleOverwrite(),
			before:   guarded{Guard: "read and write"}, after: guarded{Guard: "counted"},
			scenario: inWorld(2, 1, only{faults.Failover(1, time.Second), lockStore}), faults: 1, steps: 13,
			unrepaired: checks.MutualExclusion(),
		},
		{
			id: "K-01", lesson: "told so without a look",
			property: honest(),
			before:   queue{Poll: every(time.Second)}, after: queue{Fixed: true, Poll: every(time.Second)},
			scenario: inWorld(2, 0, faults.Pause(1, 12*time.Second)), faults: 1, steps: 10,
			unrepaired: checks.MutualExclusion(),
		},
		{
			id: "K-01", lesson: "a waiter that is slow",
			property: checks.MutualExclusion(),
			before:   queue{Poll: slow}, after: queue{Fixed: true, Poll: slow},
			scenario: inWorld(3, 0), steps: 9,
		},
	})
}

const lock = "lock"

// giveBack is case L-03: to look whether the lock is one's own and then to delete it
// are two steps. While the delete is on its way the lock expires and is taken by another,
// whose lock it removes; a third one gets in. One step compares and deletes.
type giveBack struct{ Fixed bool }

func (p giveBack) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired(lock)
	c.SleepBetween(time.Second, 2*time.Second)
	if p.Fixed {
		c.Releasing(lock)
		c.Store.DelIfEqual(lock, token)
		return protocol.Empty()
	}
	holder, ok, err := c.Store.Get(lock)
	c.Releasing(lock)
	if err == nil && ok && holder == token {
		c.Store.Del(lock)
	}
	return protocol.Empty()
}

// ghost is case L-07: the reply to an acquisition is lost, but the lock is there, and
// refuses its own creator when it tries again. A try that may have succeeded is taken
// back with the same token before the next one.
//
// The fix is best effort, as the corpus says: if the request to take it back is lost,
// too, the ghost stays until its TTL is over, which must then be short enough.
type ghost struct {
	Fixed bool
	TTL   time.Duration
}

func (p ghost) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	ok, err := c.Store.SetNX(lock, token, p.TTL)
	if err != nil && p.Fixed {
		c.Store.DelIfEqual(lock, token)
	}
	if err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired(lock)
	c.Sleep(time.Second)
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
	return protocol.Empty()
}

// amongValues is case L-17: a store that makes room by evicting whatever it likes
// evicts a lock that is held. Locks belong into a store that evicts nothing.
type amongValues struct{ Fixed bool }

func (p amongValues) Handle(c *protocol.Client) protocol.Answer {
	store := c.Cache
	if p.Fixed {
		store = c.Store
	}
	token := c.NewToken()
	if ok, err := store.SetNX(lock, token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired(lock)
	c.SleepBetween(time.Second, 2*time.Second)
	c.Releasing(lock)
	store.DelIfEqual(lock, token)
	return protocol.Empty()
}

func twoReplicas(s *checks.Scenario) {
	inWorld(2, 0, faults.Failover(1, time.Second))(s)
	s.Replicas = 2
}

// acknowledged is case L-20: a lock is trusted when replicas have it. If not all have it,
// one that has not may take over; and if it was lost before the replicas were asked, they
// have all that there is: one must look for it afterwards.
type acknowledged struct {
	By    int
	Looks bool
}

func (p acknowledged) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	ok, err := c.Store.WaitReplicas(p.By, time.Second)
	if ok && err == nil && p.Looks {
		var holder protocol.Token
		holder, ok, err = c.Store.Get(lock)
		ok = ok && holder == token
	}
	if ok && err == nil {
		c.Acquired(lock)
		c.SleepBetween(time.Second, 2*time.Second)
		c.Releasing(lock)
	}
	c.Store.DelIfEqual(lock, token)
	return protocol.Empty()
}

// renewal is case H-02: the work has taken longer than the lock lives, another has
// been in between, and the renewal before the write makes the lock anew as if nothing
// had happened. A renewal of what is gone must fail, and the work be dropped.
//
// That both believe for a while that they hold the lock is not repaired.
type renewal struct{ Fixed bool }

func (p renewal) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 5*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired(lock)
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 8 * time.Second})
	if err != nil {
		return protocol.Failed()
	}
	extend := extendOrSet
	if p.Fixed {
		extend = extendOnly
	}
	if mine, err := protocol.Atomic(c.Store, token, extend); err != nil || !mine {
		return protocol.Stale()
	}
	c.Cache.Set(feed, v)
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
	return protocol.Fresh(v)
}

func extendOrSet(v *protocol.View, token protocol.Token) bool {
	return v.SetNX(lock, token, 5*time.Second) || extendOnly(v, token)
}

func extendOnly(v *protocol.View, token protocol.Token) bool {
	holder, ok := v.Get(lock)
	return ok && holder == token && v.PExpire(lock, 5*time.Second)
}

// outlived is case H-04: the work fails, nobody tells the heartbeat, and it renews a
// lock for ever that protects nothing. Whatever ends the work ends the heartbeat.
//
// The corpus needs no fault: there, the callback that starts the heartbeat overtakes the
// one that stops it. A Stop is not lost if it comes first, so here it is the failure that
// forgets to stop it.
type outlived struct{ Fixed bool }

func (p outlived) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 10*time.Second); err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired(lock)
	heartbeat := protocol.Go(c, func(c *protocol.Client) bool {
		for {
			c.Checkpoint(token)
			if c.Sleep(3*time.Second) != nil {
				return true
			}
			if owner, err := c.Store.ExpireIfEqual(lock, token, 10*time.Second); err == nil && owner != protocol.Mine {
				return false
			}
		}
	})
	if err := c.Compute(protocol.Range{Min: 2 * time.Second, Max: 4 * time.Second}); err != nil && !p.Fixed {
		return protocol.Failed()
	}
	heartbeat.Stop()
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
	return protocol.Empty()
}
