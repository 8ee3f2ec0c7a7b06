package explain_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/checks/explain"
	"lockstep/checks/incident"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

var (
	seeds     = flag.Uint64("seeds", 3, "how many simulated runs of each protocol are explained")
	firstSeed = flag.Uint64("first-seed", 0, "the seed of the first of them")
)

// A run that was simulated is explained by its log, with no more faults than it has, and where a
// node stood still, that is within what is inferred.
func TestSimulatedRunsAreExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many searches")
	}
	explained, paused := 0, 0
	for _, e := range catalogue.All() {
		for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
			c, scenario := simulation(t, e, seed)
			trace, _, err := scheduler.SimulatedTrace(c, 0, never{})
			if err != nil {
				t.Fatalf("%s, seed %d: %v", e.Name, seed, err)
			}
			did, err := explainRun(scenario, trace)
			if err != nil {
				t.Errorf("%s, seed %d (%d steps, %d faults): %v", e.Name, seed, trace.Weight, trace.Faults, err)
			}
			if did != nil {
				explained++
				if pauses(trace) == 1 && len(did.Inferred) == 1 && did.Inferred[0].Fault == "pause" && did.Inferred[0].End != nil {
					paused++
				}
			}
		}
	}
	t.Logf("%d runs explained, %d with a pause", explained, paused)
	if *firstSeed == 0 && explained < 20 {
		t.Errorf("only %d runs were explained", explained)
	}
}

// simulation is a small simulation, by the seed with pauses or crashes, and the scenario in which
// its log is explained.
func simulation(t *testing.T, e catalogue.Entry, seed uint64) (scheduler.Simulation, scheduler.Scenario) {
	t.Helper()
	p, err := protocol.WithDefaults(e.New())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"ttl": "2s", "heartbeat": "600ms", "rebuild": "500ms..3s"} {
		if has, err := protocol.ParameterText(p, name); err == nil && has != "" {
			if err := protocol.SetParameter(p, name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := scheduler.NewSimulation(p.(protocol.Protocol))
	c.Name, c.Nodes, c.Requests, c.Updates, c.UpdateWithin, c.Seed, c.Duration = e.Name, 2, 3, 1, 4*time.Second, seed, 12*time.Second
	c.Arrivals = distribution.Poisson(1.5)
	c.Latency = protocol.Range{Max: 5 * time.Millisecond}
	switch seed % 3 {
	case 1:
		c.Faults = []scheduler.SimulatedFault{{Fault: faults.Pause(8, 5*time.Second), Every: 4 * time.Second, Lasts: distribution.Uniform(protocol.Range{Min: time.Second, Max: 4 * time.Second})}}
	case 2:
		c.Faults = []scheduler.SimulatedFault{{Fault: faults.Crash(2), Every: 5 * time.Second}}
	}
	s := scheduler.NewScenario(p.(protocol.Protocol))
	s.Name, s.Updates, s.Latency = e.Name, 1, c.Latency
	return c, s
}

func pauses(t *model.Trace) (n int) {
	for i := range t.Steps {
		if t.Steps[i].Kind == "fault" && t.Steps[i].Fault == "pause" {
			n++
		}
	}
	return n
}

// explainRun explains the log of a run, nil if it has none.
func explainRun(s scheduler.Scenario, t *model.Trace) (*explain.Result, error) {
	given := map[string]bool{"updates": true, "value-ttl": true}
	for _, p := range t.Parameters {
		given[p.Name] = true
	}
	s.Faults = []model.Fault{faults.Pause(max(1, t.Faults), 5*time.Second), faults.Crash(max(1, t.Faults))}
	b, err := explain.Read(incident.FromTrace(t), explain.Settings{
		Scenario: s, Given: given, Lock: "store/lock:feed", Value: "cache/feed", Tolerance: 2 * time.Millisecond, MaxFaults: t.Faults,
	})
	if err != nil {
		if strings.Contains(err.Error(), "no command") {
			return nil, nil
		}
		return nil, err
	}
	r, err := b.Explain(context.Background(), scheduler.Options{MaxStates: 300_000})
	if err != nil {
		return nil, err
	}
	if r.Trace == nil {
		if r.CutOff != "" {
			return nil, nil
		}
		return nil, fmt.Errorf("no run agrees with the log of a run: %s", strings.Join(r.Report().Impossible.Words(), "\n"))
	}
	if r.Trace.Faults > t.Faults {
		return nil, fmt.Errorf("%d faults explain it", r.Trace.Faults)
	}
	return r, withinInferred(b, r, t)
}

// withinInferred reports whether the only pause of a run lies within the only fault that was
// inferred, if that is a pause of the same node.
func withinInferred(b *explain.Reading, r *explain.Result, t *model.Trace) error {
	if len(r.Inferred) != 1 || r.Inferred[0].End == nil || r.Rough || pauses(t) != 1 || t.Faults != 1 {
		return nil
	}
	f := r.Inferred[0]
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Node != f.Node || s.Fault != "pause" {
			continue
		}
		// A trace begins at the Unix epoch; times are rounded to milliseconds.
		at, within := time.Unix(0, int64(s.Time)), f.Begin
		if s.Kind == "recovery" {
			within = *f.End
		}
		if early, late := b.At(within.Least), b.At(within.Most); at.Before(early.Add(-2*time.Millisecond)) || at.After(late.Add(2*time.Millisecond)) {
			return fmt.Errorf("the %s of the pause was at %s, and is inferred to be between %s and %s", s.Kind, s.Time, early.Sub(time.Unix(0, 0)), late.Sub(time.Unix(0, 0)))
		}
	}
	return nil
}

// never is a property that no run violates.
type never struct{}

func (never) Name() string                                           { return checks.NoStaleOverwrite().Name() }
func (never) Rule() string                                           { return "" }
func (never) Vacuous() string                                        { return "" }
func (never) Explain(*model.Trace) string                            { return "" }
func (never) Memory() int                                            { return 0 }
func (never) Check(*model.State, *model.Event, []byte) model.Outcome { return 0 }
