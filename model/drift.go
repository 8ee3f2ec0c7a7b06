package model

import "time"

// A clock that drifts does so from the beginning of the run, at one rate: a second of it
// takes 1-e to 1+e seconds. (It is the length of the second that is bounded, and not the
// rate, so that the extremes of a duration are whole numbers where e is one, and borders
// can be exact.) The rules know nothing of rates: the bounds in guards, invariants and
// constants are what the clock itself would show. Whoever measures time asks
// [Rules.Meters] which clock measures what, and compares accordingly: the search with the
// widest bounds that any rate allows, the replay with the one rate that the trace gives.
//
// The clock of a node measures what its processes wait for by themselves: a Sleep, a wait
// with a timeout in its memory or for a change, deadlines, contexts with a timeout. That of a store measures its
// TTLs, and the timeouts of those who wait at it. Work and messages take as long as they
// take; so do the faults. Times that are written down follow the wall clock, which a time
// server corrects: what is left of a drift there are steps. The timeouts of
// protocol.Client.Within and of lost replies are left alone, too: another timeout says
// as much. What a replica has is measured by another clock, which is right.

// Drift says whether a clock drifts, and to which side.
type Drift uint8

const (
	// NoDrift: the clock is right.
	NoDrift Drift = iota
	// Fast: it runs at most e too fast.
	Fast
	// Slow: it runs at most e too slow.
	Slow
)

func (d Drift) String() string { return [...]string{"right", "fast", "slow"}[d] }

// Drifting is a fault by which a clock drifts.
type Drifting interface {
	Fault
	// PerSecond returns e: by how much a second of a clock is wrong, at most.
	PerSecond() time.Duration
	// OfStores reports whether it concerns the clocks of stores, or those of nodes.
	OfStores() bool
}

// Meter is what measures a clock of a state: the clock of a node or of a store that
// drifts. The zero value is true time.
type Meter struct {
	Drift Drift
	Store bool
	// Index is the node, or the store.
	Index uint8
}

// SetDrift lets the clock of a node, or of a store, drift.
func (s *State) SetDrift(m Meter) {
	s.Drifts = true
	switch {
	case !m.Store:
		s.Nodes[m.Index].Drift = m.Drift
	case m.Drift == Fast:
		s.Fast |= 1 << m.Index
	default:
		s.Slow |= 1 << m.Index
	}
}

// Meters writes for each clock of s, which is in canonical form, by what it is measured;
// by has an entry more than there are clocks.
func (r *Rules) Meters(s *State, by []Meter) {
	clear(by)
	set := func(clock uint8, m Meter) {
		if clock != NoClock && m.Drift != NoDrift {
			by[clock] = m
		}
	}
	for k := range s.present() {
		if e := &s.Entries[k]; e.Timed() {
			set(e.Clock, s.storeMeter(r.Automaton.Store(KeyID(k))))
		}
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		set(p.Clock, r.Meter(s, p))
		for _, reg := range p.Held() {
			if reg.Kind == KindDeadline {
				set(reg.Clock, s.nodeMeter(p.Node))
			}
		}
	}
}

// Meter returns by what the clock of a process is measured.
func (r *Rules) Meter(s *State, p *Process) Meter {
	switch {
	case p.Clock == NoClock:
	case p.Phase == Timing:
		return s.nodeMeter(p.Node)
	case p.Phase == Acting:
		return s.waitMeter(p, r.Automaton.Operation(p.Local))
	}
	return Meter{}
}

// waitMeter is by what a process measures how long it waits for its operation.
func (s *State) waitMeter(p *Process, op *Operation) Meter {
	switch {
	case p.parked() && op.OnStore():
		return s.storeMeter(op.Store)
	case p.parked(), op.Kind == Sleep, op.Kind.guarded():
		return s.nodeMeter(p.Node)
	}
	return Meter{}
}

func (s *State) nodeMeter(node uint8) Meter { return Meter{Drift: s.Nodes[node].Drift, Index: node} }

func (s *State) storeMeter(store StoreID) Meter {
	m := Meter{Store: true, Index: uint8(store)}
	switch {
	case s.Fast&(1<<store) != 0:
		m.Drift = Fast
	case s.Slow&(1<<store) != 0:
		m.Drift = Slow
	}
	return m
}

// Untouched reports whether nothing has happened yet.
func (r *Rules) Untouched(s *State) bool {
	if len(s.Processes) != r.Roots || s.Keys != 0 {
		return false
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Phase != Waiting && p.Phase != Arriving {
			return false
		}
	}
	for n := range s.Nodes {
		if s.Nodes[n].Status != Running {
			return false
		}
	}
	return true
}

// Begins reports whether the operation may be the first by which the clock of its store
// measures something.
func (r *Rules) Begins(s *State, op *Operation) bool {
	if !op.OnStore() || (s.Fast|s.Slow|s.Steady)&(1<<op.Store) != 0 {
		return false
	}
	return op.TTL > 0 && op.Session == 0 && op.Kind != PTTL || op.Kind == RunScript
}

// steady notes for which stores it is too late to drift, as long as that matters: their
// clocks have measured something.
func (r *Rules) steady(s *State) {
	if s.Left[r.StoreDrift-1] == 0 {
		s.Steady = 0
		return
	}
	for k := range s.present() {
		if s.Entries[k].Timed() {
			s.Steady |= 1 << r.Automaton.Store(KeyID(k))
		}
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.parked() {
			if op := r.Automaton.Operation(p.Local); op.OnStore() && op.TTL > 0 {
				s.Steady |= 1 << op.Store
			}
		}
	}
	s.Steady &^= s.Fast | s.Slow
}
