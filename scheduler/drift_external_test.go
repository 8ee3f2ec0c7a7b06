package scheduler_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// percent is so much of the time, as a duration each second.
func percent(n int) time.Duration { return time.Duration(n) * 10 * time.Millisecond }

// A pause of a node with the lease protocol is harmless if the heartbeat after it comes
// before the lock expires: 10 s after it was taken by the clock of the store, and 3 s by
// that of the node and two latencies of 5 ms later. A clock whose seconds are 20 % too
// short makes 8 s of 10 s, one whose seconds are 20 % too long 3.6 s of 3 s.
func TestDriftMovesTheBorderOfALease(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		name  string
		drift model.Fault
		holds time.Duration
	}{
		{"none", nil, 6989 * ms},
		{"the store is fast", faults.StoreClockDrift(1, percent(20)), 4989 * ms},
		{"the node is slow", faults.ClockDrift(1, percent(20)), 6389 * ms},
	} {
		for _, pause := range []time.Duration{c.holds, c.holds + ms} {
			s := scheduler.NewScenario(catalogue.Lease{})
			s.Updates = 0
			s.Faults = []model.Fault{faults.Pause(1, pause)}
			if c.drift != nil {
				s.Faults = append(s.Faults, c.drift)
			}
			want := scheduler.Holds
			if pause > c.holds {
				want = scheduler.Violated
			}
			if v := only(t, s, checks.MutualExclusion(), scheduler.Options{}); v.Verdict != want {
				t.Errorf("%s, a pause of %s: %s, want %s", c.name, pause, v.Verdict, want)
			}
		}
	}
}

