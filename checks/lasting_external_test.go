package checks_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// How long something lasts at most is exact, with and without each reduction:
//
//   - fixedttl loses its lock 5 s after it took it and believes to hold it until it has read
//     the source (5 ms), computed (25 s) and stored the value (5 ms);
//   - a lock of 30 s whose owner crashes at once is there for 30 s more;
//   - a value that is older than the source when it is stored is there for its TTL of 10 s.
func TestHowLongSomethingLastsIsExact(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		property func(time.Duration) model.Property
		longest  time.Duration
		scenario func() checks.Scenario
		says     string
	}{
		{checks.LossNoticedWithin, 20010 * ms, func() checks.Scenario {
			s := checks.NewScenario(catalogue.FixedTTL{})
			s.Nodes, s.Updates = 1, 0
			return s
		}, "still believes that it holds lock:feed; the lock expired at 5s"},
		{checks.ReleasedWithin, 30 * time.Second, func() checks.Scenario {
			s := checks.NewScenario(catalogue.SetNX{})
			s.Updates, s.Faults = 0, []model.Fault{faults.Crash(1)}
			return s
		}, "nobody has held lock:feed for more than"},
		{checks.FreshWithin, 10 * time.Second, func() checks.Scenario {
			s := checks.NewScenario(catalogue.Lease{})
			s.Nodes, s.ValueTTL = 1, 10*time.Second
			return s
		}, "version 1 has been under feed for more than"},
	} {
		for _, longest := range []time.Duration{c.longest - ms, c.longest} {
			p := c.property(longest)
			var first scheduler.Verdict
			for i, o := range []scheduler.Options{
				{}, {Workers: 1}, {NoSymmetry: true}, {PauseAnyTime: true}, {SeparateArrivals: true}, {SeparateWaits: true},
				{NoSubsumption: true, NoSymmetry: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true},
			} {
				o.MaxStates = 100_000
				r, err := scheduler.Check(context.Background(), c.scenario(), []model.Property{p}, o)
				if err != nil {
					t.Fatalf("%s of %s: %v", p.Name(), longest, err)
				}
				v := r.Verdicts[0]
				if i == 0 {
					first = v
				}
				if !r.Exhausted {
					// Without subsumption a clock that is never reset makes ever new states.
					continue
				}
				if v.Verdict != first.Verdict || v.Faults != first.Faults || v.Steps != first.Steps {
					t.Errorf("%s of %s: %s %d/%d, with %+v %s %d/%d", p.Name(), longest, first.Verdict, first.Faults, first.Steps, o, v.Verdict, v.Faults, v.Steps)
				}
			}
			want := scheduler.Holds
			if longest < c.longest {
				want = scheduler.Violated
			}
			if first.Verdict != want || first.Vacuous != "" {
				t.Errorf("%s of %s: %s %s", p.Name(), longest, first.Verdict, first.Vacuous)
			} else if want == scheduler.Violated && !strings.Contains(first.Trace.Explanation, c.says) {
				t.Errorf("%s of %s: %s", p.Name(), longest, first.Trace.Explanation)
			}
		}
	}
}

// One search has one limit for how long something lasts.
func TestOnePropertyIsAboutTime(t *testing.T) {
	_, err := scheduler.Check(context.Background(), checks.NewScenario(catalogue.Lease{}), []model.Property{checks.AnsweredWithin(time.Second), checks.FreshWithin(time.Second)}, scheduler.Options{})
	if err == nil || !strings.Contains(err.Error(), "at most one property of a check can be about how long something lasts") {
		t.Error(err)
	}
}
