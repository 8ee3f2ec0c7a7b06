package faults

import (
	"time"

	"lockstep/model"
)

// StorePause returns the fault by which a store stands still for any duration from 0 to
// max, at most times times in a run: what is asked of it waits, with no timeout, and
// takes effect when it goes on. The TTLs in it run on.
//
// In the world it stands for a fork for a snapshot on a large machine, a slow command
// that blocks the others, SIGSTOP of the server.
func StorePause(times int, max time.Duration) model.Fault {
	return outage{lasting: lasting{counted: counted{"store-pause", times, model.OnStore}, longest: max}, everywhere: true}
}

// outage is a fault by which a store does not answer.
type outage struct {
	lasting
	everywhere bool
	refuses    bool
}

// Halts is true if operations wait: they may miss their upper bounds.
func (f outage) Halts() bool { return !f.refuses }

// SeesPending is true: it begins where an operation is under way.
func (outage) SeesPending() bool { return true }

func (f outage) Describe(k model.MoveKind) string {
	switch {
	case f.everywhere && k == model.MoveRecovery:
		return "goes on"
	case f.everywhere:
		return "stands still"
	case k == model.MoveRecovery:
		return "can be reached again"
	case f.refuses:
		return "cannot be connected to"
	}
	return "cannot be reached"
}

func (f outage) Resolve(t model.Tick) (model.Fault, error) {
	var err error
	f.lasting, err = f.resolve(t)
	return f, err
}

// Offer lets an outage begin where an operation is due that it concerns, and end at any
// time.
func (f outage) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	if s.Outage.On {
		if s.Outage.Everywhere == f.everywhere && s.Outage.Refuses == f.refuses {
			r.EndMoves(s, m)
		}
		return
	}
	offered := map[model.Outage]bool{}
	f.offerListening(r, s, m, offered)
	for i := range s.Processes {
		p := &s.Processes[i]
		op := r.Pending(s, p)
		if op == nil || !op.OnStore() || !f.refuses && !p.UnderWay() {
			continue
		}
		o := f.of(op.Store, p.Node)
		if offered[o] {
			continue
		}
		offered[o] = true
		r.BeginningMoves(s, o, f.beginning(o), m)
	}
}

// offerListening lets an outage begin at any time where a node listens to a store: it may
// miss a message, or notice a change late.
func (f outage) offerListening(r *model.Rules, s *model.State, m *model.Moves, offered map[model.Outage]bool) {
	if !s.Attentive {
		return
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		for store := range each(r.Listens(p)) {
			if o := f.of(store, p.Node); !offered[o] {
				offered[o] = true
				m.Begin()
				m.Add(f.beginning(o))
			}
		}
	}
}

// beginning is the move by which an outage begins. The node stands above what tells moves
// of one outage apart.
func (outage) beginning(o model.Outage) model.Move {
	return model.Move{Kind: model.MoveFault, Index: uint8(o.Store), Choice: uint32(o.Node) << 8}
}

func (f outage) of(store model.StoreID, node uint8) model.Outage {
	if f.everywhere {
		node = 0
	}
	return model.Outage{Store: store, Everywhere: f.everywhere, Refuses: f.refuses, Node: node, Limit: f.limit}
}

func (f outage) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	if m.Kind == model.MoveRecovery {
		if !f.everywhere {
			e.Node = int(s.Outage.Node)
		}
		r.EndOutage(s, m, e)
		return nil
	}
	o := f.of(e.Store, uint8(m.Choice>>8))
	r.BeginOutage(s, o)
	if !f.everywhere {
		e.Node = int(o.Node)
	}
	return nil
}
