package faults

import (
	"fmt"
	"time"

	"lockstep/model"
)

// Failover returns the fault by which a store fails over to a replica that lacks its
// latest writes, at most times times in a run. Replication falls behind at some instant,
// and within lag the replica takes over: whatever was written in between is lost, TTLs
// run on. Both are steps; the first one is the fault.
//
// In the world it stands for asynchronous replication (Redis Sentinel or Cluster, a
// managed cache): the primary fails before its last writes have reached the replica.
func Failover(times int, lag time.Duration) model.Fault {
	return failover{counted: counted{"failover", times, model.OnStore}, lag: lag}
}

type failover struct {
	counted
	lag   time.Duration
	limit model.Ticks
}

func (f failover) Value() string              { return fmt.Sprintf("%dx%s", f.times, model.FormatDuration(f.lag)) }
func (f failover) Durations() []time.Duration { return []time.Duration{f.lag} }

func (failover) Describe(k model.MoveKind) string {
	if k == model.MoveRecovery {
		return "fails over to its replica"
	}
	return "gets ahead of its replica"
}

func (f failover) Resolve(t model.Tick) (model.Fault, error) {
	if err := f.valid(); err != nil {
		return nil, err
	}
	if f.times > 0 && f.lag < 0 {
		return nil, fmt.Errorf("a failover with a lag of %s: it must be 0 or longer, as in 1x100ms", model.FormatDuration(f.lag))
	}
	var err error
	f.limit, err = t.Ticks(f.lag)
	return f, err
}

// Offer lets a replica fall behind where a write is about to take effect, a wait for
// replicas, or a TTL is just over, which the replica may notice later at that instant:
// before that there is nothing to lose, and more time left if it falls behind later.
func (f failover) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	if s.Replica.Lags {
		if !s.Replica.Reads {
			r.PromotionMoves(s, m)
		}
		return
	}
	offerLag(r, s, m, otherLosses(r, s))
}

// offerLag lets a replica fall behind.
func offerLag(r *model.Rules, s *model.State, m *model.Moves, others bool) {
	offered := uint32(0)
	offer := func(store model.StoreID) {
		if offered&(1<<store) == 0 {
			offered |= 1 << store
			m.Begin()
			m.Add(model.Move{Kind: model.MoveFault, Index: uint8(store)})
		}
	}
	for i := range s.Processes {
		if op := r.Pending(s, &s.Processes[i]); op != nil && (op.Writes() || op.Kind == model.WaitReplicas) {
			offer(op.Store)
		}
	}
	for k := range s.Entries {
		e := &s.Entries[k]
		store := r.Automaton.Store(model.KeyID(k))
		switch {
		case !e.Present() || offered&(1<<store) != 0:
		case others:
			offer(store)
		case e.Clock != model.NoClock:
			m.Begin()
			if m.Require(model.Guard{Clock: e.Clock, Lower: true, Bound: e.TTL}) {
				m.Add(model.Move{Kind: model.MoveFault, Index: uint8(store), Choice: uint32(k) + 1})
			}
		}
	}
}

// otherLosses reports whether another fault may change what is in a store.
func otherLosses(r *model.Rules, s *model.State) bool {
	for i, f := range r.Faults {
		switch f.(type) {
		case failover, staleRead:
			continue
		}
		if s.Left[i] > 0 && (f.Strikes() == model.OnKey || f.Strikes() == model.OnStore) {
			return true
		}
	}
	return false
}

// SeesPending is true: what is offered depends on which operations are under way.
func (failover) SeesPending() bool { return true }

func (f failover) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	if m.Kind == model.MoveRecovery {
		r.Promote(s, m, e)
	} else {
		r.Lag(s, e.Store, false, f.limit)
	}
	return nil
}
