package checks

import (
	"fmt"
	"slices"

	"lockstep/model"
)

// NoOrphanedLock is the property that there is never a lock without a TTL whose
// owner is gone: crashed, or returned, or starting over. Nothing but an operator
// removes such a lock.
func NoOrphanedLock() model.Property { return noOrphanedLock{} }

type noOrphanedLock struct{}

func (noOrphanedLock) Name() string    { return "no-orphaned-lock" }
func (noOrphanedLock) Rule() string    { return "no lock without a TTL outlives its owner" }
func (noOrphanedLock) Vacuous() string { return "there was never a lock without a TTL" }
func (noOrphanedLock) Memory() int     { return 0 }

func (noOrphanedLock) Check(s *model.State, _ *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	for k := range s.Entries {
		e := &s.Entries[k]
		if e.Value.Kind != model.KindToken || e.TTL != 0 || e.Session != 0 {
			continue
		}
		outcome |= model.Exercised
		if !ownerLives(s, s.Owners[e.Value.N]) {
			return model.Exercised | model.Violated
		}
	}
	return outcome
}

func ownerLives(s *model.State, owner model.Owner) bool {
	if owner == model.NoOwner {
		return false
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Lives() && model.OwnerOf(p) == owner {
			return true
		}
	}
	return false
}

func (noOrphanedLock) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	key := lockWithoutTTL(t)
	who, what := last.Process, "returned"
	if last.EndsNode() {
		who, what = last.Node, "crashed"
	}
	for _, m := range last.Marks {
		if m.Kind == "restart" {
			what = "started over"
		}
	}
	return fmt.Sprintf("%s %s and left %s behind, which has no TTL: nothing will ever remove it", who, what, keyName(key))
}

// lockWithoutTTL returns the last key that holds a token without a TTL at the
// end of the trace.
func lockWithoutTTL(t *model.Trace) string {
	var without []string
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			without = slices.DeleteFunc(without, func(key string) bool { return key == c.Key })
			if c.After != "" && c.After[0] == '#' && c.AfterTTL == 0 {
				without = append(without, c.Key)
			}
		}
	}
	if len(without) == 0 {
		return "the lock"
	}
	return without[len(without)-1]
}
