package faults

import "lockstep/model"

// StoreClockFreeze returns the fault by which the clock of a store stands still from
// then on, until it fails over, at most times times in a run: its TTLs never end.
//
// In the world it stands for a server whose cached time is not updated, a time source
// that is broken.
func StoreClockFreeze(times int) model.Fault {
	return storeFreeze{counted{"store-clock-freeze", times, model.OnStore}}
}

type storeFreeze struct{ counted }

func (storeFreeze) Describe(model.MoveKind) string            { return "has its clock stand still" }
func (f storeFreeze) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }

// Offer lets the clock of every store stand still in which a TTL runs: before that
// there is nothing to tell.
func (storeFreeze) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	offered := uint32(0)
	for k := range s.Entries {
		if s.Entries[k].Clock == model.NoClock {
			continue
		}
		if store := r.Automaton.Store(model.KeyID(k)); offered&(1<<store) == 0 {
			offered |= 1 << store
			m.Begin()
			m.Add(model.Move{Kind: model.MoveFault, Index: uint8(store)})
		}
	}
}

func (storeFreeze) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	r.Freeze(s, e.Store)
	return nil
}
