package checks

import (
	"fmt"

	"lockstep/model"
)

// NoLostUpdate is the property that whoever commits a transaction of the source has read
// the version that it replaces: otherwise it has written over a change that it did not
// know. It is not about updates that are no transactions, which replace whatever is there.
func NoLostUpdate() model.Property { return noLostUpdate{} }

type noLostUpdate struct{}

func (noLostUpdate) Name() string { return "no-lost-update" }
func (noLostUpdate) Rule() string {
	return "who commits a change of the source has read the version before it"
}
func (noLostUpdate) Vacuous() string { return "nobody ever committed a transaction of the source" }
func (noLostUpdate) Memory() int     { return 0 }

func (noLostUpdate) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	switch {
	case !e.Committed:
		return 0
	case e.Known+1 < s.Source:
		return model.Exercised | model.Violated
	}
	return model.Exercised
}

func (noLostUpdate) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for i := len(t.Steps) - 2; i >= 0; i-- {
		if s := &t.Steps[i]; s.Operation == model.SourceCommit.String() || s.Operation == model.SourceUpdate.String() {
			return fmt.Sprintf("%s committed a change without having read that of %s at %s", last.Process, s.Process, model.FormatDuration(s.Time))
		}
	}
	return last.Process + " committed a change without having read the one before it"
}
