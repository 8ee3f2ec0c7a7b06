package checks_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// reductions are the ways to search that must not differ in what they find.
var reductions = []scheduler.Options{
	{}, {Workers: 1}, {NoSymmetry: true}, {PauseAnyTime: true}, {SeparateArrivals: true}, {SeparateWaits: true},
	{NoSubsumption: true, NoSymmetry: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true},
}

// verdictOf checks the property with each reduction on and off, and returns what all agree
// on.
func verdictOf(t *testing.T, s checks.Scenario, p model.Property) scheduler.Verdict {
	t.Helper()
	var first scheduler.Verdict
	for i, o := range reductions {
		o.MaxStates = 100_000
		r, err := scheduler.Check(context.Background(), s, []model.Property{p}, o)
		if err != nil {
			t.Fatalf("%s: %v", p.Rule(), err)
		}
		v := r.Verdicts[0]
		if i == 0 {
			first = v
		}
		if !r.Exhausted && i > 0 {
			// Without subsumption a clock that is never reset makes ever new states.
			continue
		}
		if v.Verdict != first.Verdict || v.Faults != first.Faults || v.Steps != first.Steps || v.Vacuous != first.Vacuous {
			t.Errorf("%s: %s %d/%d, with %+v %s %d/%d", p.Rule(), first.Verdict, first.Faults, first.Steps, o, v.Verdict, v.Faults, v.Steps)
		}
	}
	return first
}

// spaced rebuilds at most once in 3 s, by a lock that is never given back.
func spaced(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 3*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired("lock")
	v, err := c.Source.Read()
	c.Releasing("lock")
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}

// everySo is a job that runs every 10 s, or none.
type everySo struct{ Never bool }

func (everySo) Handle(*protocol.Client) protocol.Answer { return protocol.Stale() }

func (p everySo) Job(c *protocol.Client) {
	for {
		c.Checkpoint()
		token := c.NewToken()
		if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err == nil && ok && !p.Never {
			c.Acquired("lock")
			c.Releasing("lock")
		}
		if c.Sleep(10*time.Second) != nil {
			return
		}
	}
}

// repairs deletes what has become stale a second later, or 4 s after that has failed.
type repairs struct{}

func (repairs) Handle(*protocol.Client) protocol.Answer { return protocol.Stale() }

func (repairs) Update(c *protocol.Client) {
	v, err := c.Source.Read()
	if err != nil {
		return
	}
	if c.Cache.Set("feed", v) != nil {
		return
	}
	if _, err := c.Source.Update(); err != nil {
		return
	}
	c.Sleep(time.Second)
	if _, err := c.Cache.Del("feed"); err != nil {
		c.Sleep(4 * time.Second)
		c.Cache.Del("feed")
	}
}

