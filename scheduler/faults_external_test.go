package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// claim is protocol code that believes to hold a lock where something must never come
// about: mutual exclusion with the other request, which does so at its very beginning,
// is violated if it can.
type claim struct {
	code func(c *protocol.Client, reached func())
}

func (p claim) Handle(c *protocol.Client) protocol.Answer {
	p.code(c, func() {
		c.Acquired("claim")
		c.SleepAtLeast(0)
		c.Releasing("claim")
	})
	return protocol.Empty()
}

// reachable reports whether two requests can be at once where the code calls reached.
func reachable(t *testing.T, code func(c *protocol.Client, reached func()), change ...func(*scheduler.Scenario)) bool {
	t.Helper()
	s := scheduler.NewScenario(claim{code})
	s.Updates = 0
	for _, c := range change {
		c(&s)
	}
	return violated(t, s, checks.MutualExclusion())
}

// violated reports whether some run of the scenario violates the property; the search
// must not have been cut off.
func violated(t *testing.T, s scheduler.Scenario, p model.Property) bool {
	t.Helper()
	r, err := scheduler.Check(context.Background(), s, []model.Property{p}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exhausted {
		t.Fatal(r.CutOff)
	}
	return r.Verdicts[0].Verdict == scheduler.Violated
}

// get claims to have seen a Get end in a way.
func get(seen func(v protocol.Value, ok bool, err error) bool) func(c *protocol.Client, reached func()) {
	return func(c *protocol.Client, reached func()) {
		if v, ok, err := c.Store.Get("k"); seen(v, ok, err) {
			reached()
		}
	}
}

// What an operation returns under a fault, once for each of the two requests.
func TestErrorsReachProtocolCode(t *testing.T) {
	refused := func(_ protocol.Value, ok bool, err error) bool { return !ok && errors.Is(err, protocol.ErrRefused) }
	timedOut := func(_ protocol.Value, ok bool, err error) bool { return !ok && errors.Is(err, protocol.ErrTimeout) }
	for _, c := range []struct {
		name  string
		fault model.Fault
		seen  func(protocol.Value, bool, error) bool
		want  bool
	}{
		{"store-error is ErrRefused", faults.StoreError(2), refused, true},
		{"store-error is no ErrTimeout", faults.StoreError(2), timedOut, false},
		{"one store-error strikes one request", faults.StoreError(1), refused, false},
		{"lost-request is ErrTimeout", faults.LostRequest(2), timedOut, true},
		{"lost-request is no ErrRefused", faults.LostRequest(2), refused, false},
		{"lost-reply is ErrTimeout", faults.LostReply(2), timedOut, true},
		{"a rebuild-error strikes no Get", faults.RebuildError(2), refused, false},
	} {
		if got := reachable(t, get(c.seen), fault(c.fault)); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// Every operation that goes to a store or the source returns the error; the rest never
// fails.
func TestEveryRemoteOperationReturnsItsError(t *testing.T) {
	for name, do := range map[string]func(c *protocol.Client, token protocol.Token) error{
		"Get":   func(c *protocol.Client, _ protocol.Token) error { _, _, err := c.Store.Get("k"); return err },
		"Set":   func(c *protocol.Client, v protocol.Token) error { return c.Store.Set("k", v) },
		"SetNX": func(c *protocol.Client, v protocol.Token) error { _, err := c.Store.SetNX("k", v, 0); return err },
		"SetXX": func(c *protocol.Client, v protocol.Token) error { _, err := c.Store.SetXX("k", v); return err },
		"Del":   func(c *protocol.Client, _ protocol.Token) error { _, err := c.Store.Del("k"); return err },
		"PExpire": func(c *protocol.Client, _ protocol.Token) error {
			_, err := c.Store.PExpire("k", time.Second)
			return err
		},
		"PTTL": func(c *protocol.Client, _ protocol.Token) error { _, err := c.Store.PTTL("k", time.Second); return err },
		"Incr": func(c *protocol.Client, _ protocol.Token) error { _, err := c.Store.Incr("k"); return err },
		"DelIfEqual": func(c *protocol.Client, v protocol.Token) error {
			owner, err := c.Store.DelIfEqual("k", v)
			if (owner == protocol.Unknown) != (err != nil) {
				return nil
			}
			return err
		},
		"ExpireIfEqual": func(c *protocol.Client, v protocol.Token) error {
			_, err := c.Store.ExpireIfEqual("k", v, time.Second)
			return err
		},
		"Atomic": func(c *protocol.Client, _ protocol.Token) error {
			_, err := protocol.Atomic(c.Store, 0, look)
			return err
		},
		"Source.Read":   func(c *protocol.Client, _ protocol.Token) error { _, err := c.Source.Read(); return err },
		"Source.Update": func(c *protocol.Client, _ protocol.Token) error { _, err := c.Source.Update(); return err },
	} {
		code := func(c *protocol.Client, reached func()) {
			if do(c, c.NewToken()) != nil {
				reached()
			}
		}
		if !reachable(t, code, fault(faults.LostRequest(2))) {
			t.Errorf("%s returns no error when its request is lost", name)
		}
		if !reachable(t, code, fault(faults.LostReply(2))) {
			t.Errorf("%s returns no error when its reply is lost", name)
		}
		if reachable(t, code) {
			t.Errorf("%s returns an error without a fault", name)
		}
	}
	sleep := func(c *protocol.Client, reached func()) {
		if c.Sleep(time.Second) != nil || c.Compute(protocol.Range{Max: time.Second}) != nil {
			reached()
		}
	}
	if reachable(t, sleep, fault(faults.LostRequest(2)), fault(faults.LostReply(2)), fault(faults.StoreError(2))) {
		t.Error("what goes nowhere cannot be lost")
	}
}

func look(v *protocol.View, _ int) bool { _, ok := v.Get("k"); return ok }

// What has timed out has taken effect if the reply was lost, and has not if the
// request was.
func TestALostReplyHasTakenEffectAndALostRequestHasNot(t *testing.T) {
	code := func(c *protocol.Client, reached func()) {
		mine := c.NewToken()
		if _, err := c.Store.SetNX("k", mine, time.Hour); err == nil {
			return
		}
		v, ok, _ := c.Store.Get("k")
		if ok && v == mine {
			reached()
		}
		c.Store.Del("k")
	}
	if !reachableOnce(t, code, faults.LostReply(1)) {
		t.Error("the Set whose reply was lost is not there")
	}
	if reachableOnce(t, code, faults.LostRequest(1)) {
		t.Error("the Set whose request was lost is there")
	}
}

// reachableOnce reports whether a single request can be where the code calls reached:
// it then leaves a lock without a TTL behind, as the code itself must not.
func reachableOnce(t *testing.T, code func(c *protocol.Client, reached func()), all ...model.Fault) bool {
	t.Helper()
	s := scheduler.NewScenario(orphan{code})
	s.Nodes, s.Updates, s.Faults = 1, 0, all
	return violated(t, s, checks.NoOrphanedLock())
}

type orphan struct {
	code func(c *protocol.Client, reached func())
}

func (p orphan) Handle(c *protocol.Client) protocol.Answer {
	left := false
	p.code(c, func() { left = true })
	if left {
		c.Store.Set("orphan", c.NewToken())
	}
	return protocol.Empty()
}

// The error for what is lost comes within the timeout: a lock that lives longer than
// latency and timeout together is still there, one that lives shorter may be gone.
func TestALostReplyIsNoticedWithinTheTimeout(t *testing.T) {
	for _, c := range []struct {
		ttl  time.Duration
		want bool
	}{{1000 * time.Millisecond, true}, {1001 * time.Millisecond, false}} {
		code := func(s *protocol.Client, reached func()) {
			mine := s.NewToken()
			if _, err := s.Store.SetNX("k", mine, c.ttl); err == nil {
				return
			}
			// The wait has ended; at the latest now.
			if _, ok, _ := s.Store.Get("k"); !ok {
				reached()
			}
		}
		s := scheduler.NewScenario(orphan{code})
		s.Nodes, s.Updates, s.Latency, s.Timeout = 1, 0, protocol.Range{}, time.Second
		s.Faults = []model.Fault{faults.LostReply(1)}
		if got := violated(t, s, checks.NoOrphanedLock()); got != c.want {
			t.Errorf("a TTL of %s may be over when the error comes: %t", c.ttl, got)
		}
	}
}

// A wipe takes all keys of one store, and none of the other.
func TestAWipeStrikesOneStore(t *testing.T) {
	code := func(want [3]bool) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			mine := c.NewToken()
			c.Store.Set("a", mine, protocol.PX(time.Hour))
			c.Store.Set("b", mine, protocol.PX(time.Hour))
			c.Cache.Set("a", mine, protocol.PX(time.Hour))
			_, a, _ := c.Store.Get("a")
			_, b, _ := c.Store.Get("b")
			_, other, _ := c.Cache.Get("a")
			if [3]bool{a, b, other} == want {
				reached()
			}
		}
	}
	for _, c := range []struct {
		want [3]bool
		can  bool
	}{
		{[3]bool{true, true, true}, true},
		{[3]bool{false, false, true}, true}, // all of the store
		{[3]bool{true, true, false}, true},  // all of the cache
		{[3]bool{true, false, true}, true},  // the store, between the two Gets: a was read before
		{[3]bool{false, false, false}, false},
	} {
		if got := reachableOnce(t, code(c.want), faults.Wipe(1)); got != c.can {
			t.Errorf("%v can be seen: %t", c.want, got)
		}
	}
	if reachableOnce(t, code([3]bool{false, false, true}), faults.Evict(1)) {
		t.Error("one eviction takes two keys")
	}
}

// later reports whether the second of two requests of a node can find what the first
// left half-way: they share one flight, so no other does.
func later(t *testing.T, change ...func(*scheduler.Scenario)) bool {
	t.Helper()
	s := scheduler.NewScenario(orphan{func(c *protocol.Client, reached func()) {
		c.Do("flight", func() (protocol.Value, error) {
			if _, left, _ := c.Store.Get("left"); left {
				reached()
			}
			c.Store.Set("left", c.NewToken(), protocol.PX(time.Hour))
			c.Store.Del("left")
			return protocol.Value{}, nil
		})
	}})
	s.Nodes, s.Requests, s.Updates = 1, 2, 0
	for _, c := range change {
		c(&s)
	}
	return violated(t, s, checks.NoOrphanedLock())
}

// A node that starts again serves the requests that come later, and has forgotten what
// it was at; one that has crashed serves nobody.
func TestANodeThatStartsAgainServesWhoComesLater(t *testing.T) {
	restart := fault(faults.Restart(1, model.Exactly(time.Second)))
	if later(t) || later(t, fault(faults.Crash(1))) {
		t.Error("a request finds what was left half-way on a node that is not started again")
	}
	if !later(t, restart) {
		t.Error("no request finds what was left half-way before the restart")
	}
	if later(t, restart, func(s *scheduler.Scenario) { s.ArriveWithin = new(time.Duration) }) {
		t.Error("a request that arrived at the beginning survives its node")
	}
}

// A failover loses the writes of the last moments, as many as the lag has, and none
// before; what is in the replica lives as long as it would have.
func TestAFailoverLosesTheLatestWritesAlone(t *testing.T) {
	// write sets a and, after a while, b, and looks later still.
	write := func(between, after, ttl time.Duration, want [2]bool) bool {
		return reachableWith(t, func(c *protocol.Client, reached func()) {
			mine := c.NewToken()
			c.Store.Set("a", mine, protocol.PX(ttl))
			c.Sleep(between)
			c.Store.Set("b", mine, protocol.PX(time.Hour))
			c.Sleep(after)
			_, a, _ := c.Store.Get("a")
			_, b, _ := c.Store.Get("b")
			if [2]bool{a, b} == want {
				reached()
			}
		}, faults.Failover(1, time.Second))
	}
	for _, c := range []struct {
		why                 string
		between, after, ttl time.Duration
		want                [2]bool
		can                 bool
	}{
		{"nothing need be lost", time.Second, 0, time.Hour, [2]bool{true, true}, true},
		{"the last write can be lost", time.Minute, 0, time.Hour, [2]bool{true, false}, true},
		{"writes within the lag can be lost together", time.Second, 0, time.Hour, [2]bool{false, false}, true},
		{"writes further apart cannot", 1001 * time.Millisecond, 0, time.Hour, [2]bool{false, false}, false},
		{"the first write can be lost before the second", time.Second, 0, time.Hour, [2]bool{false, true}, true},
		{"a TTL runs on in the replica", time.Second, 2 * time.Second, 3 * time.Second, [2]bool{false, false}, true},
		{"and not faster", time.Minute, time.Second, 62 * time.Second, [2]bool{false, false}, false},
	} {
		if got := write(c.between, c.after, c.ttl, c.want); got != c.can {
			t.Errorf("%s: %t", c.why, got)
		}
	}
}

// reachableWith is reachableOnce without latency.
func reachableWith(t *testing.T, code func(c *protocol.Client, reached func()), all ...model.Fault) bool {
	t.Helper()
	s := scheduler.NewScenario(orphan{code})
	s.Nodes, s.Updates, s.Latency, s.Faults = 1, 0, protocol.Range{}, all
	return violated(t, s, checks.NoOrphanedLock())
}
