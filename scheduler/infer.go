package scheduler

import (
	"lockstep/model"
	"lockstep/model/zone"
)

// free says between which instants the fault that is about to strike a node can begin, as far as
// the node itself decides: before what is due there. It is false if something is due at once.
func (x *expander) free(n int, births []int, move *model.Move) ([]difference, bool) {
	if move.Kind != model.MoveFault || x.rules.Faults[move.Fault].Strikes() != model.OnNode {
		return nil, false
	}
	var list []difference
	for i := range x.from.Processes {
		p := &x.from.Processes[i]
		if p.Node != move.Index || p.Phase == model.Waiting {
			continue
		}
		urgent, bound := x.rules.Urgent(&x.from, p)
		if urgent {
			return nil, false
		}
		if p.Clock != model.NoClock && bound < model.Forever {
			list = append(list, difference{n, births[p.Clock-1], 0, zone.Bound(bound), driftingClock{}})
		}
	}
	return list, true
}

// loosened are the differences of a run in which faults that strike a node begin whenever the
// node lets them, and not in the order of the moves: what others do meanwhile cannot tell. The
// search lets a node stop only when something is due there, which is of no consequence either.
func (x *explainer) loosened(path []pathMove) *differences {
	tick := x.learner.tick
	d := &differences{instants: len(path)}
	// kept is the last move that is not loosened.
	kept := 0
	for i := range path {
		n, m := i+1, &path[i]
		order := m.constraints[0]
		if m.loose {
			last, next := neighbours(path, i)
			d.bounds = append(d.bounds, bound{n, last, 0})
			if next > 0 {
				d.bounds = append(d.bounds, bound{next, n, 0})
			}
			for _, by := range m.free {
				d.add(by, tick)
			}
			continue
		}
		order.k = kept
		kept = n
		d.add(order, tick)
		for _, by := range m.constraints[1:] {
			d.add(by, tick)
		}
		d.bounds = append(d.bounds, x.window(n, m, x.log.Tolerance)...)
	}
	return d
}

// neighbours returns the moves of the same node before and after one, 0 for none.
func neighbours(path []pathMove, i int) (last, next int) {
	node := path[i].event.Node
	for k := i - 1; k >= 0 && last == 0; k-- {
		if path[k].event.Node == node {
			last = k + 1
		}
	}
	for k := i + 1; k < len(path) && next == 0; k++ {
		if path[k].event.Node == node {
			next = k + 1
		}
	}
	return last, next
}

// infer returns the faults of a run, each with when it can have begun and ended at the earliest
// and at the latest.
func (x *explainer) infer(path []pathMove) ([]Inferred, error) {
	var all []Inferred
	d := x.loosened(path)
	early, ok := d.earliest(0)
	if !ok {
		return nil, errNoInstants
	}
	late, ok := d.latest(0)
	if !ok {
		return nil, errNoInstants
	}
	end := x.log.End
	between := func(n int) Between { return Between{-early[n], min(late[n], end)} }
	n := newNamer(x.rules, x.learner)
	for i := range path {
		m := &path[i]
		n.tokens(&m.after)
		step := n.step(&m.before, &m.after, &m.event, 0)
		if !m.event.Move.Kind.IsFault() {
			continue
		}
		f := Inferred{Fault: step.Fault, Node: step.Node, Process: step.Process, Text: step.Text, Begin: between(i + 1)}
		if r := recovery(path, i); r > 0 {
			least, ok := d.earliest(i + 1)
			if !ok {
				return nil, errNoInstants
			}
			most, _ := d.latest(i + 1)
			over, length := between(r), Between{-least[r], min(most[r], end)}
			f.End, f.Length = &over, &length
		}
		all = append(all, f)
	}
	return all, nil
}

// recovery returns the move, from 1, that ends the fault of a move, 0 if none does.
func recovery(path []pathMove, i int) int {
	fault := &path[i].event
	for k := i + 1; k < len(path); k++ {
		e := &path[k].event
		if e.Move.Kind == model.MoveRecovery && e.Move.Fault == fault.Move.Fault && e.Node == fault.Node && e.Store == fault.Store {
			return k + 1
		}
	}
	return 0
}

// room is by when something can happen at the earliest and at the latest.
func (x *explainer) room(z *zone.Matrix, clock uint8) Between {
	tick := x.learner.tick
	return Between{tick.Duration(model.Ticks(z.Lower(int(clock)))), min(tick.Duration(model.Ticks(z.Upper(int(clock)))), never)}
}

// between returns the hull of two.
func (b Between) hull(with Between) Between {
	return Between{min(b.Least, with.Least), max(b.Most, with.Most)}
}
