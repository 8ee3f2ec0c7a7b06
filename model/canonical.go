package model

import "cmp"

// Values answers what is known of a clock, to order states that differ in
// nothing else. It must not know of Fresh clocks.
type Values interface {
	// Range returns the smallest and the largest value of a clock.
	Range(clock uint8) (least, most int32)
}

// Canonical brings s into canonical form: what nothing refers to is dropped; if
// symmetry is set, interchangeable requests and nodes are sorted; tokens are
// numbered by first mention; clocks are numbered from 1 in a fixed order. It
// appends to source, for each clock, the number that it had before, or 0 for a
// clock that starts now, and returns the result.
//
// Sorting compares the discrete part and then the clocks. States that differ in
// the names of interchangeable nodes may thus still get different forms: that
// costs states and is never wrong.
func (r *Rules) Canonical(s *State, values Values, symmetry bool, source []uint8) []uint8 {
	s.dropEnded()
	if symmetry {
		r.sort(s, values)
	}
	s.numberFamilies()
	s.numberTokens()
	number := func(clock *uint8) {
		if *clock == NoClock {
			return
		}
		from := *clock
		if from == Fresh {
			from = 0
		}
		source = append(source, from)
		*clock = uint8(len(source))
	}
	for k := range s.Entries {
		number(&s.Entries[k].Clock)
	}
	for n := range s.Nodes {
		number(&s.Nodes[n].Clock)
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		number(&p.Clock)
		for k := range p.Held() {
			number(&p.Registers[k].Clock)
		}
	}
	return source
}

// dropEnded drops ended processes that nobody can wait for.
func (s *State) dropEnded() {
	var wanted [MaxProcesses]bool
	any := false
	for i := range s.Processes {
		p := &s.Processes[i]
		any = any || p.Phase == Ended
		if p.Phase == Ended {
			continue
		}
		for _, reg := range p.Held() {
			if reg.Kind == KindTask {
				if t := s.Task(p, reg.N); t >= 0 {
					wanted[t] = true
				}
			}
		}
	}
	if any {
		s.removeProcesses(func(i int) bool { return s.Processes[i].Phase == Ended && !wanted[i] })
	}
}

// span is a run of processes: those of a family, or of a node.
type span struct{ from, to int }

func (r *Rules) sort(s *State, values Values) {
	var inStore [MaxTokens]uint8
	for k := len(s.Entries) - 1; k >= 0; k-- {
		if v := s.Entries[k].Value; v.Kind == KindToken {
			inStore[v.N] = uint8(k) + 1
		}
	}
	var families, nodes [MaxProcesses]span
	var scratch [MaxProcesses]Process
	count := copy(scratch[:], s.Processes)
	compare := func(a, b span) int {
		return r.compareSpans(scratch[a.from:a.to], scratch[b.from:b.to], values, &inStore)
	}

	at, write := 0, 0
	for n := range s.Nodes {
		first := at
		total := 0
		for at < count && scratch[at].Node == uint8(n) {
			from := at
			for at < count && scratch[at].Node == uint8(n) && scratch[at].Family == scratch[from].Family {
				at++
			}
			families[total] = span{from, at}
			total++
		}
		insertionSort(families[:total], compare)
		for _, f := range families[:total] {
			write += copy(s.Processes[write:], scratch[f.from:f.to])
		}
		nodes[n] = span{first, at}
	}

	copy(scratch[:], s.Processes)
	total := len(s.Nodes)
	var order [MaxProcesses]uint8
	for n := range order[:total] {
		order[n] = uint8(n)
	}
	insertionSort(order[:total], func(a, b uint8) int {
		na, nb := &s.Nodes[a], &s.Nodes[b]
		if c := cmp.Or(cmp.Compare(na.Class, nb.Class), cmp.Compare(na.Status, nb.Status), cmp.Compare(na.Limit, nb.Limit)); c != 0 {
			return c
		}
		return cmp.Or(compare(nodes[a], nodes[b]), compareClocks(na.Clock, nb.Clock, values))
	})
	sorted := true
	for n, from := range order[:total] {
		sorted = sorted && int(from) == n
	}
	if sorted {
		return
	}
	var moved [MaxProcesses]uint8
	var held [MaxProcesses]Node
	copy(held[:], s.Nodes)
	write = 0
	for n, from := range order[:total] {
		moved[from] = uint8(n)
		s.Nodes[n] = held[from]
		sp := nodes[from]
		for i := sp.from; i < sp.to; i++ {
			s.Processes[write] = scratch[i]
			s.Processes[write].Node = uint8(n)
			write++
		}
	}
	for n, owner := range s.Owners {
		if owner != NoOwner {
			s.Owners[n] = Owner(moved[owner>>8])<<8 | owner&0xff
		}
	}
}

