package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// ReleasedWithin is the property that no lock outlives the request that took it by more than
// d: which has returned, or started over, or is gone with its node. d is 0 or more.
func ReleasedWithin(d time.Duration) model.Property {
	return releasedWithin{lasting{"released-within", d}}
}

type releasedWithin struct{ lasting }

func (p releasedWithin) Rule() string {
	return "no lock outlives its owner by more than " + model.FormatDuration(p.longest)
}
func (releasedWithin) Vacuous() string { return "no lock ever outlived its owner" }

func (releasedWithin) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind == model.MoveLate {
		return model.Exercised | model.Violated
	}
	return watchEntries(s, func(k int) bool {
		v := s.Entries[k].Value
		return v.Kind == model.KindToken && !ownerLives(s, s.Owners[v.N])
	})
}

func (p releasedWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	return fmt.Sprintf("nobody has held %s for more than %s, and it is still there", keyName(last.Key), model.FormatDuration(p.longest))
}
