package checks

import (
	"errors"
	"io/fs"
	"os"

	"lockstep/model"
	"lockstep/scheduler"
)

// replayKept replays the traces that earlier runs of the test have kept, and reports those
// that still violate their property. It returns the other properties.
func replayKept(t TB, s Scenario, properties []model.Property) []model.Property {
	t.Helper()
	var left []model.Property
	for _, p := range properties {
		file := TraceFile(t.Name(), p.Name())
		trace, err := readKept(file)
		if err != nil {
			t.Errorf("lockstep: the trace that is kept in %s cannot be read: %v; restore it, or remove it", file, err)
		}
		if trace == nil || !IsOf(trace, p) {
			left = append(left, p)
			continue
		}
		r, err := scheduler.Again(s, trace, p, -1)
		switch {
		case err != nil:
			t.Fatalf("lockstep: %s: %v", errorKind(err), err)
			return nil
		case r.Departure != nil:
			t.Logf("lockstep: the trace that is kept in %s does not happen any more: %v", file, r.Departure)
		case r.Undecided != "":
			t.Logf("lockstep: the run that is kept in %s happens again: %s", file, r.Undecided)
		case r.Violated == 0:
			t.Logf("lockstep: the run that is kept in %s does not violate %s any more", file, p.Name())
		default:
			r.Trace.Faults, r.Trace.Weight = trace.Faults, trace.Weight
			v := scheduler.Verdict{Property: p.Name(), Rule: p.Rule(), Verdict: scheduler.Violated, Faults: trace.Faults, Steps: trace.Weight, Trace: r.Trace}
			t.Errorf("lockstep: %sreplayed from %s; there may be a shorter one by now: remove the file to look for it\n", Violation(&v), file)
			continue
		}
		left = append(left, p)
	}
	return left
}

// readKept reads a trace, nil if there is none.
func readKept(file string) (*model.Trace, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return model.ReadTrace(f)
}

// IsOf reports whether the trace is of the property, with the same argument.
func IsOf(t *model.Trace, p model.Property) bool {
	argument := ""
	if p, ok := p.(model.Argued); ok {
		argument = p.Argument()
	}
	return t.Property == p.Name() && t.Argument == argument && t.Rule == p.Rule()
}
