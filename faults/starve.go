package faults

import (
	"time"

	"lockstep/model"
)

// Starve returns the fault by which one process, a request or what it has spawned, takes
// no step for any duration from 0 to max, while its node runs, at most times times in a
// run. What it has become due for meanwhile it does at once afterwards. One process is
// starved at a time.
//
// In the world it stands for an event loop that is blocked, a thread pool that is
// exhausted, a goroutine that waits for a lock: only the heartbeat stops, say.
func Starve(times int, max time.Duration) model.Fault {
	return starve{lasting{counted: counted{"starve", times, model.OnRequest}, longest: max}}
}

type starve struct{ lasting }

// Halts is true: the process may miss its upper bound.
func (starve) Halts() bool { return true }

func (starve) Describe(k model.MoveKind) string {
	if k == model.MoveRecovery {
		return "goes on"
	}
	return "is starved"
}

func (f starve) Resolve(t model.Tick) (model.Fault, error) {
	var err error
	f.lasting, err = f.resolve(t)
	return f, err
}

// Offer lets a process be starved that is exactly at its upper bound, as for a pause, and
// lets the one that is starved go on.
func (starve) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	for i := range s.Processes {
		p := &s.Processes[i]
		switch {
		case p.Starved:
			offerFeed(r, s, m, i)
		case !s.Starving.On && p.Active() && !s.Stands(p):
			offerStarve(r, s, m, i)
		}
	}
}

func offerStarve(r *model.Rules, s *model.State, m *model.Moves, i int) {
	p := &s.Processes[i]
	urgent, bound := r.Urgent(s, p)
	m.Begin()
	switch {
	case urgent || !r.PauseWhenDue:
	case bound == model.Forever || p.Clock == model.NoClock:
		return
	case !m.Require(model.Guard{Clock: p.Clock, Lower: true, Bound: bound}):
		return
	}
	m.Add(model.Move{Kind: model.MoveFault, Index: uint8(i)})
}

// overdue is the Choice of a move by which a process goes on that has become due.
const overdue = 1

// offerFeed splits time: the process is not yet due, or it is overdue. On a node that is
// paused that is found out when the node runs again.
func offerFeed(r *model.Rules, s *model.State, m *model.Moves, i int) {
	p := &s.Processes[i]
	move := model.Move{Kind: model.MoveRecovery, Index: uint8(i)}
	bound := r.Bound(s, p)
	m.Begin()
	if s.Nodes[p.Node].Status != model.Running || p.Clock == model.NoClock || bound == 0 || bound == model.Forever {
		m.Add(move)
		return
	}
	if m.Require(model.Guard{Clock: p.Clock, Bound: bound}) {
		m.Add(move)
	}
	m.Begin()
	move.Choice = overdue
	if m.Require(model.Guard{Clock: p.Clock, Lower: true, Bound: bound}) {
		m.Add(move)
	}
}

func (f starve) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	i := int(m.Index)
	e.Process, e.Node = i, int(s.Processes[i].Node)
	if m.Kind == model.MoveFault {
		s.Starve(i, f.limit)
		return nil
	}
	if m.Choice == overdue {
		e.Overdue = append(e.Overdue, i)
	}
	r.Feed(s, i, m.Choice == overdue)
	return nil
}
