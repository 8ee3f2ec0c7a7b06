package checks_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// violated returns a scenario and a counterexample to a property in it.
func violated(t *testing.T, s scheduler.Scenario, p model.Property) *model.Trace {
	t.Helper()
	r, err := scheduler.Check(context.Background(), s, []model.Property{p}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdicts[0].Trace == nil {
		t.Fatalf("%s is not violated", p.Name())
	}
	return r.Verdicts[0].Trace
}

// The page of a history tells each operation of the trace, those that never return among
// them, and is the same bytes every time.
func TestAHistoryIsDrawn(t *testing.T) {
	stale := checks.NewScenario(catalogue.Lease{})
	stale.Faults = []model.Fault{faults.StaleRead(1, time.Second)}
	for _, c := range []struct {
		scenario scheduler.Scenario
		property model.Property
		want     []string
	}{
		{stale, checks.LinearizableRegister(), []string{`n1/0: Get feed -\u003e missing`, "from 2s to 2s"}},
		{checks.NewScenario(catalogue.Lease{}), checks.LinearizableReads(), []string{"called at 0s, has not returned"}},
		{checks.NewScenario(catalogue.FixedTTL{}), checks.LinearizableLock(), []string{`"the lease of lock:feed runs out`}},
	} {
		t.Run(c.property.Name(), func(t *testing.T) {
			trace := violated(t, c.scenario, c.property)
			var page bytes.Buffer
			if err := checks.Visualize(&page, c.scenario, trace, c.property); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				var again bytes.Buffer
				if err := checks.Visualize(&again, c.scenario, trace, c.property); err != nil || !bytes.Equal(page.Bytes(), again.Bytes()) {
					t.Fatalf("the page is another the next time: %v", err)
				}
			}
			for _, o := range trace.History {
				c.want = append(c.want, o.Input)
			}
			for _, want := range c.want {
				if !strings.Contains(page.String(), want) {
					t.Errorf("the page does not say %s", want)
				}
			}
			if n := strings.Count(page.String(), `"ClientId"`); n != len(trace.History) {
				t.Errorf("the page has %d operations, the history %d", n, len(trace.History))
			}
		})
	}
}

// What has no history, or not that of its steps, is refused with the reason.
func TestWhatHasNoHistoryIsNotDrawn(t *testing.T) {
	s := checks.NewScenario(catalogue.FixedTTL{})
	trace := violated(t, s, checks.MutualExclusion())
	err := checks.Visualize(io.Discard, s, trace, checks.MutualExclusion())
	if err == nil || !strings.Contains(err.Error(), "the property mutual-exclusion is not about the history of an object") {
		t.Errorf("error: %v", err)
	}
	err = checks.Visualize(io.Discard, s, trace, checks.LinearizableRegister())
	if err == nil || !strings.Contains(err.Error(), "does not violate linearizable-register") {
		t.Errorf("error: %v", err)
	}
	s = checks.NewScenario(catalogue.Lease{})
	s.Faults = []model.Fault{faults.StaleRead(1, time.Second)}
	for _, change := range []func(*model.Trace){
		func(t *model.Trace) { t.History = t.History[1:] },
		func(t *model.Trace) { t.History = append(t.History, t.History[0]) },
		func(t *model.Trace) { t.History[0].Input = "<script>" },
		func(t *model.Trace) { t.History[3].Output = "v1" },
	} {
		trace := violated(t, s, checks.LinearizableRegister())
		change(trace)
		err = checks.Visualize(io.Discard, s, trace, checks.LinearizableRegister())
		if err == nil || !strings.Contains(err.Error(), "; write the trace again") {
			t.Errorf("error: %v", err)
		}
	}
}
