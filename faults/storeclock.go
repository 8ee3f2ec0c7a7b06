package faults

import (
	"time"

	"lockstep/model"
)

// StoreClockForward returns the fault by which the clock of a store steps forward by so
// much, at most times times in a run: less is left of its TTLs, and those that had no
// more left are over.
//
// In the world it stands for NTP that corrects the time, a manual change, a virtual
// machine that is resumed, under a server whose TTLs follow the wall clock.
func StoreClockForward(times int, by time.Duration) model.Fault {
	return storeClock{stepping{lasting: lasting{counted: counted{"store-clock-forward", times, model.OnStore}, longest: by}}}
}

// StoreClockBack is [StoreClockForward] in the other direction: more is left of the
// TTLs.
func StoreClockBack(times int, by time.Duration) model.Fault {
	return storeClock{stepping{lasting: lasting{counted: counted{"store-clock-back", times, model.OnStore}, longest: by}, back: true}}
}

type storeClock struct{ stepping }

func (f storeClock) Resolve(t model.Tick) (model.Fault, error) {
	var err error
	f.lasting, err = f.resolve(t)
	return f, err
}

// Stretches returns by how much TTLs become longer.
func (f storeClock) Stretches() model.Ticks {
	if f.back {
		return f.limit
	}
	return 0
}

// Offer lets the clock of every store step in which a TTL runs.
func (f storeClock) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	for store := range each(timed(r, s)) {
		r.StepMoves(s, store, f.step(), model.Move{Kind: model.MoveFault, Index: uint8(store)}, m)
	}
}

func (f storeClock) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	r.Step(s, e.Store, f.step(), m, e)
	return nil
}
