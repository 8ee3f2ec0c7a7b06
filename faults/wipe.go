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

// Offer lets it strike every store in which there is something.
func (wipe) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	offered := uint32(0)
	for k := range s.Entries {
		if !s.Entries[k].Present() {
			continue
		}
		if store := r.Automaton.Store(model.KeyID(k)); offered&(1<<store) == 0 {
			offered |= 1 << store
			m.Begin()
			m.Add(model.Move{Kind: model.MoveFault, Index: uint8(store)})
		}
	}
}

func (wipe) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	for k := range s.Entries {
		if s.Entries[k].Present() && r.Automaton.Store(model.KeyID(k)) == e.Store {
			remove(s, k, e)
		}
	}
	return nil
}
