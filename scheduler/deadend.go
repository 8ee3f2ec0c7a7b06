package scheduler

// deadEnd returns a stored state of least cost from which no continuation
// without further faults leads to a settled state, and whether there is one.
// What has not been expanded counts as settled.
//
// Where a step led to a state that a stored one covers, the edge goes to that
// one. It can do whatever the covered state can, so if it cannot get away, nor
// can that: what is found is true. The converse fails, so the answer may be
// silent. A state that is superseded has such an edge and no others.
func (x *explorer) deadEnd() (uint32, bool) {
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
	best, found := uint32(0), false
	for i := range uint32(x.states.len()) {
		r := x.states.at(i)
		if escapes[i] {
			continue
		}
		if b := x.states.at(best); !found || r.faults < b.faults || r.faults == b.faults && r.steps < b.steps {
			best, found = i, true
		}
	}
	return best, found
}
