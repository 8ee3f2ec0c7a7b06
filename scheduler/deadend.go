package scheduler

import (
	"cmp"
	"slices"
)

// deadEnd returns a stored state of least cost from which no continuation
// without further faults leads to a settled state, and whether there is one.
// What has not been expanded counts as settled.
//
// Where a step led to a state that a stored one covers, the edge goes to that
// one. It can do whatever the covered state can, so if it cannot get away, nor
// can that: what is found is true. The converse fails, so the answer may be
// silent. A state that is superseded has such an edge and no others.
//
// Where clocks drift it must be possible to get there with one rate of each.
func (x *explorer) deadEnd(d *doubt) (uint32, bool, error) {
	count := x.states.len()
	first := make([]uint32, count+1) // incoming edges of a state, as in a CSR matrix
	for i := range uint32(x.edges.len()) {
		first[x.edges.at(i).to+1]++
	}
	for i := range count {
		first[i+1] += first[i]
	}
	incoming := make([]uint32, x.edges.len())
	at := append([]uint32(nil), first[:count]...)
	for i := range uint32(x.edges.len()) {
		e := x.edges.at(i)
		incoming[at[e.to]] = e.from
		at[e.to]++
	}
	escapes := make([]bool, count)
	var queue []uint32
	for i := range uint32(x.states.len()) {
		if f := x.states.at(i).flags; f&flagSettled != 0 || f&(flagExpanded|flagSuperseded) == 0 {
			escapes[i] = true
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, from := range incoming[first[s]:first[s+1]] {
			if !escapes[from] {
				escapes[from] = true
				queue = append(queue, from)
			}
		}
	}
	var ends []uint32
	for i := range uint32(x.states.len()) {
		if !escapes[i] {
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
