package faults

import (
	"fmt"
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
	return storeClock{counted: counted{"store-clock-forward", times, model.OnStore}, by: by}
}

// StoreClockBack is [StoreClockForward] in the other direction: more is left of the
// TTLs.
func StoreClockBack(times int, by time.Duration) model.Fault {
	return storeClock{counted: counted{"store-clock-back", times, model.OnStore}, by: by, back: true}
}

type storeClock struct {
	counted
	by    time.Duration
	back  bool
	ticks model.Ticks
}

func (f storeClock) Value() string              { return fmt.Sprintf("%dx%s", f.times, model.FormatDuration(f.by)) }
func (f storeClock) Durations() []time.Duration { return []time.Duration{f.by} }

func (f storeClock) Describe(model.MoveKind) string {
	if f.back {
		return "has its clock step back by " + model.FormatDuration(f.by)
	}
	return "has its clock step forward by " + model.FormatDuration(f.by)
}

func (f storeClock) Resolve(t model.Tick) (model.Fault, error) {
	if err := f.valid(); err != nil {
		return nil, err
	}
	ticks, err := amount(f.counted, f.by, t)
	f.ticks = ticks
	return f, err
}

// amount converts by how much a clock steps.
func amount(f counted, by time.Duration, t model.Tick) (model.Ticks, error) {
	if f.times > 0 && by <= 0 {
		return 0, fmt.Errorf("the fault %s by %s: it must be positive, as in 1x30s", f.name, model.FormatDuration(by))
	}
	return t.Ticks(by)
}

// Stretches returns by how much TTLs become longer.
func (f storeClock) Stretches() model.Ticks {
	if f.back {
		return f.ticks
	}
	return 0
}

func (f storeClock) step() model.Ticks {
	if f.back {
		return -f.ticks
	}
	return f.ticks
}

// Offer lets the clock of every store step in which a TTL runs.
func (f storeClock) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	for store, stores := model.StoreID(0), timed(r, s); stores != 0; store, stores = store+1, stores>>1 {
		if stores&1 != 0 {
			r.StepMoves(s, store, f.step(), model.Move{Kind: model.MoveFault, Index: uint8(store)}, m)
		}
	}
}

func (f storeClock) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	r.Step(s, e.Store, f.step(), m, e)
	return nil
}
