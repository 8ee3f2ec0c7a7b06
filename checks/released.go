package checks

import (
	"fmt"
	"maps"
	"slices"

	"lockstep/model"
)

// ReleasedWhenDone is the property that a request that returns leaves no lock behind which
// carries its token, with a TTL or without: others would wait for nothing. It is not
// about requests that crash, nor about what a request has spawned and not waited for.
func ReleasedWhenDone() model.Property { return releasedWhenDone{} }

type releasedWhenDone struct{}

func (releasedWhenDone) Name() string { return "released-when-done" }
func (releasedWhenDone) Rule() string {
	return "no request returns while a lock carries its token"
}
func (releasedWhenDone) Vacuous() string { return "no request that ever took a lock has returned" }

// Memory is 1 once a lock has been taken.
func (releasedWhenDone) Memory() int { return 1 }

func (releasedWhenDone) Check(s *model.State, e *model.Event, taken []byte) model.Outcome {
	for i := range e.Changes {
		if c := &e.Changes[i]; c.Written && c.After.Value.Kind == model.KindToken {
			taken[0] = 1
		}
	}
	if !e.Ended || e.Process < 0 || !s.Processes[e.Process].Root || taken[0] == 0 {
		return 0
	}
	owner := model.OwnerOf(&s.Processes[e.Process])
	for k := range s.Entries {
		if holds(s, owner, model.KeyID(k)) {
			return model.Exercised | model.Violated
		}
	}
	return model.Exercised
}

func (releasedWhenDone) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	owner := map[string]string{} // of the token under a key
	for i := range t.Steps {
		s := &t.Steps[i]
		for _, c := range s.Changes {
			switch {
			case c.After == "" || c.After[0] != '#':
				delete(owner, c.Key)
			case c.Before != c.After:
				owner[c.Key] = s.Process
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(owner)) {
		if sameFamily(owner[key], last.Process) {
			return fmt.Sprintf("%s returned and left %s behind, which carries its token", last.Process, keyName(key))
		}
	}
	return last.Process + " returned and left a lock behind that carries its token"
}
