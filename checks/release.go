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
	if e.Process < 0 {
		return 0
	}
	var outcome model.Outcome
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Before.Value.Kind != model.KindToken || c.After.Present() {
			continue
		}
		outcome |= model.Exercised
		if c.Owner != model.OwnerOf(&s.Processes[e.Process]) {
			outcome |= model.Violated
		}
	}
	return outcome
}

func (noForeignRelease) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for _, c := range last.Changes {
		if c.After != "" || c.Owner == "" || sameFamily(c.Owner, last.Process) {
			continue
		}
		text := fmt.Sprintf("%s deleted %s, which by then belonged to %s", last.Process, keyName(c.Key), c.Owner)
		if c.Since > 0 {
			text += fmt.Sprintf(" (since %s)", model.FormatDuration(c.Since))
		}
		return text
	}
	return fmt.Sprintf("%s deleted a lock with a token that it no longer had", last.Process)
}
