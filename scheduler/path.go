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
}

// difference says that instant i minus instant k is at least least and at most
// most. Instant 0 is the beginning, instant n that of the n-th move.
type difference struct {
	i, k        int
	least, most zone.Bound
}

// path goes again from the beginning along the moves that led to a stored state,
// and then along one more if there is one. Labels, which stored states do not
// have, come out right that way.
func (x *explorer) path(who model.Population, state uint32, extra *ordinal) ([]pathMove, error) {
	var ordinals []ordinal
	if extra != nil {
		ordinals = append(ordinals, *extra)
	}
	for s := state; x.states.at(s).parent != noParent; s = x.states.at(s).parent {
		ordinals = append(ordinals, x.states.at(s).step)
	}
	slices.Reverse(ordinals)

	if err := x.rules.Start(&x.to, who); err != nil {
		return nil, err
	}
	x.mid.Reset(0)
	x.settle()
	births := make([]int, len(x.source)) // by clock, from 1
	var result []pathMove
	for _, o := range ordinals {
		x.from.Copy(&x.to)
		x.before.Copy(&x.after)
		x.moves.Reset((*zoneClocks)(&x.before))
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
			x.moves.Reset((*zoneClocks)(&x.before))
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
func (x *explorer) retrace(n int, births []int, ordinal int) (pathMove, error) {
	if ordinal >= len(x.moves.List) {
		return pathMove{}, fmt.Errorf("scheduler: step %d of a stored run is not possible again", n)
	}
	move := &x.moves.List[ordinal]
	step := pathMove{constraints: x.instants(n, births, move)}
	step.before.Copy(&x.from)
	z := x.guard(move)
	if z == nil {
		return pathMove{}, fmt.Errorf("scheduler: step %d of a stored run is not possible at any time", n)
	}
	x.to.Copy(&x.from)
	if err := x.rules.Apply(&x.to, move, &x.event); err != nil {
		return pathMove{}, err
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
func (x *explorer) instants(n int, births []int, move *model.Move) []difference {
	list := []difference{{n, n - 1, 0, zone.Infinity}}
	x.upper = grow(x.upper, len(births)+1)
	if !x.rules.Invariants(&x.from, x.upper) && n > 1 {
		list[0].most = 0
	}
	for c, birth := range births {
		if b := x.upper[c+1]; b < zone.Infinity {
			list = append(list, difference{n, birth, 0, b})
		}
	}
	for _, g := range x.moves.Guards(move) {
		d := difference{n, births[g.Clock-1], 0, zone.Infinity}
		if g.Lower {
			d.least = zone.Bound(g.Bound)
		} else {
			d.most = zone.Bound(g.Bound)
		}
		list = append(list, d)
	}
	if p := arriving(&x.from, move); p != nil {
		// It arrived some time before, and not before the beginning.
		list = append(list, difference{n, 0, zone.Bound(x.rules.Automaton.Operation(p.Local).Min), zone.Infinity})
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

// instantsOf picks an instant for each move, in ticks from the beginning: as
// early as possible, and round where there is room. It is a shortest-path
// problem on the differences, for which a zone over the instants serves.
func instantsOf(path []pathMove, tick model.Tick) ([]model.Ticks, error) {
	z := zone.New(len(path))
	z.Elapse()
	for i := 1; i <= len(path); i++ { // instants are not clocks: they start apart
		for k := 1; k <= len(path); k++ {
			if i != k {
				z.Cells()[i*z.Dim()+k] = zone.Infinity
			}
		}
	}
	impossible := fmt.Errorf("scheduler: a stored run cannot happen at any times")
	for _, step := range path {
		for _, d := range step.constraints {
			if !z.Constrain(d.k, d.i, -d.least) || d.most < zone.Infinity && !z.Constrain(d.i, d.k, d.most) {
				return nil, impossible
			}
		}
	}
	result := make([]model.Ticks, len(path))
	for n := range result {
		at := roundest(z.Lower(n+1), z.Upper(n+1), tick)
		if !z.Constrain(n+1, 0, at) || !z.Constrain(0, n+1, -at) {
			return nil, impossible
		}
		result[n] = model.Ticks(at)
	}
	return result, nil
}

// roundest returns the earliest of the roundest numbers from least to most: a
// whole second if there is one, or a tenth of a second, and so on.
func roundest(least, most zone.Bound, tick model.Tick) zone.Bound {
	for unit := int64(1e9); unit >= 1; unit /= 10 {
		if unit%int64(tick.Size()) != 0 {
			continue
		}
		step := unit / int64(tick.Size())
		if at := (int64(least) + step - 1) / step * step; at <= int64(most) && at < int64(zone.Limit) {
			return zone.Bound(at)
		}
	}
	return least
}
