package checks

import (
	"fmt"

	"lockstep/model"
)

// MonotonicReads is the property that no process finds in a store a value that is older
// than one that it has found, read or computed before, and has not left behind at a
// checkpoint.
func MonotonicReads() model.Property { return monotonicReads{} }

type monotonicReads struct{}

func (monotonicReads) Name() string { return "monotonic-reads" }
func (monotonicReads) Rule() string {
	return "no process finds a value that is older than one it knows already"
}
func (monotonicReads) Vacuous() string { return "no process ever looked for a value when it knew one" }
func (monotonicReads) Memory() int     { return 0 }

func (monotonicReads) Check(_ *model.State, e *model.Event, _ []byte) model.Outcome {
	switch {
	case e.Known == 0 || e.Data[0].Kind != model.KindVersion:
		return 0
	case e.Known > e.Data[0].N:
		return model.Exercised | model.Violated
	}
	return model.Exercised
}

func (monotonicReads) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	return fmt.Sprintf("%s found %s under %s, and it knew a newer one", last.Process, versionName(last.Observation), keyName(last.Key))
}
