package scheduler

import (
	"cmp"
	"slices"

	"lockstep/model"
)

// deadEnd returns a stored state of least cost from which no continuation
// without further faults leads to a state that is settled for the given property, and
// whether there is one. What has not been expanded counts as settled. If the property
// is [model.Endless], no continuation leads to rest, either.
//
// Where a step led to a state that a stored one covers, the edge goes to that
// one. It can do whatever the covered state can, so if it cannot get away, nor
// can that: what is found is true. The converse fails, so the answer may be
// silent. A state that is superseded has such an edge and no others.
//
// Where clocks drift it must be possible to get there with one rate of each.
func (x *explorer) deadEnd(property int, d *doubt) (uint32, bool, error) {
	away := x.away(property)
	var ends []uint32
	for i := range uint32(x.states.len()) {
		if !away[i] {
			ends = append(ends, i)
		}
	}
	byCost := func(a, b uint32) int {
		r, q := x.states.at(a), x.states.at(b)
		return cmp.Or(cmp.Compare(r.faults, q.faults), cmp.Compare(r.steps, q.steps))
	}
	if len(ends) > 0 && !x.drifts() {
		return slices.MinFunc(ends, byCost), true, nil
	}
	slices.SortStableFunc(ends, byCost)
	for _, end := range ends {
		r := x.states.at(end)
		if ok, err := x.possible(d, end, nil, int(r.faults), int(r.steps)); ok || err != nil {
			return end, ok, err
		}
	}
	return 0, false, nil
}

// away returns of each stored state whether it is no dead end for the given property.
func (x *explorer) away(property int) []bool {
	back := x.incoming()
	settled, restless := uint8(flagSettled)<<property, uint8(flagRestless)<<property
	away := back.leadTo(func(s uint32) bool {
		f := x.states.at(s).flags
		return f&settled != 0 || f&(flagExpanded|flagSuperseded) == 0
	})
	if _, endless := x.deadEnds[property].(model.Endless); endless {
		away = back.leadTo(func(s uint32) bool { return away[s] || x.states.at(s).flags&restless == 0 })
	}
	return away
}

// incoming has the states from which edges lead to each state, one after the other, and
// for each state where its own begin, as in a CSR matrix.
type incoming struct{ first, from []uint32 }

func (x *explorer) incoming() incoming {
	count := x.states.len()
	in := incoming{make([]uint32, count+1), make([]uint32, x.edges.len())}
	for i := range uint32(x.edges.len()) {
		in.first[x.edges.at(i).to+1]++
	}
	for i := range count {
		in.first[i+1] += in.first[i]
	}
	at := append([]uint32(nil), in.first[:count]...)
	for i := range uint32(x.edges.len()) {
		e := x.edges.at(i)
		in.from[at[e.to]] = e.from
		at[e.to]++
	}
	return in
}

// leadTo returns of each state whether a path leads from it to one that is a goal, which
// may be itself.
func (in *incoming) leadTo(goal func(s uint32) bool) []bool {
	leads := make([]bool, len(in.first)-1)
	var queue []uint32
	for s := range uint32(len(leads)) {
		if goal(s) {
			leads[s] = true
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, from := range in.from[in.first[s]:in.first[s+1]] {
			if !leads[from] {
				leads[from] = true
				queue = append(queue, from)
			}
		}
	}
	return leads
}
