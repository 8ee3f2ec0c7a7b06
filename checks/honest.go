package checks

import (
	"fmt"

	"lockstep/model"
)

// HonestStatus is the property that who begins to believe that it holds a lock has a token in
// some store at that instant: it has not been told so by something that was over. What it
// believes later is the business of [MutualExclusion] and [WriteUnderLease].
func HonestStatus() model.Property { return honestStatus{} }

type honestStatus struct{}

func (honestStatus) Name() string { return "honest-status" }
func (honestStatus) Rule() string {
	return "who begins to believe that it holds a lock has a token in a store at that instant"
}
func (honestStatus) Vacuous() string { return "nobody ever acquired a lock" }
func (honestStatus) Memory() int     { return 0 }

func (honestStatus) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	for i := range e.Marks {
		if e.Marks[i].Kind != model.MarkAcquired {
			continue
		}
		outcome |= model.Exercised
		if !holdsAny(s, model.OwnerOf(&s.Processes[e.Process])) {
			outcome |= model.Violated
		}
	}
	return outcome
}

// holdsAny reports whether a token of the owner is in some store.
func holdsAny(s *model.State, owner model.Owner) bool {
	for k := range s.Entries {
		if holds(s, owner, model.KeyID(k)) {
			return true
		}
	}
	return false
}

func (honestStatus) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	return fmt.Sprintf("%s believes that it holds the lock, and no token in a store is its own", last.Process)
}
