package checks

import (
	"fmt"

	"lockstep/model"
)

// NoForeignRelease is the property that no delete removes a lock that carries
// another's token. A token is its own for the request that created it and for
// what that request spawned, until the request starts over.
func NoForeignRelease() model.Property { return noForeignRelease{} }

type noForeignRelease struct{}

func (noForeignRelease) Name() string    { return "no-foreign-release" }
func (noForeignRelease) Rule() string    { return "no delete removes a lock that carries another's token" }
func (noForeignRelease) Vacuous() string { return "no lock was ever deleted" }
func (noForeignRelease) Memory() int     { return 0 }

func (noForeignRelease) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind != model.MoveEffect || !e.Touched || e.Before.Value.Kind != model.KindToken || e.After.Present() {
		return 0
	}
	if e.Owner != model.OwnerOf(&s.Processes[e.Process]) {
		return model.Exercised | model.Violated
	}
	return model.Exercised
}

func (noForeignRelease) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	owner := "another"
	if last.Change != nil && last.Change.Owner != "" {
		owner = last.Change.Owner
	}
	text := fmt.Sprintf("%s deleted %s, which by then belonged to %s", last.Process, keyName(last.Key), owner)
	if last.Change != nil && last.Change.Since > 0 {
		text += fmt.Sprintf(" (since %s)", model.FormatDuration(last.Change.Since))
	}
	return text
}
