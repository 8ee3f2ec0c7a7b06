package faults

import (
	"fmt"
	"time"

	"lockstep/model"
)

// MaxDrift is by how much a second of a clock may be wrong, at most.
const MaxDrift = 500 * time.Millisecond

// ClockDrift returns the fault by which the clock of a node drifts from the beginning, of
// at most times nodes in a run: a second of it is wrong by up to perSecond, too short or
// too long, always by the same. What a process waits for by itself, a Sleep for example, and
// deadlines end early or late; work takes as long as it takes.
//
// A search widens each of these durations by itself. Before it reports a counterexample it
// looks for one rate of each clock with which the whole run is possible; if there is
// none, the verdict is inconclusive.
//
// In the world it stands for the quartz of a cheap machine, a virtual machine that loses
// ticks.
func ClockDrift(times int, perSecond time.Duration) model.Fault {
	return drift{counted{"clock-drift", times, model.OnNode}, perSecond, false}
}

// StoreClockDrift is [ClockDrift] of the clock of a store, by which TTLs end early or
// late. It drifts until the store fails over.
func StoreClockDrift(times int, perSecond time.Duration) model.Fault {
	return drift{counted{"store-clock-drift", times, model.OnStore}, perSecond, true}
}

type drift struct {
	counted
	perSecond time.Duration
	ofStores  bool
}

func (f drift) Value() string            { return fmt.Sprintf("%dx%s", f.times, FormatRate(f.perSecond)) }
func (f drift) PerSecond() time.Duration { return f.perSecond }
func (f drift) OfStores() bool           { return f.ofStores }

// SeesPending is true: the clock of a store drifts from its first use on.
func (f drift) SeesPending() bool { return f.ofStores }

func (drift) Describe(model.MoveKind) string { return "has a clock that drifts" }

// Durations returns what the tick must divide so that little is lost where durations that
// drift are rounded outward: a tenth of the drift in a second, or less.
func (f drift) Durations() []time.Duration {
	if f.perSecond <= 0 {
		return nil
	}
	unit := time.Second
	for unit > f.perSecond/10 && unit > time.Microsecond {
		unit /= 10
	}
	return []time.Duration{unit}
}

func (f drift) Resolve(model.Tick) (model.Fault, error) {
	if f.times > 0 && (f.perSecond <= 0 || f.perSecond > MaxDrift) {
		return f, fmt.Errorf("the fault %s of %s: a clock may drift by more than 0 and at most %s, as in 1x1%%", f.name, FormatRate(f.perSecond), FormatRate(MaxDrift))
	}
	return f, f.valid()
}

// Offer lets the clock of a node drift before anything has happened, and that of a store
// before it is used for the first time.
func (f drift) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	if !f.ofStores {
		f.offerNodes(r, s, m)
		return
	}
	offered := uint32(0)
	for i := range s.Processes {
		op := r.Pending(s, &s.Processes[i])
		if op != nil && offered&(1<<op.Store) == 0 && r.Begins(s, op) {
			offered |= 1 << op.Store
			f.offer(uint8(op.Store), m)
		}
	}
}

func (f drift) offerNodes(r *model.Rules, s *model.State, m *model.Moves) {
	if !r.Untouched(s) {
		return
	}
	for n := range s.Nodes {
		if s.Nodes[n].Drift == model.NoDrift {
			f.offer(uint8(n), m)
		}
	}
}

func (drift) offer(index uint8, m *model.Moves) {
	for _, to := range [...]model.Drift{model.Fast, model.Slow} {
		m.Begin()
		m.Add(model.Move{Kind: model.MoveFault, Index: index, Choice: uint32(to)})
	}
}

func (f drift) Apply(_ *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	if f.ofStores {
		e.Store = model.StoreID(m.Index)
	} else {
		e.Node = int(m.Index)
	}
	e.Drift = model.Meter{Drift: model.Drift(m.Choice), Store: f.ofStores, Index: m.Index}
	s.SetDrift(e.Drift)
	return nil
}
