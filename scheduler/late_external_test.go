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
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// Two writes of one process to one key, of which it remembers what it learned, and then
// a look at which of them is there.
func lateWrites(claims func(first, second, seen protocol.Value, err error) bool) func(c *protocol.Client, reached func()) {
	return func(c *protocol.Client, reached func()) {
		first, second := c.NewToken(), c.NewToken()
		err := c.Store.Set("k", first, protocol.PX(time.Hour))
		c.Store.Set("k", second, protocol.PX(time.Hour))
		c.Sleep(5 * time.Second)
		if seen, _, _ := c.Store.Get("k"); claims(first, second, seen, err) {
			reached()
		}
	}
}

func TestRequestsThatTakeEffectLateOrTwice(t *testing.T) {
	overtaken := func(first, _, seen protocol.Value, err error) bool { return seen == first }
	delayed := func(first, _, seen protocol.Value, err error) bool {
		return seen == first && errors.Is(err, protocol.ErrTimeout)
	}
	silently := func(first, _, seen protocol.Value, err error) bool { return seen == first && err == nil }
	refused := func(c *protocol.Client, reached func()) {
		if ok, err := c.Store.SetNX("k", c.NewToken(), time.Hour); err == nil && !ok {
			reached()
		}
	}
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"requests of a process arrive in their order", reachableOnce(t, lateWrites(overtaken)), false},
		{"one that is delayed may be overtaken, and its process has an error", reachableOnce(t, lateWrites(delayed), faults.Delay(1, time.Second)), true},
		{"a process that has none is not concerned", reachableOnce(t, lateWrites(silently), faults.Delay(1, time.Second)), false},
		{"one that is duplicated may come again", reachableOnce(t, lateWrites(silently), faults.Duplicate(1, time.Second)), true},
		{"the process sees the first reply", reachableOnce(t, refused, faults.Duplicate(1, time.Second)), false},
		{"one that is sent again is there twice at once", reachableOnce(t, lateWrites(overtaken), faults.Resend(1)), false},
		{"and its process sees the second reply", reachableOnce(t, refused, faults.Resend(1)), true},
		{"what a node has sent takes effect though it has crashed", reachable(t, func(c *protocol.Client, reached func()) {
			// One sends and crashes before the other looks, a second later.
			if ok, _ := c.Store.SetNX("first", c.NewToken(), time.Hour); ok {
				if _, err := c.Store.Incr("k"); errors.Is(err, protocol.ErrTimeout) {
					c.Acquired("claim")
					c.SleepAtLeast(0)
				}
				return
			}
			if _, ok, _ := c.Store.Get("k"); !ok {
				c.Sleep(time.Second)
				if _, ok, _ := c.Store.Get("k"); ok {
					reached()
				}
			}
		}, fault(faults.Delay(1, 2*time.Second))), true},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

// Within gives up what takes longer, which then still takes effect.
func TestWhatTakesTooLongIsGivenUpAndGoesOn(t *testing.T) {
	write := func(claims func(err error, slow, there bool) bool) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			var err error
			d := c.Deadline(3 * time.Second)
			c.Within(time.Second, func() { err = c.Store.Set("k", c.NewToken(), protocol.PX(time.Hour)) })
			slow := d.Passed()
			c.Sleep(20 * time.Second)
			_, there, _ := c.Store.Get("k")
			if claims(err, slow, there) {
				reached()
			}
		}
	}
	timedOut := func(err error, _, _ bool) bool { return errors.Is(err, protocol.ErrTimeout) }
	thenThere := func(err error, _, there bool) bool { return errors.Is(err, protocol.ErrTimeout) && there }
	takesLong := func(_ error, slow, _ bool) bool { return slow }
	never := func(_ error, _, there bool) bool { return !there }
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"nothing takes a second here", reachableOnce(t, write(timedOut)), false},
		{"a partition may", reachableOnce(t, write(timedOut), faults.Partition(1, 10*time.Second)), true},
		{"the request is there when that is over", reachableOnce(t, write(thenThere), faults.Partition(1, 10*time.Second)), true},
		{"and never lost", reachableOnce(t, write(never), faults.Partition(1, 10*time.Second)), false},
		{"a shorter one does no harm", reachableOnce(t, write(timedOut), faults.Partition(1, 500*time.Millisecond)), false},
		{"a pause may be too long for it", reachableOnce(t, write(timedOut), faults.Pause(1, 10*time.Second)), true},
		{"then the request may be there", reachableOnce(t, write(thenThere), faults.Pause(1, 10*time.Second)), true},
		{"one during a partition does not make it wait for longer", reachableOnce(t, write(takesLong), faults.Partition(1, 18*time.Second), faults.Pause(1, time.Second)), false},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

// So it does where nothing has latency: only an outage keeps an operation back then.
func TestWhatHasNoLatencyIsGivenUpInAnOutage(t *testing.T) {
	for _, c := range []struct {
		longest time.Duration
		wants   bool
	}{{999 * time.Millisecond, false}, {2 * time.Second, true}} {
		s := scheduler.NewScenario(orphan{func(c *protocol.Client, reached func()) {
			var err error
			c.Within(time.Second, func() { err = c.Store.Set("k", c.NewToken(), protocol.PX(time.Hour)) })
			if errors.Is(err, protocol.ErrTimeout) {
				reached()
			}
		}})
		s.Nodes, s.Updates, s.Latency = 1, 0, protocol.Range{}
		fault(faults.Partition(1, c.longest))(&s)
		if got := violated(t, s, checks.NoOrphanedLock()); got != c.wants {
			t.Errorf("a partition of up to %s: %t", c.longest, got)
		}
	}
}

