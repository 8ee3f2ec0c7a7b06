package scheduler

import (
	"context"
	"slices"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// maxNarrowed is up to how many states a search may have that is repeated to find out when its
// faults can have been.
const maxNarrowed = 100_000

// narrowing says when a fault begins and ends, in ticks.
type narrowing struct {
	fault      uint8
	node       int
	begin, end [2]model.Ticks
}

// of reports whether the fault begins or ends with a step.
func (n *narrowing) of(e *model.Event) bool {
	return (e.Move.Kind == model.MoveFault || e.Move.Kind == model.MoveRecovery) && e.Move.Fault == n.fault && e.Node == n.node
}

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
		order := m.constraints[0]
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
// and at the latest in runs with moves in this order.
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
		f.fault, f.node, f.narrows = m.event.Move.Fault, m.event.Node, m.loose
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

// widen widens when the faults can have been by what other runs with the same faults say: for each
// end of each of them it searches for a run in which it lies further, until there is none.
func (x *explainer) widen(ctx context.Context, s Scenario, inferred []Inferred) error {
	if x.states.len() > maxNarrowed {
		return nil
	}
	signature, tick := signatureOf(inferred), x.learner.tick
	for i := range inferred {
		f := &inferred[i]
		if !f.narrows || slices.ContainsFunc(inferred[:i], func(g Inferred) bool { return g.Fault == f.Fault && g.Node == f.Node }) {
			continue
		}
		for side := range 4 {
			for f.End != nil || side < 2 {
				n := &narrowing{fault: f.fault, node: f.node, begin: [2]model.Ticks{0, x.observer.horizon}, end: [2]model.Ticks{0, x.observer.horizon}}
				if !n.beyond(f, side, tick, x.log.End) {
					break
				}
				wider, err := x.within(ctx, s, n, signature)
				if err != nil {
					return err
				}
				if wider == nil {
					break
				}
				before := *f
				for k := range wider {
					if g := &wider[k]; g.Fault == f.Fault && g.Node == f.Node {
						f.join(g)
						break
					}
				}
				if f.Begin == before.Begin && (f.End == nil || *f.End == *before.End) {
					break
				}
			}
		}
	}
	return nil
}

// beyond lets a fault begin earlier or later than it is known that it can, or end so, by the side;
// it is false if it cannot.
func (n *narrowing) beyond(f *Inferred, side int, tick model.Tick, end time.Duration) bool {
	ticks := func(d time.Duration) model.Ticks { return model.Ticks(d / tick.Size()) }
	switch side {
	case 0:
		n.begin[1] = ticks(f.Begin.Least) - 1
		return n.begin[1] >= 0
	case 1:
		n.begin[0] = ticks(f.Begin.Most) + 1
		return f.Begin.Most < end
	case 2:
		n.end[1] = ticks(f.End.Least) - 1
		return n.end[1] >= 0
	}
	n.end[0] = ticks(f.End.Most) + 1
	return f.End.Most < end
}

// within returns the faults of a run with the same ones in which one of them is as the narrowing
// says, nil if there is none.
func (x *explainer) within(ctx context.Context, s Scenario, n *narrowing, signature string) ([]Inferred, error) {
	o := x.given
	o.PauseAnyTime, o.Progress = true, nil
	y, err := newExplainer(s, x.log, x.maxFaults, x.learner.tick, o, x.started)
	if err != nil {
		return nil, err
	}
	y.observer.narrow = n
	if err := y.run(ctx); err != nil {
		return nil, err
	}
	for _, state := range y.found {
		path, err := newExpander(y.explorer, y.rules).path(state, nil)
		if err != nil {
			return nil, err
		}
		inferred, err := y.infer(path)
		if err != nil {
			return nil, err
		}
		if signatureOf(inferred) == signature {
			return inferred, nil
		}
	}
	return nil, nil
}

// join widens f by what another run says of the same fault.
func (f *Inferred) join(g *Inferred) {
	f.Begin = f.Begin.hull(g.Begin)
	if f.End != nil && g.End != nil {
		over, length := f.End.hull(*g.End), f.Length.hull(*g.Length)
		f.End, f.Length = &over, &length
	}
}

// room is by when something can happen at the earliest and at the latest.
func (x *explainer) room(z *zone.Matrix, clock uint8) Between {
	tick := x.learner.tick
	return Between{tick.Duration(model.Ticks(z.Lower(int(clock)))), min(tick.Duration(model.Ticks(z.Upper(int(clock)))), never)}
}

// hull is the least range that contains both.
func (b Between) hull(with Between) Between {
	return Between{min(b.Least, with.Least), max(b.Most, with.Most)}
}
