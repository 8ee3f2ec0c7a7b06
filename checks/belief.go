package checks

import (
	"iter"
	"math/bits"
	"time"

	"lockstep/model"
)

// locks are those of a set of keys, each a bit, as in [model.Process.Believes].
func locks(set uint16) iter.Seq[model.KeyID] {
	return func(yield func(model.KeyID) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(model.KeyID(bits.TrailingZeros16(set))) {
				return
			}
		}
	}
}

// holds reports whether the entry under a key carries a token of the owner.
func holds(s *model.State, owner model.Owner, key model.KeyID) bool {
	v := s.Entries[key].Value
	return v.Kind == model.KindToken && s.Owners[v.N] == owner
}

// believed reports whether a process of the owner believed before the step that it holds
// the lock.
func believed(s *model.State, e *model.Event, owner model.Owner, key model.KeyID) bool {
	for i := range s.Processes {
		p := &s.Processes[i]
		if model.OwnerOf(p) != owner {
			continue
		}
		believes := p.Believes
		if i == e.Process {
			// What comes after the operation does not count.
			believes = e.Believed
		}
		if believes&(1<<key) != 0 {
			return true
		}
	}
	return false
}

// lastReleasing returns which process of a request began to release a lock last, before
// the end of the trace, and when.
func lastReleasing(t *model.Trace, key, process string) (by string, at time.Duration, ok bool) {
	for i := range t.Steps[:len(t.Steps)-1] {
		step := &t.Steps[i]
		for k := range step.Marks {
			if m := &step.Marks[k]; m.Kind == "releasing" && m.Subject == key && sameFamily(step.By(m), process) {
				by, at, ok = step.By(m), step.Time, true
			}
		}
	}
	return by, at, ok
}
