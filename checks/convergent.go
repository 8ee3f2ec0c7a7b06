package checks

import (
	"fmt"

	"lockstep/model"
)

// Convergent is the property that no value in a store is older than the source when nobody is
// at work: whatever happened in between, what stays is not stale. It is the form of
// [FreshWithin] that does not ask how long that takes.
func Convergent() model.Property { return convergent{} }

type convergent struct{}

func (convergent) Name() string { return "convergent" }
func (convergent) Rule() string {
	return "when nobody is at work no value in a store is older than the source"
}
func (convergent) Vacuous() string {
	return "there was never a value in a store, nobody at work, and the source changed"
}
func (convergent) Memory() int { return 0 }

func (convergent) Check(s *model.State, _ *model.Event, _ []byte) model.Outcome {
	if s.Source == 1 || !idle(s) {
		return 0
	}
	var outcome model.Outcome
	for k := range s.Entries {
		v := s.Entries[k].Value
		if v.Kind != model.KindVersion {
			continue
		}
		outcome |= model.Exercised
		if v.N < s.Source {
			outcome |= model.Violated
		}
	}
	return outcome
}

func (convergent) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	who := last.Process
	if who == "" {
		who = last.Node
	}
	return fmt.Sprintf("%s was the last one at work, and what is cached is older than the source", who)
}
