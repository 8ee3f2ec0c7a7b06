package faults

import (
	"time"

	"lockstep/model"
)

// StaleRead returns the fault by which a replica of a store or of the source lags for any
// duration from 0 to lag, at most times times in a run: meanwhile a Get or a Source.Read
// may see what was there when it fell behind, or what is there. TTLs run on in it. Writes
// and atomic steps are not concerned.
//
// In the world it stands for reads that are sent to replicas, a read replica of a
// database, a leader that is deposed and does not know.
func StaleRead(times int, lag time.Duration) model.Fault {
	return staleRead{lasting{counted: counted{"stale-read", times, model.OnStore}, longest: lag}}
}

type staleRead struct{ lasting }

func (staleRead) Describe(k model.MoveKind) string {
	if k == model.MoveRecovery {
		return "has replicas that are all up to date"
	}
	return "has a replica that lags"
}

func (f staleRead) Resolve(t model.Tick) (model.Fault, error) {
	var err error
	f.lasting, err = f.resolve(t)
	return f, err
}

// SeesPending is true: what is offered depends on which operations are under way.
func (staleRead) SeesPending() bool { return true }

// Offer lets a replica fall behind where something is about to change, and catch up at
// any time.
func (f staleRead) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	if s.Replica.Lags {
		if s.Replica.Reads {
			m.Begin()
			m.Add(model.Move{Kind: model.MoveRecovery, Index: uint8(s.Replica.Store)})
		}
		return
	}
	offerLag(r, s, m, otherLosses(r, s))
	for i := range s.Processes {
		if op := r.Pending(s, &s.Processes[i]); op != nil && (op.Kind == model.SourceUpdate || op.Kind == model.SourceCommit) {
			m.Begin()
			m.Add(model.Move{Kind: model.MoveFault, Index: uint8(model.SourceStore)})
			return
		}
	}
}

func (f staleRead) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	if m.Kind == model.MoveRecovery {
		r.CatchUp(s)
	} else {
		r.Lag(s, e.Store, true, f.limit)
	}
	return nil
}
