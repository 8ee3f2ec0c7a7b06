package faults

import (
	"fmt"
	"time"

	"lockstep/model"
)

// Pause returns the fault that stops a node for any duration from 0 to max, at
// most times times in a run. Its processes take no step; the world goes on: TTLs
// run, sleeps and remote work keep elapsing. When the node runs again, what
// became due meanwhile is due at once, in any order.
//
// In the world it stands for a stop-the-world garbage collection, a suspended
// virtual machine, a laptop lid, SIGSTOP.
func Pause(times int, max time.Duration) model.Fault { return pause{times: times, max: max} }

type pause struct {
	times int
	max   time.Duration
	limit model.Ticks
}

func (pause) Name() string                 { return "pause" }
func (f pause) Budget() int                { return f.times }
func (f pause) Value() string              { return fmt.Sprintf("%dx%s", f.times, model.FormatDuration(f.max)) }
func (f pause) Durations() []time.Duration { return []time.Duration{f.max} }
func (pause) Halts() bool                  { return true }
func (pause) Strikes() model.Target        { return model.OnNode }

func (pause) Describe(k model.MoveKind) string {
	if k == model.MoveRecovery {
		return "runs again"
	}
	return "is paused"
}

func (f pause) Resolve(t model.Tick) (model.Fault, error) {
	if err := checkBudget("pause", f.times); err != nil {
		return nil, err
	}
	if f.times > 0 && f.max <= 0 {
		return nil, fmt.Errorf("a pause of up to %s: the longest pause must be positive, as in 1x12s", f.max)
	}
	var err error
	f.limit, err = t.Ticks(f.max)
	return f, err
}

// Offer lets a running node stop and a stopped one run again.
//
// A pause need only start when a process of the node is exactly at its upper
// bound: until then the process may as well wait on its own, and a pause that
// meets no upper bound changes nothing.
func (pause) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	for from := 0; from < len(s.Processes); {
		to := from
		for to < len(s.Processes) && s.Processes[to].Node == s.Processes[from].Node {
			to++
		}
		switch s.Nodes[s.Processes[from].Node].Status {
		case model.Running:
			offerStart(r, s, m, from, to)
		case model.Halted:
			offerEnd(r, s, m, from, to)
		}
		from = to
	}
}

func offerStart(r *model.Rules, s *model.State, m *model.Moves, from, to int) {
	move := model.Move{Kind: model.MoveFault, Index: s.Processes[from].Node}
	for i := from; i < to; i++ {
		p := &s.Processes[i]
		urgent, _ := r.Urgent(s, p)
		if urgent && p.Phase != model.Sent || !r.PauseWhenDue && p.Active() {
			m.Begin()
			m.Add(move)
			return
		}
	}
	for i := from; i < to; i++ {
		p := &s.Processes[i]
		_, bound := r.Urgent(s, p)
		if bound == model.Forever || p.Clock == model.NoClock || p.Phase == model.Sent {
			continue
		}
		move.Choice = uint32(i-from) + 1
		m.Begin()
		if m.Require(model.Guard{Clock: p.Clock, Lower: true, Bound: bound}) {
			m.Add(move)
		}
	}
}

// offerEnd splits time for each process of the node: it is not yet due, or it is
// overdue and has to act now. Both sides are closed.
func offerEnd(r *model.Rules, s *model.State, m *model.Moves, from, to int) {
	var room [model.MaxProcesses]int
	timed := room[:0]
	for i := from; i < to; i++ {
		p := &s.Processes[i]
		if bound := r.Bound(s, p); p.Phase != model.Sent && !p.Starved && p.Clock != model.NoClock && bound != 0 && bound != model.Forever {
			timed = append(timed, i)
		}
	}
	move := model.Move{Kind: model.MoveRecovery, Index: s.Processes[from].Node}
	for subset := range uint32(1) << len(timed) {
		move.Choice = 0
		possible := true
		m.Begin()
		for k, i := range timed {
			p := &s.Processes[i]
			overdue := subset&(1<<k) != 0
			if overdue {
				move.Choice |= 1 << (i - from)
			}
			possible = possible && m.Require(model.Guard{Clock: p.Clock, Lower: overdue, Bound: r.Bound(s, p)})
		}
		if possible {
			m.Add(move)
		}
	}
}

func (f pause) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Node = int(m.Index)
	node := &s.Nodes[m.Index]
	if m.Kind == model.MoveFault {
		node.Status, node.Clock, node.Limit = model.Halted, model.Fresh, f.limit
		return nil
	}
	node.Status, node.Clock, node.Limit = model.Running, model.NoClock, 0
	position := 0
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.Node != m.Index {
			continue
		}
		if m.Choice&(1<<position) != 0 {
			e.Overdue = append(e.Overdue, i)
			r.FallDue(s, i)
		} else if p.Overdue {
			// It was due before, and has waited longer.
			r.FallDue(s, i)
		}
		position++
	}
	return nil
}
