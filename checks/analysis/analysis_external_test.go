package analysis_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/checks/analysis"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

func metric(t *testing.T, name string) analysis.Metric {
	t.Helper()
	for _, m := range analysis.Metrics() {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("there is no metric %s", name)
	return analysis.Metric{}
}

func worst(t *testing.T, s scheduler.Scenario, name string, o scheduler.Options) *analysis.Worst {
	t.Helper()
	w, err := analysis.WorstCase(context.Background(), s, metric(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The longest wait of a request that rebuilds is what its operations take at most,
// one after the other, and a pause comes on top of that. A request of direct does a
// Get, a read of the source, up to 25 s of work and a Set, each operation within 5 ms.
func TestTheLongestWaitIsTheSumOfWhatItWaitsFor(t *testing.T) {
	s := scheduler.NewScenario(&catalogue.Direct{})
	if w := worst(t, s, "wait", scheduler.Options{}); w.Wait != 25*time.Second+3*5*time.Millisecond || w.AtLeast || w.Forever {
		t.Errorf("%+v", w)
	}
	s.Faults = []model.Fault{faults.Pause(1, 3*time.Second)}
	for name, o := range map[string]scheduler.Options{
		"all reductions":     {},
		"no symmetry":        {NoSymmetry: true},
		"pauses at any time": {PauseAnyTime: true},
		"no subsumption":     {NoSubsumption: true},
	} {
		w := worst(t, s, "wait", o)
		if w.Wait != 28*time.Second+3*5*time.Millisecond {
			t.Errorf("with a pause and %s %s", name, w.Wait)
		}
		if last := w.Trace.Steps[len(w.Trace.Steps)-1]; last.Kind != "late" {
			t.Errorf("the last step is %+v", last)
		}
	}
}

// Where a request may never be answered there is no longest wait.
func TestAWaitMayBeWithoutEnd(t *testing.T) {
	s := scheduler.NewScenario(&catalogue.NoTTL{})
	s.Faults = []model.Fault{faults.Crash(1)}
	if w := worst(t, s, "wait", scheduler.Options{}); !w.Forever || w.Trace == nil {
		t.Errorf("%+v", w)
	}
}

// The claims of the catalogue about rebuilds, and the variants that make them true.
func TestClaimsAreConfirmedOrRefuted(t *testing.T) {
	for _, c := range []struct {
		name    string
		p       protocol.Protocol
		want    int
		refuted bool
	}{
		{"direct", &catalogue.Direct{}, 2, false},
		{"singleflight", &catalogue.SingleFlight{}, 4, true},
		{"singleflight that looks again", &catalogue.SingleFlight{LookAgain: true}, 2, false},
		{"setnx", &catalogue.SetNX{}, 2, true},
		{"setnx that looks again", &catalogue.SetNX{LookAgain: true}, 1, false},
		{"stacked", &catalogue.Stacked{}, 2, true},
		{"stacked that looks again", &catalogue.Stacked{LookAgain: true}, 1, false},
		{"nottl", &catalogue.NoTTL{}, 2, true},
		{"nottl that looks again", &catalogue.NoTTL{LookAgain: true}, 1, false},
		{"fixedttl", &catalogue.FixedTTL{}, 2, true},
		{"fixedttl that looks again and lives long enough", &catalogue.FixedTTL{TTL: 26 * time.Second, LookAgain: true}, 1, false},
		{"lease", &catalogue.Lease{}, 2, true},
		{"lease that looks again", &catalogue.Lease{LookAgain: true}, 1, false},
		{"fenced", &catalogue.Fenced{}, 2, true},
		{"fenced that looks again", &catalogue.Fenced{Lease: catalogue.Lease{LookAgain: true}}, 1, false},
		{"versioned", &catalogue.Versioned{}, 2, true},
		{"versioned that looks again", &catalogue.Versioned{Lease: catalogue.Lease{LookAgain: true}}, 1, false},
	} {
		s, err := scheduler.NewScenario(c.p).Check()
		if err != nil {
			t.Fatal(err)
		}
		w := worst(t, s, "rebuilds", scheduler.Options{})
		if w.Count != c.want || w.AtLeast || (w.Count > s.RebuildBound) != c.refuted {
			t.Errorf("%s: %d rebuilds (at least: %t), %d claimed", c.name, w.Count, w.AtLeast, s.RebuildBound)
		}
	}
}

// What a cache that compares accepts: a fencing token orders acquisitions, a version
// orders values.
func TestWhatComparingAtTheWriteRepairs(t *testing.T) {
	stale := func(p protocol.Protocol, change func(*scheduler.Scenario)) scheduler.Result {
		s := scheduler.NewScenario(p)
		s.Faults = []model.Fault{faults.Pause(1, 12*time.Second)}
		change(&s)
		r, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoStaleOverwrite()}, scheduler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Verdicts[0].Verdict
	}
	as := func(*scheduler.Scenario) {}
	invalidated := func(s *scheduler.Scenario) { s.Updates, s.Invalidate = 2, true }
	for _, c := range []struct {
		name   string
		p      protocol.Protocol
		change func(*scheduler.Scenario)
		want   scheduler.Result
	}{
		{"lease", &catalogue.Lease{}, as, scheduler.Violated},
		{"fenced", &catalogue.Fenced{}, as, scheduler.Violated},
		{"versioned", &catalogue.Versioned{}, as, scheduler.Holds},
		{"versioned, invalidated", &catalogue.Versioned{}, invalidated, scheduler.Violated},
		{"versioned that remembers, invalidated", &catalogue.Versioned{Remember: true}, invalidated, scheduler.Holds},
	} {
		if got := stale(c.p, c.change); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The border is that of the derivation in the scheduler's tests, and both sides are
// shown.
func TestThresholdOfAPause(t *testing.T) {
	axis := analysis.Axis{From: int64(time.Millisecond), To: int64(20 * time.Second), Resolution: int64(time.Millisecond),
		Scenario: func(value int64) (scheduler.Scenario, error) {
			s := scheduler.NewScenario(&catalogue.Lease{})
			s.Faults = []model.Fault{faults.Pause(1, time.Duration(value))}
			return s, nil
		}}
	exclusion := func(scheduler.Scenario) (model.Property, error) { return checks.MutualExclusion(), nil }
	found, err := analysis.FindThreshold(context.Background(), axis, exclusion, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Changes) != 1 || found.Changes[0][0].Value != int64(6989*time.Millisecond) || found.Changes[0][1].Value != int64(6990*time.Millisecond) {
		t.Errorf("%+v", found.Changes)
	}
	if found.Holds.Worse() != scheduler.Holds || found.Breaks.Verdicts[0].Trace == nil {
		t.Error("a side of the border is not shown")
	}
}

// A verdict that goes back and forth is told with all its borders: here a lock that
// is long enough for short work, and work that is slow only in the middle.
func TestAThresholdThatIsNotMonotoneIsTold(t *testing.T) {
	axis := analysis.Axis{From: 1, To: 9, Resolution: 1, Scenario: func(value int64) (scheduler.Scenario, error) {
		work := time.Second
		if value >= 4 && value <= 6 {
			work = 40 * time.Second
		}
		return scheduler.NewScenario(&catalogue.SetNX{Rebuild: protocol.Range{Min: work, Max: work}}), nil
	}}
	exclusion := func(scheduler.Scenario) (model.Property, error) { return checks.MutualExclusion(), nil }
	found, err := analysis.FindThreshold(context.Background(), axis, exclusion, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Changes) != 2 || len(found.Probes) != 9 {
		t.Errorf("%+v", found)
	}
}

// A search that is cut off gives no answer.
func TestACutOffSearchIsNoAnswer(t *testing.T) {
	_, err := analysis.WorstCase(context.Background(), scheduler.NewScenario(&catalogue.Lease{}), metric(t, "rebuilds"), scheduler.Options{MaxStates: 5})
	var cutOff *analysis.CutOffError
	if !errors.As(err, &cutOff) {
		t.Errorf("%v", err)
	}
}

// However many requests there are, the first count that is tried can be counted.
func TestTheFirstCountThatIsTriedCanBeCounted(t *testing.T) {
	s := scheduler.NewScenario(&catalogue.Direct{})
	s.Nodes, s.Requests = 16, 2
	_, err := analysis.WorstCase(context.Background(), s, metric(t, "store-commands"), scheduler.Options{MaxStates: 100})
	var cutOff *analysis.CutOffError
	if !errors.As(err, &cutOff) {
		t.Errorf("%v", err)
	}
}
