package faults

import (
	"iter"
	"math/bits"

	"lockstep/model"
)

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
	offerTimed(r, s, m)
}

// offerTimed lets a fault strike every store in which a TTL runs.
func offerTimed(r *model.Rules, s *model.State, m *model.Moves) {
	for store := range each(timed(r, s)) {
		m.Begin()
		m.Add(model.Move{Kind: model.MoveFault, Index: uint8(store)})
	}
}

// each yields the stores that have a bit in the mask, in order.
func each(stores uint32) iter.Seq[model.StoreID] {
	return func(yield func(model.StoreID) bool) {
		for ; stores != 0; stores &= stores - 1 {
			if !yield(model.StoreID(bits.TrailingZeros32(stores))) {
				return
			}
		}
	}
}

// timed returns the stores in which a TTL runs, each as a bit.
func timed(r *model.Rules, s *model.State) (stores uint32) {
	for k := range s.Entries {
		if r.Runs(s, model.KeyID(k)) {
			stores |= 1 << r.Automaton.Store(model.KeyID(k))
		}
	}
	return stores
}

func (storeFreeze) Apply(_ *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	s.Freeze(e.Store)
	return nil
}