// However long its process has waited, an operation takes its own time: not less, and what
// is left of it when it is given up.
func TestWhatIsGivenUpAfterAPauseTakesItsOwnTime(t *testing.T) {
	early := func(c *protocol.Client, reached func()) {
		var err error
		c.Within(time.Second, func() { err = c.Store.Set("k", c.NewToken(), protocol.PX(time.Hour)) })
		if err == nil {
			reached()
		}
	}
	later := func(c *protocol.Client, reached func()) {
		d := c.Deadline(3 * time.Second)
		c.Within(time.Second, func() { c.Store.Set("k", c.NewToken(), protocol.PX(time.Hour)) })
		if !d.Passed() {
			return
		}
		c.Sleep(time.Second)
		if _, ok, _ := c.Store.Get("k"); ok {
			return
		}
		c.Sleep(time.Second)
		if _, ok, _ := c.Store.Get("k"); ok {
			reached()
		}
	}
	for _, c := range []struct {
		rule    string
		code    func(*protocol.Client, func())
		latency protocol.Range
		fault   model.Fault
		wants   bool
	}{
		{"a short outage does not make it faster", early, model.Exactly(4 * time.Second), faults.Partition(1, time.Second), false},
		{"nor does a pause", early, model.Exactly(4 * time.Second), faults.Pause(1, time.Second), false},
		{"a pause that is long enough leaves it time", early, model.Exactly(4 * time.Second), faults.Pause(1, 3*time.Second), true},
		{"what is given up after a pause may still be under way", later, protocol.Range{Max: 5 * time.Second}, faults.Pause(1, 2*time.Second), true},
		{"but not for longer than without", later, protocol.Range{Max: 3 * time.Second}, faults.Pause(1, 2*time.Second), false},
	} {
		s := scheduler.NewScenario(orphan{c.code})
		s.Nodes, s.Updates, s.Latency = 1, 0, c.latency
		fault(c.fault)(&s)
		if got := violated(t, s, checks.NoOrphanedLock()); got != c.wants {
			t.Errorf("%s: %t", c.rule, got)
		}
	}
}

// For the replica of a store whose clock stands still time has gone on: what should have
// ended long ago ends when it takes over.
func TestTheReplicaOfAFrozenStoreHasItsOwnClock(t *testing.T) {
	outlived := func(c *protocol.Client, reached func()) {
		there := func() bool { _, ok, _ := c.Store.Get("k"); return ok }
		c.Store.Set("k", c.NewToken(), protocol.PX(5*time.Second))
		c.Sleep(8 * time.Second)
		frozen := there()
		c.Sleep(2 * time.Second)
		if frozen && !there() {
			reached()
		}
	}
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"a TTL of a frozen clock never ends", reachableOnce(t, outlived, faults.StoreClockFreeze(1)), false},
		{"nothing outlives its TTL otherwise", reachableOnce(t, outlived, faults.Failover(1, time.Second)), false},
		{"what outlives it ends with a failover", reachableOnce(t, outlived, faults.StoreClockFreeze(1), faults.Failover(1, time.Second)), true},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

// An operation of a request that is cancelled may go on: what its process does next may
// come first. That is so for the first operation of a request, too, which elsewhere is
// taken together with its arrival.
func TestACancelledRequestMayBeOvertaken(t *testing.T) {
	push := func(c *protocol.Client, _ func()) {
		if err := c.Store.Push("signals"); !errors.Is(err, protocol.ErrCancelled) {
			return
		}
		c.WithoutCancel(func() {
			if soon, _ := c.Store.Pop("signals"); soon {
				return
			}
			c.Sleep(time.Second)
			if late, _ := c.Store.Pop("signals"); late {
				c.Store.Set("orphan", c.NewToken())
			}
		})
	}
	afterwards := func(c *protocol.Client, reached func()) {
		c.Store.Get("k")
		push(c, reached)
	}
	for name, code := range map[string]func(*protocol.Client, func()){"first": push, "second": afterwards} {
		if !reachableOnce(t, code, faults.Cancel(1)) {
			t.Errorf("the %s operation is never overtaken", name)
		}
		if reachableOnce(t, code, faults.LostReply(1)) {
			t.Errorf("the %s operation is overtaken though it was not cancelled", name)
		}
	}
}

// By how much clocks may step. lease: its lock is renewed at the latest 3.010 s after it
// was set or renewed, for 10 s (a read of the source and the way to the store, 5 ms each,
// after 3 s), so that 6.990 s are left. setnx with a recorded expiry: it believes for
// 25.015 s at most (a read, 25 s, and a write after the lock was set; and the time in it
// is at most 5 ms older) that it holds a lock of 30 s.
func TestBordersOfStepsOfClocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault func(int, time.Duration) model.Fault
		holds time.Duration
	}{
		{"lease", faults.StoreClockForward, 6989 * time.Millisecond},
		{"setnx", faults.ClockForward, 4984 * time.Millisecond},
		{"setnx", faults.ClockBack, 4984 * time.Millisecond},
	} {
		for _, by := range []time.Duration{c.holds, c.holds + time.Millisecond} {
			s := scenario(t, c.name, fault(c.fault(1, by)))
			if c.name == "setnx" {
				s.Protocol, s.KeepZeros = catalogue.SetNX{Expiry: "recorded"}, false
			}
			r, err := scheduler.Check(context.Background(), s, []model.Property{checks.MutualExclusion()}, scheduler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Verdicts[0].Verdict == scheduler.Holds; got != (by == c.holds) {
				t.Errorf("%s, %s by %s: holds %t", c.name, s.Faults[0].Name(), by, got)
			}
		}
	}
}