// What happens within less than some time, or not within some time, is exact, with and
// without each reduction. A window has its beginning and not its end, so what is just that
// long apart is allowed. With a latency of 0 to 5 ms:
//
//   - spaced rebuilds up to 5 ms after it gets the lock, and gets it again after 3 s; of three
//     rebuilds the last is 6 s less 5 ms after the first; a pause of 1 s can come before the
//     first, too, and be over when the last is due;
//   - where the clock of the store may be fast by 10 ms a second, the lock lasts for 2.97 s at
//     least;
//   - it acquires the lock when it gets it;
//   - the job asks for the lock up to 5 ms after it has slept;
//   - what has failed to be deleted is deleted 4 s and up to 5 ms later, and is 1.01 s
//     older than that.
func TestWindowsAreExact(t *testing.T) {
	const ms = time.Millisecond
	requests := func(p protocol.Protocol, n int, f ...model.Fault) func() checks.Scenario {
		return func() checks.Scenario {
			s := checks.NewScenario(p)
			s.Nodes, s.Requests, s.Updates, s.Faults = n, 1, 0, f
			return s
		}
	}
	job := func(p everySo) func() checks.Scenario {
		return func() checks.Scenario {
			s := requests(p, 1)()
			s.Jobs = 1
			return s
		}
	}
	update := func(f ...model.Fault) func() checks.Scenario {
		return func() checks.Scenario {
			s := requests(repairs{}, 1, f...)()
			s.Updates = 1
			return s
		}
	}
	window := func(n int) func(time.Duration) model.Property {
		return func(d time.Duration) model.Property { return checks.RebuildWindow(n, d) }
	}
	for name, c := range map[string]struct {
		property       func(time.Duration) model.Property
		scenario       func() checks.Scenario
		holds, violate time.Duration
		says           string
	}{
		"one rebuild": {window(1), requests(handler(spaced), 2), 2995 * ms, 2996 * ms,
			"2.995s after the one that"},
		"two rebuilds":     {window(2), requests(handler(spaced), 3), 5995 * ms, 5996 * ms, "these are 3 within less than 5.996s, and 2 are allowed"},
		"paused":           {window(1), requests(handler(spaced), 2, faults.Pause(1, time.Second)), 1995 * ms, 1996 * ms, "1 is allowed"},
		"a fast store":     {window(1), requests(handler(spaced), 2, faults.StoreClockDrift(1, 10*ms)), 2965 * ms, 2966 * ms, "2.965s after the one that"},
		"at most once":     {checks.AtMostOnceWithin, requests(handler(spaced), 2), 3000 * ms, 3001 * ms, "acquired lock at 3s, 3s after"},
		"at least once":    {checks.AtLeastOnceWithin, job(everySo{}), 10005 * ms, 10004 * ms, "for more than 10.004s nobody has acquired it again"},
		"after no fault":   {checks.ConvergesWithin, update(), 1005 * ms, 1004 * ms, "version 1 has been under feed for more than 1.004s"},
		"after a fault":    {checks.ConvergesWithin, update(faults.StoreError(1)), 4005 * ms, 4004 * ms, "the last fault was over at"},
		"since the change": {checks.FreshWithin, update(faults.StoreError(1)), 5010 * ms, 5009 * ms, "version 1 has been under feed"},
	} {
		t.Run(name, func(t *testing.T) {
			if v := verdictOf(t, c.scenario(), c.property(c.holds)); v.Verdict != scheduler.Holds || v.Vacuous != "" {
				t.Errorf("of %s it is %s %s: %s", c.holds, v.Verdict, v.Vacuous, explanation(&v))
			}
			v := verdictOf(t, c.scenario(), c.property(c.violate))
			if v.Verdict != scheduler.Violated || !v.Minimal || !strings.Contains(v.Trace.Explanation, c.says) {
				t.Errorf("of %s it is %s: %s", c.violate, v.Verdict, explanation(&v))
			}
		})
	}
	for name, c := range map[string]struct {
		property model.Property
		scenario checks.Scenario
	}{
		"one rebuild":   {checks.RebuildWindow(1, time.Second), requests(handler(spaced), 1)()},
		"two rebuilds":  {checks.RebuildWindow(2, time.Second), requests(handler(spaced), 2)()},
		"at most once":  {checks.AtMostOnceWithin(time.Second), requests(handler(spaced), 1)()},
		"at least once": {checks.AtLeastOnceWithin(time.Second), job(everySo{Never: true})()},
		"convergence":   {checks.ConvergesWithin(time.Second), requests(handler(spaced), 1)()},
	} {
		if v := verdictOf(t, c.scenario, c.property); v.Verdict != scheduler.Holds || v.Vacuous == "" {
			t.Errorf("%s: %s, which should be vacuous", name, v.Verdict)
		}
	}
}

// A job stops with the node that runs it.
func TestAtLeastOnceIsViolatedByACrash(t *testing.T) {
	s := checks.NewScenario(everySo{})
	s.Nodes, s.Requests, s.Updates, s.Jobs, s.Faults = 1, 1, 0, 1, []model.Fault{faults.Crash(1)}
	if v := verdictOf(t, s, checks.AtLeastOnceWithin(time.Minute)); v.Verdict != scheduler.Violated || v.Faults != 1 {
		t.Errorf("%s with %d faults", v.Verdict, v.Faults)
	}
}

// A window does not change what is said of other properties, and its traces replay.
func TestWindowsLeaveOtherPropertiesAlone(t *testing.T) {
	s := checks.NewScenario(handler(spaced))
	s.Nodes, s.Updates, s.Faults = 2, 0, []model.Fault{faults.Pause(1, 5*time.Second)}
	alone := verdictOf(t, s, checks.MutualExclusion())
	r, err := scheduler.Check(context.Background(), s, []model.Property{checks.RebuildWindow(1, 2*time.Second), checks.MutualExclusion()}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Verdicts[1]; v.Verdict != alone.Verdict || v.Faults != alone.Faults || v.Steps != alone.Steps {
		t.Errorf("%s %d/%d, alone %s %d/%d", v.Verdict, v.Faults, v.Steps, alone.Verdict, alone.Faults, alone.Steps)
	}
}

// What cannot be counted, or has no length, is refused.
func TestWindowsHaveLimits(t *testing.T) {
	for _, p := range []model.Property{
		checks.RebuildWindow(0, time.Second), checks.RebuildWindow(checks.MaxWindow+1, time.Second), checks.RebuildWindow(1, 0),
		checks.AtMostOnceWithin(0), checks.AtLeastOnceWithin(-1), checks.ConvergesWithin(-1),
	} {
		if err := p.(model.Validator).Valid(); err == nil {
			t.Errorf("%s is accepted", p.Rule())
		}
	}
}
