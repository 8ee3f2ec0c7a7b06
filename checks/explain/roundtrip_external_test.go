package explain_test

import (
	"context"
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
)

// What a run of a protocol has done in the store is explained by that protocol, with no more
// faults than the run has: for the counterexamples to every property, with each fault that leaves
// the stores alone.
func TestTheLogOfARunIsExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many searches")
	}
	explained := 0
	for _, e := range catalogue.All() {
		for _, f := range []model.Fault{nil, faults.Pause(1, 12*time.Second), faults.Crash(1), faults.LostReply(1), faults.LostRequest(1), faults.Restart(1, protocol.Range{Max: time.Second}), faults.Cancel(1)} {
			s := scheduler.NewScenario(e.New())
			s.Name = e.Name
			if f != nil {
				s.Faults = []model.Fault{f}
			}
			report, err := scheduler.Check(context.Background(), s, checks.All(1), scheduler.Options{MaxStates: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range report.Verdicts {
				if v.Trace == nil {
					continue
				}
				if err := explainAgain(s, v.Trace); err != nil {
					t.Errorf("%s, %v, %s: %v", e.Name, s.Bounds().Faults, v.Property, err)
				}
				explained++
			}
		}
	}
	if explained < 50 {
		t.Errorf("only %d runs were explained", explained)
	}
}

// explainAgain explains the log of a trace.
func explainAgain(s scheduler.Scenario, t *model.Trace) error {
	given := map[string]bool{"updates": true, "value-ttl": true}
	for _, p := range t.Parameters {
		given[p.Name] = true
	}
	again, err := scheduler.Scenario.Check(s)
	if err != nil {
		return err
	}
	b, err := explain.Read(incident.FromTrace(t), explain.Settings{
		Scenario: again, Given: given, Lock: "store/lock:feed", Value: "cache/feed", Tolerance: time.Millisecond, MaxFaults: t.Faults,
	})
	if err != nil {
		if strings.Contains(err.Error(), "no command") {
			return nil
		}
		return err
	}
	r, err := b.Explain(context.Background(), scheduler.Options{MaxStates: 200_000})
	if err != nil {
		return err
	}
	if r.Trace == nil {
		return fmt.Errorf("no run agrees with the log of a run (%s): %s", r.CutOff, strings.Join(r.Report().Impossible.Words(), "\n"))
	}
	if r.Trace.Faults > t.Faults {
		return fmt.Errorf("%d faults explain it, and the run has %d", r.Trace.Faults, t.Faults)
	}
	return nil
}