func only(t *testing.T, s scheduler.Scenario, p model.Property, o scheduler.Options) scheduler.Verdict {
	t.Helper()
	r, err := scheduler.Check(context.Background(), s, []model.Property{p}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdicts[0]
}

// What a clock measures ends early or late by as much as the clock drifts, both ends
// included; what it does not measure ends as ever.
func TestWhatADriftingClockMeasures(t *testing.T) {
	node := func(n int) model.Fault { return faults.ClockDrift(1, percent(n)) }
	store := func(n int) model.Fault { return faults.StoreClockDrift(1, percent(n)) }
	type body = func(c *protocol.Client, reached func())
	// after gets somewhere if a key with a TTL is still there, or is not, after it has
	// waited.
	after := func(ttl time.Duration, there bool, wait func(c *protocol.Client) bool) body {
		return func(c *protocol.Client, reached func()) {
			if ok, err := c.Store.SetNX("k", c.NewToken(), ttl); err != nil || !ok || !wait(c) {
				return
			}
			if _, ok, err := c.Store.Get("k"); err == nil && ok == there {
				reached()
			}
		}
	}
	sleep := func(d time.Duration) func(c *protocol.Client) bool {
		return func(c *protocol.Client) bool { c.Sleep(d); return true }
	}
	deadline := func(passed bool) func(c *protocol.Client) bool {
		return func(c *protocol.Client) bool {
			d := c.Deadline(10 * time.Second)
			c.Compute(protocol.Range{Min: 9 * time.Second, Max: 11 * time.Second})
			return d.Passed() == passed
		}
	}
	received := func(c *protocol.Client) bool {
		ok, err := c.Memory.ReceiveWithin("nothing", 10*time.Second)
		return err == nil && !ok
	}
	limited := func(c *protocol.Client) bool {
		part, _ := c.WithTimeout(10 * time.Second)
		return part.Sleep(time.Hour) != nil
	}
	left := func(c *protocol.Client, reached func()) {
		if ok, err := c.Store.SetNX("k", c.NewToken(), 10*time.Second); err == nil && ok {
			c.Compute(protocol.Range{Min: 5 * time.Second, Max: 5 * time.Second})
			if left, err := c.Store.PTTL("k", 4*time.Second); err == nil && left == protocol.Below {
				reached()
			}
		}
	}
	elements := after(8*time.Second, true, func(c *protocol.Client) bool {
		ok, err := c.Store.BlockingPop("list", 10*time.Second)
		return err == nil && !ok
	})
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"a sleep of 10 s is over after 8 s", reachableWith(t, after(8*time.Second, true, sleep(10*time.Second)), node(20)), true},
		{"and not before", reachableWith(t, after(7999*time.Millisecond, true, sleep(10*time.Second)), node(20)), false},
		{"or after 12 s", reachableWith(t, after(12*time.Second, false, sleep(10*time.Second)), node(20)), true},
		{"and not later", reachableWith(t, after(12001*time.Millisecond, false, sleep(10*time.Second)), node(20)), false},
		{"a deadline has passed early", reachableWith(t, after(9*time.Second, true, deadline(true)), node(20)), true},
		{"or late", reachableWith(t, after(11*time.Second, false, deadline(false)), node(20)), true},
		{"a context with a timeout ends early", reachableWith(t, after(8*time.Second, true, limited), node(20)), true},
		{"and not earlier", reachableWith(t, after(7999*time.Millisecond, true, limited), node(20)), false},
		{"a wait within the node ends early", reachableWith(t, after(8*time.Second, true, received), node(20)), true},
		{"and not earlier", reachableWith(t, after(7999*time.Millisecond, true, received), node(20)), false},
		{"work is not concerned", reachableWith(t, after(9999*time.Millisecond, true, func(c *protocol.Client) bool {
			c.Compute(protocol.Range{Min: 10 * time.Second, Max: 10 * time.Second})
			return true
		}), node(50)), false},
		{"nor is a TTL by the clock of a node", reachableWith(t, after(10*time.Second, false, func(c *protocol.Client) bool {
			c.Compute(protocol.Range{Min: 9999 * time.Millisecond, Max: 9999 * time.Millisecond})
			return true
		}), node(50)), false},
		{"a TTL ends early", reachableWith(t, after(10*time.Second, false, sleep(8*time.Second)), store(20)), true},
		{"and not earlier", reachableWith(t, after(10*time.Second, false, sleep(7999*time.Millisecond)), store(20)), false},
		{"or late", reachableWith(t, after(10*time.Second, true, sleep(12*time.Second)), store(20)), true},
		{"and not later", reachableWith(t, after(10*time.Second, true, sleep(12001*time.Millisecond)), store(20)), false},
		{"a store tells by its clock how much is left", reachableWith(t, left, store(20)), true},
		{"which is what there is without a drift", reachableWith(t, left), false},
		{"a wait at a store is measured by it: it ends as the TTL does, whichever comes first", reachableWith(t, elements, store(50)), false},
		{"a wait at a store is not measured by the node", reachableWith(t, elements, node(50)), false},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

// at0 leaves out latencies.
func at0(s *scheduler.Scenario) { s.Latency = protocol.Range{} }

// A clock has one rate for as long as a run lasts: what would need two is not reported,
// nor said to hold.
func TestAClockHasOneRate(t *testing.T) {
	// twice sleeps by the clock of its node and compares that with TTLs of a store.
	twice := func(first, second time.Duration) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			if ok, err := c.Store.SetNX("first", c.NewToken(), first); err != nil || !ok {
				return
			}
			c.Sleep(10 * time.Second)
			if _, early, err := c.Store.Get("first"); err != nil || !early {
				return
			}
			c.Store.Set("second", c.NewToken(), protocol.PX(second))
			c.Sleep(10 * time.Second)
			if _, early, err := c.Store.Get("second"); err == nil && !early {
				reached()
			}
		}
	}
	check := func(first, second time.Duration) scheduler.Verdict {
		s := scheduler.NewScenario(orphan{twice(first, second)})
		s.Nodes, s.Updates, s.Latency = 1, 0, protocol.Range{}
		s.Faults = []model.Fault{faults.ClockDrift(1, percent(20))}
		return only(t, s, checks.NoOrphanedLock(), scheduler.Options{})
	}
	// Within 8.5 s, and then not within 8.2 s: 8.2 s to 8.5 s.
	if v := check(8500*time.Millisecond, 8200*time.Millisecond); v.Verdict != scheduler.Violated {
		t.Errorf("with one rate: %s", v.Verdict)
	}
	v := check(8200*time.Millisecond, 8500*time.Millisecond)
	if v.Verdict != scheduler.Inconclusive || !strings.Contains(v.Reason, "one rate") {
		t.Errorf("with two rates: %s, %q", v.Verdict, v.Reason)
	}
	if v := check(7900*time.Millisecond, 8500*time.Millisecond); v.Verdict != scheduler.Holds {
		t.Errorf("with none: %s", v.Verdict)
	}
}

