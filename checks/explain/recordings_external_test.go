package explain_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/checks/explain"
	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// recorded explains a recording by a protocol with some parameters, as k=v.
func recorded(t *testing.T, file, name string, parameters ...string) *explain.Result {
	t.Helper()
	f, err := os.Open("../../testdata/incidents/" + file + ".monitor.log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := incident.NewMonitor(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explainBy(m, name, parameters...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func explainBy(commands incident.Reader, name string, parameters ...string) (*explain.Result, error) {
	all := catalogue.All()
	p, err := protocol.WithDefaults(all[slices.IndexFunc(all, func(e catalogue.Entry) bool { return e.Name == name })].New())
	if err != nil {
		return nil, err
	}
	s := explain.Settings{Given: map[string]bool{}, MaxFaults: 2}
	for _, parameter := range parameters {
		key, value, _ := strings.Cut(parameter, "=")
		if err := protocol.SetParameter(p, key, value); err != nil {
			return nil, err
		}
		s.Given[key] = true
	}
	s.Scenario = scheduler.NewScenario(p.(protocol.Protocol))
	s.Scenario.Name, s.Scenario.Latency = name, protocol.Range{Max: 10 * time.Millisecond}
	b, err := explain.Read(commands, s)
	if err != nil {
		return nil, err
	}
	return b.Explain(context.Background(), scheduler.Options{})
}

func violated(r *explain.Result) []string {
	names := []string{}
	for _, v := range r.Violations {
		names = append(names, v.Property.Name())
	}
	return names
}

// The program that made the recording stopped node 0 for 2.2 s, 300 ms after it began, and so
// about 290 ms after the first command.
func TestThePauseOfARecordingIsInferred(t *testing.T) {
	r := recorded(t, "lease-pause", "lease")
	if r.Trace == nil || len(r.Inferred) != 1 || len(r.Others) > 0 {
		t.Fatalf("%+v", r.Explanation)
	}
	f := r.Inferred[0]
	if f.Fault != "pause" || f.Node != "n0" || f.Length.Least > 2200*time.Millisecond || f.Length.Most < 2200*time.Millisecond {
		t.Errorf("%+v, of length %v", f, *f.Length)
	}
	began := r.Reading.At(f.Begin.Most).Sub(r.Reading.Begin)
	if began < 250*time.Millisecond || began > 600*time.Millisecond || f.Begin.Most-f.Begin.Least > 300*time.Millisecond {
		t.Errorf("it began %s after the first command at the latest", began)
	}
	if got := violated(r); !slices.Contains(got, "no-stale-overwrite") || !slices.Contains(got, "mutual-exclusion") {
		t.Errorf("it violates %v", got)
	}
	if v := r.Report().Violations[0]; v.Property != "no-stale-overwrite" || v.Place != "line 61" {
		t.Errorf("%+v", v)
	}
}

// What happened in each recording, and what each other protocol would have done differently.
func TestRecordingsAreExplainedByWhatWasDeployed(t *testing.T) {
	for _, x := range []struct {
		file, protocol string
		parameters     []string
		faults         []string // nil if no run agrees
		violates       []string
	}{
		{"healthy-lease", "lease", nil, []string{}, []string{}},
		{"healthy-lease", "fixedttl", nil, nil, nil},
		{"healthy-lease", "setnx", nil, nil, nil},
		{"lease-pause", "fixedttl", nil, nil, nil},
		{"lease-pause", "lease", []string{"heartbeat=300ms"}, nil, nil},
		{"lease-pause", "lease", []string{"ttl=700ms"}, nil, nil},
		{"foreign-delete", "fixedttl", nil, []string{}, []string{"no-foreign-release", "mutual-exclusion", "rebuild-bound"}},
		{"foreign-delete", "setnx", []string{"losers=poll"}, []string{}, []string{"no-foreign-release", "mutual-exclusion", "rebuild-bound"}},
		{"foreign-delete", "lease", nil, nil, nil},
		{"nottl-crash", "nottl", nil, []string{}, []string{}},
		{"nottl-crash", "nottl", []string{"rebuild=400ms..600ms"}, []string{"crash n0"}, []string{"no-orphaned-lock"}},
	} {
		r := recorded(t, x.file, x.protocol, x.parameters...)
		name := strings.Join(append([]string{x.file, x.protocol}, x.parameters...), " ")
		var got []string
		if r.Trace != nil {
			got = []string{}
			for _, f := range r.Inferred {
				got = append(got, f.Fault+" "+f.Node)
			}
		}
		if r.CutOff != "" || !slices.Equal(got, x.faults) || (got == nil) != (x.faults == nil) {
			t.Errorf("%s: %v %s, want %v", name, got, r.CutOff, x.faults)
		}
		if r.Trace == nil {
			continue
		}
		if got := violated(r); !slices.Equal(got, x.violates) {
			t.Errorf("%s: violates %v, want %v", name, got, x.violates)
		}
		if err := r.Trace.Write(&strings.Builder{}); err != nil {
			t.Error(err)
		}
	}
}

// The smallest scenario with the same violation is minimal, and no smaller one has it.
func TestAnExplanationIsMinimised(t *testing.T) {
	r := recorded(t, "lease-pause", "lease", "rebuild=500ms..1s")
	m, err := r.Minimise(context.Background(), r.Violations[0].Property, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m == nil || !m.Minimal || m.Trace.Faults != 1 || m.Trace.Property != "no-stale-overwrite" {
		t.Fatalf("%+v", m)
	}
	if err := scheduler.Replay(m.Scenario, m.Trace, r.Violations[0].Property); err != nil {
		t.Error(err)
	}
	smaller := m.Scenario
	if smaller.Faults = nil; m.Scenario.Requests > 1 {
		smaller.Requests--
		smaller.Faults = m.Scenario.Faults
	}
	report, err := scheduler.Check(context.Background(), smaller, []model.Property{r.Violations[0].Property}, scheduler.Options{})
	if err != nil || report.Verdicts[0].Verdict != scheduler.Holds {
		t.Errorf("a smaller scenario: %v, %v", report.Verdicts[0].Verdict, err)
	}
}
