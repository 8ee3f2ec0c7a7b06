package scheduler

import (
	"fmt"
	"slices"

	"lockstep/model"
	"lockstep/model/zone"
)

// pathMove is one move of a run through stored states, and what it means for
// the instants at which the moves happen.
type pathMove struct {
	event model.Event
	// before is the state in which the move happens, with its labels; after the
	// one that results, before it is brought into canonical form.
	before, after model.State
	constraints   []difference
	// observed is the number of the event of the log that it is, from 1, 0 for none.
	observed int
	// loose: it is a fault that can begin whenever its node lets it, within free; see loosened.
	loose bool
	free  []difference
}

// difference says that instant i minus instant k is at least least and at most
// most, by a clock that may drift. Instant 0 is the beginning, instant n that of the n-th
// move.
type difference struct {
	i, k        int
	least, most zone.Bound
	by          driftingClock
}

// driftingClock names a clock that drifts for as long as a run lasts; the zero value is true time.
type driftingClock struct {
	drift model.Drift
	store bool
	// class and label name a node; label is the number of a store.
	class model.Class
	label uint8
}

// nameClock returns the name of what measures a clock in a state.
func nameClock(s *model.State, m model.Meter) driftingClock {
	switch {
	case m.Drift == model.NoDrift:
		return driftingClock{}
	case m.Store:
		return driftingClock{drift: m.Drift, store: true, label: m.Index}
	}
	node := &s.Nodes[m.Index]
	return driftingClock{drift: m.Drift, class: node.Class, label: node.Label}
}

// path goes again from the beginning along the moves that led to a stored state,
// and then along one more if there is one. Labels, which stored states do not
// have, come out right that way.
func (x *expander) path(state uint32, extra *ordinal) ([]pathMove, error) {
	states := &x.search.states
	var ordinals []ordinal
	if extra != nil {
		ordinals = append(ordinals, *extra)
	}
	for s := state; states.at(s).parent != noParent; s = states.at(s).parent {
		ordinals = append(ordinals, states.at(s).step)
	}
	slices.Reverse(ordinals)

	if err := x.begin(); err != nil {
		return nil, err
	}
	x.settle()
	births := make([]int, len(x.source)) // by clock, from 1
	moves := len(ordinals)
	for _, o := range ordinals {
		if o.further > 0 {
			moves++
		}
	}
	result := make([]pathMove, 0, moves)
	for _, o := range ordinals {
		x.from.Copy(&x.to)
		x.before.Copy(&x.after)
		x.moves.Reset(x.clocks.look(x.rules, &x.from, &x.before))
		x.rules.Moves(&x.from, &x.moves)
		step, err := x.retrace(len(result)+1, births, int(o.move))
		if err != nil {
			return nil, err
		}
		result = append(result, step)
		if o.further > 0 {
			// No clock has started, and none has a new number yet.
			x.from.Copy(&x.to)
			x.before.Copy(&x.mid)
			x.moves.Reset(x.clocks.look(x.rules, &x.from, &x.before))
			x.rules.Further(&x.from, &x.event, &x.moves)
			if step, err = x.retrace(len(result)+1, births, int(o.further)-1); err != nil {
				return nil, err
			}
			result = append(result, step)
		}
		x.settle()
		born := make([]int, len(x.source))
		for c, from := range x.source {
			born[c] = len(result)
			if from != 0 {
				born[c] = births[from-1]
			}
		}
		births = born
	}
	return result, nil
}

// retrace makes x.to the state to which one of x.moves leads from x.from, and x.mid
// its zone. The move is the n-th of the run.
func (x *expander) retrace(n int, births []int, ordinal int) (pathMove, error) {
	if ordinal >= len(x.moves.List) {
		return pathMove{}, fmt.Errorf("scheduler: step %d of a stored run is not possible again", n)
	}
	move := &x.moves.List[ordinal]
	step := pathMove{constraints: x.instants(n, births, move)}
	if x.search.observer != nil {
		step.free, step.loose = x.free(n, births, move)
	}
	step.before.Copy(&x.from)
	z := x.guard(move)
	if z == nil {
		return pathMove{}, fmt.Errorf("scheduler: step %d of a stored run is not possible at any time", n)
	}
	x.to.Copy(&x.from)
	if err := x.rules.Apply(&x.to, move, &x.event); err != nil {
		return pathMove{}, err
	}
	x.check() // which starts the clocks that are watched, makes notes and numbers calls
	if o := x.search.observer; o != nil && o.timed {
		if z != &x.mid {
			x.mid.Copy(z)
			z = &x.mid
		}
		if !x.observe() {
			return pathMove{}, fmt.Errorf("scheduler: step %d of a stored run is not that of the log", n)
		}
		if o.seen {
			step.observed = o.position(x.to.Memory)
		}
		step.constraints = append(step.constraints, difference{i: n, k: 0, least: zone.Bound(o.from), most: zone.Bound(o.to)})
	}
	step.event = x.event.Clone()
	step.after.Copy(&x.to)
	if z != &x.mid {
		x.mid.Copy(z)
	}
	return step, nil
}

// instants returns what the n-th move, which is about to happen in x.from, says
// about its instant.
func (x *expander) instants(n int, births []int, move *model.Move) []difference {
	list := []difference{{i: n, k: n - 1, most: zone.Infinity}}
	x.upper = grow(x.upper, len(births)+1)
	if !x.rules.Invariants(&x.from, x.upper) && n > 1 {
		list[0].most = 0
	}
	by := func(clock int) driftingClock {
		if !x.clocks.on {
			return driftingClock{}
		}
		return nameClock(&x.from, x.clocks.meters[clock])
	}
	for c, birth := range births {
		if b := x.upper[c+1]; b < zone.Infinity {
			list = append(list, difference{n, birth, 0, b, by(c + 1)})
		}
	}
	for _, g := range x.moves.Guards(move) {
		d := difference{n, births[g.Clock-1], 0, zone.Infinity, by(int(g.Clock))}
		if g.Lower {
			d.least = zone.Bound(g.Bound)
		} else {
			d.most = zone.Bound(g.Bound)
		}
		list = append(list, d)
	}
	if p := arriving(&x.from, move); p != nil {
		// It arrived some time before, and not before the beginning.
		list = append(list, difference{i: n, least: zone.Bound(x.rules.Automaton.Operation(p.Local).Min), most: zone.Infinity})
	}
	return list
}

// arriving returns the process whose arrival is merged into the move, or nil.
func arriving(s *model.State, move *model.Move) *model.Process {
	if move.Kind == model.MoveEffect || move.Kind == model.MoveFailure {
		if p := &s.Processes[move.Index]; p.Phase == model.Arriving {
			return p
		}
	}
	return nil
}
