package scheduler_test

import (
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// The longest outage that lease survives is as long as the longest pause, by the same
// derivation: the lock is set at 0 and lives 10 s; its renewal is due at the latest
// after a read, 3 s and the way to the store, 3.010 s with latency 0..5 ms. Either
// outage begins there at the earliest and keeps the renewal back.
func TestLeaseSurvivesOutagesOfStoresUpTo6990Milliseconds(t *testing.T) {
	for _, make := range []func(int, time.Duration) model.Fault{faults.StorePause, faults.Partition} {
		for _, c := range []struct {
			longest time.Duration
			want    scheduler.Result
		}{{6989 * time.Millisecond, scheduler.Holds}, {6990 * time.Millisecond, scheduler.Violated}} {
			s := scenario(t, "lease", fault(make(1, c.longest)))
			r, err := scheduler.Check(context.Background(), s, []model.Property{checks.MutualExclusion()}, scheduler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Verdicts[0].Verdict; got != c.want {
				t.Errorf("%s of up to %s: %s", s.Faults[0].Name(), c.longest, got)
			}
		}
	}
}

// What an outage keeps back, by store and node. Each request writes to both stores and
// then looks whether it took a second where a millisecond should do.
func TestAnOutageConcernsOneStoreAndAPartitionOneNode(t *testing.T) {
	slow := func(use func(c *protocol.Client) *protocol.Store) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			d := c.Deadline(time.Second)
			use(c).Set("k", c.NewToken(), protocol.PX(time.Hour))
			if d.Passed() {
				reached()
			}
		}
	}
	store := func(c *protocol.Client) *protocol.Store { return c.Store }
	cache := func(c *protocol.Client) *protocol.Store { return c.Cache }
	// Both stores are slow for one request.
	both := func(c *protocol.Client, reached func()) {
		d, e := c.Deadline(time.Second), c.Deadline(time.Second)
		c.Store.Set("k", c.NewToken(), protocol.PX(time.Hour))
		first := d.Passed()
		e.Reset()
		c.Cache.Set("k", c.NewToken(), protocol.PX(time.Hour))
		if first && e.Passed() {
			reached()
		}
	}
	// Both of two requests, on two nodes, are slow: they believe so at once.
	for _, c := range []struct {
		rule string
		got  bool
		want bool
	}{
		{"nothing is slow without a fault", reachableOnce(t, slow(store)), false},
		{"a paused store is slow", reachableOnce(t, slow(store), faults.StorePause(1, time.Second)), true},
		{"so is a paused cache", reachableOnce(t, slow(cache), faults.StorePause(1, time.Second)), true},
		{"shorter pauses are shorter", reachableOnce(t, slow(store), faults.StorePause(1, 994*time.Millisecond)), false},
		{"with 5 ms of latency before", reachableOnce(t, slow(store), faults.StorePause(1, 995*time.Millisecond)), true},
		{"a partition is slow", reachableOnce(t, slow(store), faults.Partition(1, time.Second)), true},
		{"one outage concerns one store", reachableOnce(t, both, faults.StorePause(1, time.Minute)), false},
		{"two may concern two", reachableOnce(t, both, faults.StorePause(2, time.Minute)), true},
		{"a store pause concerns all nodes", reachable(t, slow(store), fault(faults.StorePause(1, time.Minute))), true},
		{"a partition concerns one", reachable(t, slow(store), fault(faults.Partition(1, time.Minute))), false},
		{"two may concern two nodes", reachable(t, slow(store), fault(faults.Partition(2, time.Minute))), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

// After a wait without latency the operation meets an outage as any other does.
func TestAnOutageMeetsWhatFollowsAWaitAtOnce(t *testing.T) {
	for _, o := range []scheduler.Options{{}, {SeparateWaits: true}} {
		s := scheduler.NewScenario(orphan{func(c *protocol.Client, reached func()) {
			c.Sleep(time.Second)
			c.Store.Get("a")
			d := c.Deadline(time.Second)
			c.Sleep(time.Millisecond)
			c.Store.Get("b")
			if d.Passed() {
				reached()
			}
		}})
		s.Nodes, s.Updates, s.Latency = 1, 0, protocol.Range{}
		s.Faults = []model.Fault{faults.StorePause(1, time.Second)}
		r, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoOrphanedLock()}, o)
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Verdicts[0]; v.Verdict != scheduler.Violated {
			t.Errorf("%+v: %s", o, v.Verdict)
		}
	}
}