// A trace says how long a second of the clock takes, and is not possible with another
// length.
func TestATraceOfADriftReplaysAtItsRateAlone(t *testing.T) {
	s := scheduler.NewScenario(catalogue.Lease{})
	s.Faults = []model.Fault{faults.Pause(1, 4990*time.Millisecond), faults.StoreClockDrift(1, percent(20))}
	v := only(t, s, checks.MutualExclusion(), scheduler.Options{})
	if v.Verdict != scheduler.Violated {
		t.Fatal(v.Verdict)
	}
	var written bytes.Buffer
	if err := v.Trace.Write(&written); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		second time.Duration
		ok     bool
	}{{800 * time.Millisecond, true}, {799 * time.Millisecond, false}, {801 * time.Millisecond, false}, {time.Second, false}, {0, false}, {1250 * time.Millisecond, false}} {
		trace, err := model.ReadTrace(bytes.NewReader(written.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		drifts := 0
		for i := range trace.Steps {
			if step := &trace.Steps[i]; step.Fault == "store-clock-drift" {
				step.Second = c.second
				drifts++
			}
		}
		if drifts != 1 {
			t.Fatalf("%d clocks drift in the trace", drifts)
		}
		if err := scheduler.Replay(s, trace, checks.MutualExclusion()); (err == nil) != c.ok {
			t.Errorf("a second takes %s: %v", c.second, err)
		}
	}
}

// A store that fails over gets a clock that is right.
func TestAFailoverEndsTheDriftOfAStore(t *testing.T) {
	// The lock is set after a failover, which a process can tell by what is gone.
	code := func(c *protocol.Client, reached func()) {
		first, err := c.Store.SetNX("first", c.NewToken(), time.Hour)
		if err != nil || !first {
			return
		}
		c.Sleep(time.Second)
		if _, there, err := c.Store.Get("first"); err != nil || there {
			return
		}
		c.Store.Set("second", c.NewToken(), protocol.PX(10*time.Second))
		c.Sleep(9 * time.Second)
		if _, there, err := c.Store.Get("second"); err == nil && !there {
			reached()
		}
	}
	drift := faults.StoreClockDrift(1, percent(50))
	if reachableWith(t, code, drift, faults.Failover(1, time.Second)) {
		t.Error("the drift goes on after the failover")
	}
	if !reachableWith(t, code, drift, faults.Wipe(1)) {
		t.Error("the drift ends with the memory of the store")
	}
}

// Two clocks drift only if the budget allows it.
func TestABudgetOfDriftIsOneOfClocks(t *testing.T) {
	// Two requests on nodes of their own sleep 10 s each by their clocks, one after the
	// other, and 17 s pass.
	code := func(c *protocol.Client, reached func()) {
		first, err := c.Store.SetNX("turn", c.NewToken(), time.Hour)
		if err != nil {
			return
		}
		if first {
			c.Store.Set("clock", c.NewToken(), protocol.PX(17*time.Second))
			c.Sleep(10 * time.Second)
			c.Store.Set("go", c.NewToken(), protocol.PX(time.Millisecond))
			return
		}
		if _, ok, err := c.Store.Get("go"); err != nil || !ok {
			return
		}
		c.Sleep(10 * time.Second)
		if _, there, err := c.Store.Get("clock"); err == nil && there {
			reached()
		}
	}
	for budget, wants := range []bool{1: false, 2: true} {
		if budget == 0 {
			continue
		}
		if got := reachableFirst(t, code, at0, fault(faults.ClockDrift(budget, percent(15)))); got != wants {
			t.Errorf("%d clocks: %t", budget, got)
		}
	}
}