func insertionSort[T any](items []T, compare func(a, b T) int) {
	for i := 1; i < len(items); i++ {
		for k := i; k > 0 && compare(items[k], items[k-1]) < 0; k-- {
			items[k], items[k-1] = items[k-1], items[k]
		}
	}
}

func (r *Rules) compareSpans(a, b []Process, values Values, inStore *[MaxTokens]uint8) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	for i := range a {
		if c := r.compareProcesses(&a[i], &b[i], inStore); c != 0 {
			return c
		}
	}
	for i := range a {
		if c := compareClocks(a[i].Clock, b[i].Clock, values); c != 0 {
			return c
		}
		for k := range a[i].Held() {
			if c := compareClocks(a[i].Registers[k].Clock, b[i].Registers[k].Clock, values); c != 0 {
				return c
			}
		}
	}
	return 0
}

func (r *Rules) compareProcesses(p, q *Process, inStore *[MaxTokens]uint8) int {
	if c := cmp.Or(cmp.Compare(p.Phase, q.Phase), cmp.Compare(p.flags(), q.flags()), cmp.Compare(p.Believes, q.Believes), cmp.Compare(p.Count, q.Count)); c != 0 {
		return c
	}
	if p.Local != q.Local && p.Phase != Waiting {
		if c := cmp.Compare(r.Automaton.Rank(p.Local), r.Automaton.Rank(q.Local)); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(p.Observed, q.Observed); c != 0 {
		return c
	}
	for k, x := range p.Held() {
		y := q.Registers[k]
		if c := cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Limit, y.Limit)); c != 0 {
			return c
		}
		if x.Kind == KindToken {
			x.N, y.N = inStore[x.N], inStore[y.N]
		}
		if c := cmp.Compare(x.N, y.N); c != 0 {
			return c
		}
	}
	return 0
}

func (p *Process) flags() uint8 {
	f := uint8(0)
	if p.Overdue {
		f |= 1
	}
	if p.Stopped {
		f |= 2
	}
	if p.Root {
		f |= 4
	}
	if p.Clock != NoClock {
		f |= 8
	}
	if p.New {
		f |= 16
	}
	return f
}

func compareClocks(a, b uint8, values Values) int {
	var la, ma, lb, mb int32
	if a != NoClock && a != Fresh {
		la, ma = values.Range(a)
	}
	if b != NoClock && b != Fresh {
		lb, mb = values.Range(b)
	}
	return cmp.Or(cmp.Compare(la, lb), cmp.Compare(ma, mb))
}

// numberFamilies numbers the families of each node without gaps and forgets the
// owners that are gone.
func (s *State) numberFamilies() {
	owners := s.Owners
	for n := range s.Owners {
		s.Owners[n] = NoOwner
	}
	next := uint8(0)
	for i := 0; i < len(s.Processes); {
		first := s.Processes[i]
		if i == 0 || s.Processes[i-1].Node != first.Node {
			next = 0
		}
		old := OwnerOf(&first)
		for i < len(s.Processes) && s.Processes[i].Node == first.Node && OwnerOf(&s.Processes[i]) == old {
			s.Processes[i].Family = next
			i++
		}
		for n, owner := range owners {
			if owner == old {
				s.Owners[n] = OwnerOf(&s.Processes[i-1])
			}
		}
		next++
	}
}

// numberTokens numbers tokens in the order in which they are mentioned: in the
// stores, then by the processes.
func (s *State) numberTokens() {
	const unnumbered = 0xff
	var number [MaxTokens]uint8
	for n := range number {
		number[n] = unnumbered
	}
	owners, serials := s.Owners, s.Serials
	next := uint8(0)
	rename := func(d *Datum) {
		if d.Kind != KindToken {
			return
		}
		if number[d.N] == unnumbered {
			number[d.N] = next
			s.Owners[next], s.Serials[next] = owners[d.N], serials[d.N]
			next++
		}
		d.N = number[d.N]
	}
	for k := range s.Entries {
		rename(&s.Entries[k].Value)
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		for k := range p.Held() {
			rename(&p.Registers[k].Datum)
		}
	}
	for n := int(next); n < MaxTokens; n++ {
		s.Owners[n] = NoOwner
	}
}
