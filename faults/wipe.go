package faults

import "lockstep/model"

// Wipe returns the fault by which a store restarts with its memory lost, at most times
// times in a run: all its keys are gone. The restart itself takes no time.
//
// In the world it stands for a store without persistence that is restarted, a FLUSHALL,
// a new instance behind the same name.
func Wipe(times int) model.Fault { return wipe{counted{"wipe", times, model.OnStore}} }

type wipe struct{ counted }

func (wipe) Describe(model.MoveKind) string            { return "restarts with its memory lost" }
func (f wipe) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }

// Offer lets it strike every store in which there is something: the move names the
// first of its keys.
func (wipe) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	for k := range s.Entries {
		if s.Entries[k].Present() && first(r, s, k) {
			m.Begin()
			m.Add(model.Move{Kind: model.MoveFault, Index: uint8(k)})
		}
	}
}

// first reports whether no key before k is in the same store and has something under
// it.
func first(r *model.Rules, s *model.State, k int) bool {
	for before := range k {
		if s.Entries[before].Present() && r.Automaton.SameStore(model.KeyID(before), model.KeyID(k)) {
			return false
		}
	}
	return true
}

func (wipe) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	for k := range s.Entries {
		if s.Entries[k].Present() && r.Automaton.SameStore(model.KeyID(k), model.KeyID(m.Index)) {
			remove(s, k, e)
		}
	}
	return nil
}
