package checks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Scenario is what [Verify] explores; see [scheduler.Scenario].
type Scenario = scheduler.Scenario

// NewScenario returns the default scenario for a protocol; see
// [scheduler.NewScenario].
func NewScenario(p protocol.Protocol) Scenario { return scheduler.NewScenario(p) }

// TB is the part of *testing.T that Verify needs; *rapid.T has it too.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// TraceDir is where Verify keeps counterexamples, relative to the package under
// test.
const TraceDir = "testdata/lockstep"

// Verify explores every run of the scenario and fails the test for each property
// that one of them violates, with the counterexample as a timeline; the trace is
// written to a file below TraceDir. Without properties it checks all of them
// ([All]).
//
// A trace that is there from an earlier run is replayed first. If it still violates its
// property, that is reported at once, and the property is not searched for.
//
// It stops in good time before the deadline of the test (go test -timeout), and
// then fails the test: what has not been explored to the end does not hold. A
// property that had nothing to say is logged as vacuous. With go test -short the search ends
// after ShortStates states; that it was cut off is then logged and fails nothing.
//
// The environment may limit it further: LOCKSTEP_MAX_STATES, LOCKSTEP_MAX_TIME,
// LOCKSTEP_MAX_MEMORY and LOCKSTEP_WORKERS are as the flags of lockstep check.
func Verify(t TB, s Scenario, properties ...model.Property) {
	t.Helper()
	s, properties, o, err := prepare(s, properties)
	if err != nil {
		t.Fatalf("lockstep: %v", err)
		return
	}
	short := short()
	if short && (o.MaxStates == 0 || o.MaxStates > ShortStates) {
		o.MaxStates = ShortStates
	}
	if properties = replayKept(t, s, properties); len(properties) == 0 {
		return
	}
	ctx, cancel := deadline(t)
	defer cancel()
	r, err := scheduler.Check(ctx, s, properties, o)
	if err != nil {
		t.Fatalf("lockstep: %s: %v", errorKind(err), err)
		return
	}
	for _, v := range r.Verdicts {
		switch v.Verdict {
		case scheduler.Violated:
			t.Errorf("lockstep: %s", violation(t, &v))
		case scheduler.Inconclusive:
			if short && v.Reason == "" {
				t.Logf("lockstep: %s: not explored to the end with -short: %s", v.Property, r.CutOff)
				continue
			}
			if v.Reason != "" {
				t.Errorf("lockstep: %s is inconclusive: %s; let fewer clocks drift, or by less", v.Property, v.Reason)
				continue
			}
			t.Errorf("lockstep: %s is inconclusive: the search was cut off after %d states: %s; give it more time (go test -timeout), or check a smaller scenario", v.Property, r.Stats.States, r.CutOff)
		case scheduler.Holds:
			if v.Vacuous != "" {
				t.Logf("lockstep: %s holds, but vacuously: %s", v.Property, v.Vacuous)
			}
		}
	}
}

// prepare returns the scenario with its defaults, the usual properties if there are none, and
// the options of the environment.
func prepare(s Scenario, properties []model.Property) (Scenario, []model.Property, scheduler.Options, error) {
	s, err := s.Check()
	if err != nil {
		return s, nil, scheduler.Options{}, fmt.Errorf("wrong scenario: %w", err)
	}
	if len(properties) == 0 {
		properties = All(s.RebuildBound)
	}
	o, err := Environment()
	return s, properties, o, err
}

// Explore explores a scenario as [Verify] does, and judges nothing: within the limits of the
// environment, and all properties ([All]) without any. Its error says of what kind it is.
func Explore(ctx context.Context, s Scenario, properties ...model.Property) (*scheduler.Report, error) {
	s, properties, o, err := prepare(s, properties)
	if err != nil {
		return nil, err
	}
	r, err := scheduler.Check(ctx, s, properties, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", errorKind(err), err)
	}
	return r, nil
}

func errorKind(err error) string {
	var s *scheduler.ScenarioError
	var p *scheduler.ProtocolError
	var broken *scheduler.PropertyError
	switch {
	case errors.As(err, &broken):
		return "the property cannot be checked"
	case errors.As(err, &s):
		return "wrong scenario"
	case errors.As(err, &p):
		return "the protocol code breaks a rule"
	}
	return "internal error; please report it"
}

// violation writes the trace and returns what to say.
func violation(t TB, v *scheduler.Verdict) string {
	return Violation(v) + Keep(t, v) + "\n"
}

// Keep writes the counterexample of a verdict to the file in which [Verify] would keep it, and
// says where that is, or why it could not.
func Keep(t interface{ Name() string }, v *scheduler.Verdict) string {
	file := TraceFile(t.Name(), v.Property)
	if err := writeTrace(file, v.Trace); err != nil {
		return fmt.Sprintf("the trace could not be written: %v", err)
	}
	return "the trace is in " + file
}

// Violation says in words what a verdict found, with the counterexample as a timeline.
func Violation(v *scheduler.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is violated (%s, %s): %s\n\n", v.Property, model.Count(v.Faults, "fault", "faults"), model.Count(v.Steps, "step", "steps"), v.Rule)
	if err := timeline.Write(&b, v.Trace, timeline.Options{}); err != nil {
		fmt.Fprintf(&b, "the timeline could not be drawn: %v\n", err)
	}
	return b.String()
}

// TraceFile is where Verify keeps the trace of a property, in a test of the name.
func TraceFile(test, property string) string {
	return filepath.Join(TraceDir, fileName(test+"-"+property)+".json")
}

func writeTrace(file string, t *model.Trace) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(t.Write(f), f.Close())
}

// fileName makes a test's name, which may have slashes and more, one for a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
}

// deadline returns a context that ends before the test does, early enough to
// report.
func deadline(t TB) (context.Context, context.CancelFunc) {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if ok {
		if at, set := d.Deadline(); set {
			left := time.Until(at)
			return context.WithTimeout(context.Background(), left-min(left/10, 5*time.Second))
		}
	}
	return context.WithCancel(context.Background())
}
