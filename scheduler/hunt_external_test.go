package scheduler_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/scheduler"
)

// hunt hunts for one property.
func hunt(t testing.TB, s scheduler.Scenario, p model.Property, o scheduler.HuntOptions) *scheduler.HuntReport {
	t.Helper()
	o.Budget = faults.WithBudget
	r, err := scheduler.Hunt(context.Background(), s, []model.Property{p}, o)
	if err != nil {
		t.Fatalf("%s, %s: %v", s.Name, p.Name(), err)
	}
	return r
}

func propertyOf(t testing.TB, name, argument string) model.Property {
	t.Helper()
	p, err := checks.Named(name, argument)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// From scenarios that are too large to be explored come the counterexamples that are known to
// be minimal in small ones.
func TestAHuntInALargeScenarioEndsWithTheMinimalCounterexample(t *testing.T) {
	for _, c := range []struct {
		protocol string
		property string
		change   []func(*scheduler.Scenario)
		want     string // nodes x requests, updates, faults/steps
	}{
		{"fixedttl", "mutual-exclusion", nil, "2x1 0 0/6"},
		{"fixedttl", "no-foreign-release", nil, "2x1 0 0/9"},
		{"fixedttl", "no-stale-overwrite", nil, "2x1 1 0/12"},
		{"direct", "no-stale-overwrite", nil, "2x1 1 0/9"},
		{"nottl", "no-orphaned-lock", []func(*scheduler.Scenario){crash(1)}, "1x1 0 1/3"},
		{"lease", "mutual-exclusion", []func(*scheduler.Scenario){pause(2, 12*time.Second), crash(1)}, "2x1 0 1/6"},
		{"lease", "no-stale-overwrite", []func(*scheduler.Scenario){pause(2, 12*time.Second), crash(1)}, "2x1 1 1/16"},
		{"fenced", "mutual-exclusion", []func(*scheduler.Scenario){pause(2, 12*time.Second)}, "2x1 0 1/6"},
		{"setnx", "no-foreign-release", []func(*scheduler.Scenario){pause(1, 40*time.Second)}, "2x1 0 1/11"},
	} {
		s := scenario(t, c.protocol, append(c.change, nodes(6), requests(3))...)
		for _, strategy := range []scheduler.Strategy{scheduler.RandomWalk, scheduler.PCT} {
			t.Run(c.protocol+" "+c.property+" "+string(strategy), func(t *testing.T) {
				p := propertyOf(t, c.property, "")
				r := hunt(t, s, p, scheduler.HuntOptions{Runs: 40_000, Seed: 1, Strategy: strategy})
				f := r.Find
				if f == nil {
					t.Fatalf("nothing found in %d runs", r.Runs)
				}
				if !f.Minimal || !f.Smallest || f.Strategy != strategy {
					t.Errorf("minimal: %v (%s), smallest: %v, drawn by %s", f.Minimal, f.Unproven, f.Smallest, f.Strategy)
				}
				got := fmt.Sprintf("%dx%d %d %d/%d", f.Bounds.Nodes, f.Bounds.Requests, f.Bounds.Updates, f.Trace.Faults, f.Trace.Weight)
				// Two requests may as well be on one node.
				if got != c.want && got != strings.Replace(c.want, "2x1", "1x2", 1) {
					t.Errorf("found %s, want %s", got, c.want)
				}
				if err := scheduler.Replay(f.Scenario, f.Trace, p); err != nil {
					t.Error(err)
				}
				known, err := scheduler.Check(context.Background(), f.Scenario, []model.Property{p}, scheduler.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if v := known.Verdicts[0]; v.Faults != f.Trace.Faults || v.Steps != f.Trace.Weight {
					t.Errorf("%d faults and %d steps, and the search of the same scenario finds %d and %d", f.Trace.Faults, f.Trace.Weight, v.Faults, v.Steps)
				}
			})
		}
	}
}

// What holds in every run, holds in those that are drawn.
func TestAHuntFindsNothingWhereThePropertyHolds(t *testing.T) {
	runs := 1500
	if testing.Short() {
		runs = 150
	}
	held := 0
	for _, name := range []string{"direct", "setnx", "nottl", "fixedttl", "lease", "fenced", "versioned"} {
		for _, change := range [][]func(*scheduler.Scenario){
			nil,
			{pause(1, 6900*time.Millisecond)},
			{crash(1), latency(5*time.Millisecond, 5*time.Millisecond)},
			{fault(faults.LostReply(1)), fault(faults.Cancel(1))},
			{fault(faults.StoreClockForward(1, 3*time.Second)), fault(faults.Evict(1))},
		} {
			s := scenario(t, name, change...)
			for _, v := range check(t, s, scheduler.Options{}).Verdicts {
				argument := ""
				if v.Property == "rebuild-bound" {
					argument = fmt.Sprint(s.RebuildBound)
				}
				p := propertyOf(t, v.Property, argument)
				if _, is := p.(model.Monitor); !is || v.Verdict != scheduler.Holds {
					continue
				}
				held++
				if r := hunt(t, s, p, scheduler.HuntOptions{Runs: runs, Seed: 7}); r.Find != nil {
					t.Errorf("%s %v: %s holds, and run %d violates it", name, s.Bounds().Faults, v.Property, r.Find.Run)
				}
			}
		}
	}
	if held < 60 {
		t.Errorf("only %d verdicts hold", held)
	}
}

// Every kind of property and of fault that a run can be about is found, and every find
// replays.
func TestFindsOfEveryKindReplay(t *testing.T) {
	for _, c := range []struct {
		protocol           string
		property, argument string
		change             []func(*scheduler.Scenario)
	}{
		{"direct", "answered-within", "1s", nil},
		{"direct", "rebuild-window", "1/1s", nil},
		{"lease", "converges-within", "1s", nil},
		{"fixedttl", "linearizable-lock", "", nil},
		{"lease", "linearizable-register", "", []func(*scheduler.Scenario){fault(faults.StaleRead(1, time.Second))}},
		{"lease", "mutual-exclusion", "", []func(*scheduler.Scenario){pause(1, 6500*time.Millisecond), fault(faults.StoreClockDrift(1, 100*time.Millisecond))}},
		{"lease", "mutual-exclusion", "", []func(*scheduler.Scenario){fault(faults.Starve(1, 12*time.Second))}},
		{"lease", "mutual-exclusion", "", []func(*scheduler.Scenario){fault(faults.Partition(1, 12*time.Second))}},
		{"nottl", "mutual-exclusion", "", []func(*scheduler.Scenario){fault(faults.Failover(1, time.Second))}},
		{"stacked", "mutual-exclusion", "", []func(*scheduler.Scenario){pause(1, 40*time.Second), func(s *scheduler.Scenario) {
			window := time.Second
			s.ArriveWithin = &window
		}}},
		{"fixedttl", "mutual-exclusion", "", []func(*scheduler.Scenario){func(s *scheduler.Scenario) { s.Endless = true }}},
	} {
		s := scenario(t, c.protocol, append(c.change, nodes(4), requests(2))...)
		p := propertyOf(t, c.property, c.argument)
		r := hunt(t, s, p, scheduler.HuntOptions{Runs: 40_000, Seed: 3})
		if r.Find == nil {
			t.Errorf("%s %s: nothing found in %d runs", c.protocol, c.property, r.Runs)
			continue
		}
		if err := scheduler.Replay(r.Find.Scenario, r.Find.Trace, p); err != nil {
			t.Errorf("%s %s: %v", c.protocol, c.property, err)
		}
		if a, b := r.Find.Found, r.Find.Shrunk; b.Nodes*b.Requests > a.Nodes*a.Requests || b.Faults > a.Faults || b.Faults == a.Faults && b.Steps > a.Steps {
			t.Errorf("%s %s: %+v was shrunk to %+v", c.protocol, c.property, a, b)
		}
	}
}

// The same seed and number of runs give the same bytes, whoever takes the runs, and more runs
// than are needed change nothing.
func TestAHuntDependsOnNothingButItsSeedAndRuns(t *testing.T) {
	for _, c := range []struct {
		protocol, property string
		runs               int
	}{{"lease", "no-stale-overwrite", 2000}, {"fixedttl", "no-foreign-release", 2000}, {"versioned", "no-stale-overwrite", 600}} {
		s := scenario(t, c.protocol, nodes(4), requests(2), pause(1, 12*time.Second))
		var first string
		for _, o := range []scheduler.HuntOptions{{Workers: 1}, {Workers: 1}, {Workers: 2}, {Workers: 5}} {
			o.Runs, o.Seed = c.runs, 11
			out, err := json.Marshal(hunt(t, s, propertyOf(t, c.property, ""), o))
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = string(out)
			}
			if string(out) != first {
				t.Errorf("%s: with %d workers\n%s\nand before\n%s", c.protocol, o.Workers, out, first)
			}
		}
		var r scheduler.HuntReport
		if err := json.Unmarshal([]byte(first), &r); err != nil {
			t.Fatal(err)
		}
		if r.Find == nil {
			continue
		}
		exact := hunt(t, s, propertyOf(t, c.property, ""), scheduler.HuntOptions{Runs: r.Find.Run, Seed: 11})
		if exact.Find == nil || exact.Find.Run != r.Find.Run || exact.Steps != r.Steps {
			t.Errorf("%s: as many runs as it takes do not find it again", c.protocol)
		}
		if short := hunt(t, s, propertyOf(t, c.property, ""), scheduler.HuntOptions{Runs: max(r.Find.Run-1, 1), Seed: 11}); r.Find.Run > 1 && short.Find != nil {
			t.Errorf("%s: it is found in a run before the first", c.protocol)
		}
	}
}

// A search that is cut off proves nothing minimal, and what was shrunk is there all the same.
func TestAFindIsReportedIfItsSearchIsCutOff(t *testing.T) {
	s := scenario(t, "lease", nodes(4), requests(2), pause(1, 12*time.Second))
	p := checks.NoStaleOverwrite()
	r := hunt(t, s, p, scheduler.HuntOptions{Runs: 5000, Seed: 1, MaxStates: 50})
	f := r.Find
	if f == nil || f.Minimal || f.Unproven == "" {
		t.Fatalf("%+v", f)
	}
	if f.Bounds.Nodes != 2 || f.Bounds.Requests != 1 || f.Trace.Faults != 1 {
		t.Errorf("%+v", f.Shrunk)
	}
	if err := scheduler.Replay(f.Scenario, f.Trace, p); err != nil {
		t.Error(err)
	}
}

// Without budgets to change, the shrunk scenario has those that were given.
func TestAFindNeedsNoBudgetsThatCanBeChanged(t *testing.T) {
	s := scenario(t, "nottl", nodes(4), crash(2))
	r, err := scheduler.Hunt(context.Background(), s, []model.Property{checks.NoOrphanedLock()}, scheduler.HuntOptions{Runs: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Find; f == nil || f.Scenario.Faults[0].Budget() != 2 || f.Trace.Faults != 1 || !f.Minimal {
		t.Errorf("%+v", f)
	}
}

// A hunt that is stopped says what it knows, and that it is partial.
func TestAHuntThatIsStoppedSaysWhatItHas(t *testing.T) {
	s := scenario(t, "lease", nodes(4), requests(2))
	p := []model.Property{checks.MutualExclusion()}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := scheduler.Hunt(ctx, s, p, scheduler.HuntOptions{MaxTime: time.Hour, Progress: func(h scheduler.HuntProgress) {
		if h.Left <= 0 || h.Left > time.Hour {
			t.Errorf("%s are left", h.Left)
		}
		cancel()
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Partial == "" || r.Runs == 0 || r.Find != nil {
		t.Errorf("%+v", r)
	}
	if r, err = scheduler.Hunt(ctx, s, p, scheduler.HuntOptions{Runs: 10}); err != nil || r.Partial == "" || r.Runs != 0 {
		t.Errorf("stopped before it begins: %+v, %v", r, err)
	}
}

// A hunt in which a property never has anything to say tells so.
func TestAHuntSaysWhatIsVacuous(t *testing.T) {
	s := scenario(t, "direct")
	if r := hunt(t, s, checks.MutualExclusion(), hundredRuns); len(r.Vacuous) != 1 || r.Vacuous[0].Property != "mutual-exclusion" || r.Vacuous[0].Vacuous == "" {
		t.Errorf("no locks, and mutual exclusion is not vacuous: %+v", r.Vacuous)
	}
	if r := hunt(t, scenario(t, "lease"), checks.MutualExclusion(), hundredRuns); len(r.Vacuous) != 0 {
		t.Errorf("vacuous: %+v", r.Vacuous)
	}
}

var hundredRuns = scheduler.HuntOptions{Runs: 100, Seed: 1}

// What a run was shrunk to need not be the smallest scenario: others are searched.
func TestAHuntGoesToSmallerScenariosAfterTheShrunkOne(t *testing.T) {
	s := scenario(t, "singleflight", nodes(4), requests(3))
	r := hunt(t, s, checks.RebuildBound(4), scheduler.HuntOptions{Runs: 1000, Seed: 1})
	f := r.Find
	if f == nil || !f.Smallest || f.Least.Nodes*f.Least.Requests >= f.Shrunk.Nodes*f.Shrunk.Requests {
		t.Fatalf("%+v", f)
	}
	// Five rebuilds take five requests at least.
	if f.Least.Nodes != 3 || f.Least.Requests != 2 || f.Bounds.Nodes != 3 {
		t.Errorf("%+v", f.Least)
	}
}

// So does one that is stopped while it shrinks what it has found.
func TestAHuntThatIsStoppedWhileItShrinksHasAFind(t *testing.T) {
	s := scenario(t, "fixedttl", nodes(4), requests(2))
	p := checks.MutualExclusion()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// Its Budget is asked for nothing but a find.
	s.Faults = []model.Fault{faults.Pause(2, time.Second)}
	r, err := scheduler.Hunt(ctx, s, []model.Property{stopsAll{p.(model.Monitor), cancel}}, scheduler.HuntOptions{Runs: 5000, Seed: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Find == nil || r.Partial == "" || r.Find.Minimal {
		t.Fatalf("%+v", r)
	}
	if err := scheduler.Replay(r.Find.Scenario, r.Find.Trace, p); err != nil {
		t.Error(err)
	}
}

// stopsAll stops everything when it is violated.
type stopsAll struct {
	model.Monitor
	stop func()
}

func (p stopsAll) Check(s *model.State, e *model.Event, memory []byte) model.Outcome {
	o := p.Monitor.Check(s, e, memory)
	if o&model.Violated != 0 {
		p.stop()
	}
	return o
}

// What makes no sense is refused, with what to do instead.
func TestHuntsThatMakeNoSenseAreRefused(t *testing.T) {
	s := scenario(t, "lease")
	mutex := checks.MutualExclusion()
	for _, c := range []struct {
		properties []model.Property
		options    scheduler.HuntOptions
		want       string
	}{
		{nil, scheduler.HuntOptions{Runs: 1}, "no property"},
		{[]model.Property{checks.Answered()}, scheduler.HuntOptions{Runs: 1}, "lockstep check --property answered"},
		{[]model.Property{mutex, propertyOf(t, "answered-within", "1s")}, scheduler.HuntOptions{Runs: 1}, "hunt for it alone"},
		{[]model.Property{mutex}, scheduler.HuntOptions{}, "without an end"},
		{[]model.Property{mutex}, scheduler.HuntOptions{Runs: -1}, "-1 runs"},
		{[]model.Property{mutex}, scheduler.HuntOptions{Runs: 1, Depth: 21}, "1 to 20"},
		{[]model.Property{mutex}, scheduler.HuntOptions{Runs: 1, Strategy: "luck"}, "walk, pct or both"},
		{[]model.Property{mutex}, scheduler.HuntOptions{Runs: 1, MaxSteps: -1}, "steps a run"},
		{[]model.Property{mutex}, scheduler.HuntOptions{MaxTime: -time.Second}, "a time of -1s"},
		{[]model.Property{mutex}, scheduler.HuntOptions{Runs: 1, Workers: -1}, "-1 workers"},
	} {
		_, err := scheduler.Hunt(context.Background(), s, c.properties, c.options)
		var wrong *scheduler.ScenarioError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want a *ScenarioError with %q", c.options, err, c.want)
		}
	}
}

// A property that panics is named, whoever has asked it.
func TestAHuntNamesAPropertyThatPanics(t *testing.T) {
	s := scenario(t, "lease")
	for _, workers := range []int{1, 3} {
		_, err := scheduler.Hunt(context.Background(), s, []model.Property{alwaysPanics{checks.MutualExclusion().(model.Monitor)}}, scheduler.HuntOptions{Runs: 1000, Workers: workers})
		var broken *scheduler.PropertyError
		if !errors.As(err, &broken) || broken.Property != "mutual-exclusion" {
			t.Errorf("%v", err)
		}
	}
}

type alwaysPanics struct{ model.Monitor }

func (alwaysPanics) Check(*model.State, *model.Event, []byte) model.Outcome { panic("no") }
