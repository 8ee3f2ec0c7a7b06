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
// outage begins there at the earliest and keeps the renewal back; so does a heartbeat that
// is starved.
func TestLeaseSurvivesOutagesOfStoresUpTo6990Milliseconds(t *testing.T) {
	for _, make := range []func(int, time.Duration) model.Fault{faults.StorePause, faults.Partition, faults.Starve} {
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

// A node that only listens can be cut off, too: what is published meanwhile it never
// hears, a change under a key it notices afterwards.
func TestAnOutageConcernsWhoListens(t *testing.T) {
	listen := func(subscribe func(s *protocol.Store) (*protocol.Watch, error), tell func(s *protocol.Store), within time.Duration) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			if ok, _ := c.Cache.SetNX("first", c.NewToken(), time.Hour); !ok {
				c.Sleep(time.Second)
				tell(c.Store)
				return
			}
			w, err := subscribe(c.Store)
			if err != nil {
				return
			}
			if _, late, _ := c.Store.Get("k"); late {
				return
			}
			if came, _ := w.WaitWithin(2 * time.Second); came {
				return
			}
			if came, _ := w.WaitWithin(within); !came {
				reached()
			}
		}
	}
	message := listen(func(s *protocol.Store) (*protocol.Watch, error) { return s.Subscribe("news") }, func(s *protocol.Store) { s.Publish("news") }, time.Minute)
	change := listen(func(s *protocol.Store) (*protocol.Watch, error) { return s.Watch("k") }, func(s *protocol.Store) { s.Incr("k") }, 4*time.Second)
	atOnce := func(s *scheduler.Scenario) { within := time.Duration(0); s.ArriveWithin = &within }
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"without a fault a message is heard", reachableFirst(t, message, atOnce), false},
		{"a partition loses it", reachableFirst(t, message, atOnce, fault(faults.Partition(1, 5*time.Second))), true},
		{"so does a lost connection", reachableFirst(t, message, atOnce, fault(faults.Disconnect(1, 5*time.Second))), true},
		{"a change is noticed when a partition is over", reachableFirst(t, change, atOnce, fault(faults.Partition(1, 4*time.Second))), false},
		{"and not before", reachableFirst(t, change, atOnce, fault(faults.Partition(1, 6*time.Second))), true},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

// reachableFirst is reachableOnce for one of two nodes.
func reachableFirst(t *testing.T, code func(c *protocol.Client, reached func()), change ...func(*scheduler.Scenario)) bool {
	t.Helper()
	s := scheduler.NewScenario(orphan{code})
	s.Updates = 0
	for _, c := range change {
		c(&s)
	}
	return violated(t, s, checks.NoOrphanedLock())
}
