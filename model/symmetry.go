package model

import "cmp"

// span is a run of processes: those of a family, or of a node.
type span struct{ from, to uint8 }

// sorter sorts the interchangeable parts of a state.
type sorter struct {
	rules   *Rules
	state   *State
	values  Values
	inStore [MaxTokens]uint8
}

// sort brings interchangeable requests of a node, and interchangeable nodes, into
// a fixed order.
func (r *Rules) sort(s *State, values Values) {
	o := sorter{rules: r, state: s, values: values}
	for k := len(s.present()) - 1; k >= 0; k-- {
		if v := s.Entries[k].Value; v.Kind == KindToken {
			o.inStore[v.N] = uint8(k) + 1
		}
	}
	if s.Replica.Lags {
		for k := MaxKeys - 1; k >= 0; k-- {
			if v := s.Replica.Entries[k].Value; v.Kind == KindToken && o.inStore[v.N] == 0 {
				o.inStore[v.N] = MaxKeys + uint8(k) + 1
			}
		}
	}
	var nodes [MaxProcesses]span
	at := 0
	for n := range s.Nodes {
		first := at
		for at < len(s.Processes) && s.Processes[at].Node == uint8(n) {
			at++
		}
		nodes[n] = span{uint8(first), uint8(at)}
		o.sortFamilies(nodes[n])
	}
	o.sortNodes(nodes[:len(s.Nodes)])
}

// sortFamilies sorts the families of a node.
func (o *sorter) sortFamilies(node span) {
	var families [MaxProcesses]span
	total := 0
	ps := o.state.Processes
	for at := node.from; at < node.to; {
		from := at
		for at < node.to && ps[at].Family == ps[from].Family {
			at++
		}
		families[total] = span{from, at}
		total++
	}
	if inOrder(families[:total], o.compare) {
		return
	}
	insertionSort(families[:total], o.compare)
	old := o.state.keep()
	write := node.from
	for _, f := range families[:total] {
		write += uint8(copy(ps[write:], old[f.from:f.to]))
	}
}

// sortNodes sorts the nodes, with their processes.
func (o *sorter) sortNodes(nodes []span) {
	s := o.state
	var order [MaxProcesses]uint8
	for n := range nodes {
		order[n] = uint8(n)
	}
	compare := func(a, b uint8) int { return o.compareNodes(a, b, nodes) }
	if inOrder(order[:len(nodes)], compare) {
		return
	}
	insertionSort(order[:len(nodes)], compare)
	old := s.keep()
	var moved [MaxProcesses]uint8
	var held [MaxProcesses]Node
	copy(held[:], s.Nodes)
	write := 0
	for n, from := range order[:len(nodes)] {
		moved[from] = uint8(n)
		s.Nodes[n] = held[from]
		for i := nodes[from].from; i < nodes[from].to; i++ {
			s.Processes[write] = old[i]
			s.Processes[write].Node = uint8(n)
			write++
		}
	}
	s.Outage.Node = moved[s.Outage.Node]
	for n, owner := range s.Owners {
		if owner != NoOwner {
			s.Owners[n] = Owner(moved[owner>>8])<<8 | owner&0xff
		}
	}
}

func inOrder[T any](items []T, compare func(a, b T) int) bool {
	for i := 1; i < len(items); i++ {
		if compare(items[i-1], items[i]) > 0 {
			return false
		}
	}
	return true
}

func insertionSort[T any](items []T, compare func(a, b T) int) {
	for i := 1; i < len(items); i++ {
		for k := i; k > 0 && compare(items[k], items[k-1]) < 0; k-- {
			items[k], items[k-1] = items[k-1], items[k]
		}
	}
}

func (o *sorter) compareNodes(a, b uint8, nodes []span) int {
	na, nb := &o.state.Nodes[a], &o.state.Nodes[b]
	if c := cmp.Compare(na.summary(), nb.summary()); c != 0 {
		return c
	}
	if c := o.compare(nodes[a], nodes[b]); c != 0 {
		return c
	}
	if out := &o.state.Outage; out.On && !out.Everywhere && a != b {
		switch out.Node {
		case a:
			return -1
		case b:
			return 1
		}
	}
	if (na.Kept != 0 || nb.Kept != 0) && na.Memory != nb.Memory {
		for k := range na.Memory {
			x, y := na.Memory[k], nb.Memory[k]
			if x.Kind == KindToken {
				x.N, y.N = 0, 0
			}
			if c := cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.N, y.N), cmp.Compare(x.For, y.For)); c != 0 {
				return c
			}
		}
	}
	return compareClocks(na.Clock, nb.Clock, o.values)
}

// compare compares runs of processes: their discrete parts, then their clocks.
func (o *sorter) compare(a, b span) int {
	p, q := o.state.Processes[a.from:a.to], o.state.Processes[b.from:b.to]
	if c := cmp.Compare(len(p), len(q)); c != 0 {
		return c
	}
	for i := range p {
		if c := o.compareProcesses(&p[i], &q[i]); c != 0 {
			return c
		}
	}
	for i := range p {
		if c := compareClocks(p[i].Clock, q[i].Clock, o.values); c != 0 {
			return c
		}
		if c := compareClocks(p[i].Watch, q[i].Watch, o.values); c != 0 {
			return c
		}
		for k := range p[i].Held() {
			if c := compareClocks(p[i].Registers[k].Clock, q[i].Registers[k].Clock, o.values); c != 0 {
				return c
			}
		}
	}
	return 0
}

func (o *sorter) compareProcesses(p, q *Process) int {
	if c := cmp.Compare(p.summary(), q.summary()); c != 0 {
		return c
	}
	if p.Local != q.Local && p.Phase != Waiting {
		if c := cmp.Compare(o.rules.Automaton.Rank(p.Local), o.rules.Automaton.Rank(q.Local)); c != 0 {
			return c
		}
	}
	if p.Phase == Waiting && p.Local != q.Local {
		return cmp.Compare(p.Local, q.Local)
	}
	if c := cmp.Compare(p.Observed, q.Observed); c != 0 {
		return c
	}
	for k := range p.Held() {
		x, y := p.Registers[k], q.Registers[k]
		if c := cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Limit, y.Limit)); c != 0 {
			return c
		}
		if x.Kind == KindFlight {
			x.N, y.N = 0, 0
		}
		if x.Kind == KindToken {
			x.N, y.N = o.inStore[x.N], o.inStore[y.N]
		}
		if c := cmp.Or(cmp.Compare(x.N, y.N), cmp.Compare(x.For, y.For)); c != 0 {
			return c
		}
	}
	return 0
}

// summary has what tells nodes apart, but for their processes and what those share.
func (n *Node) summary() uint64 {
	return uint64(n.Class)<<60 | uint64(n.Variant)<<56 | uint64(n.Status)<<52 | uint64(n.Steps)<<44 | uint64(n.Drift)<<40 | uint64(n.Limit)&(1<<40-1)
}

// summary has what is most likely to differ in one number.
func (p *Process) summary() uint64 {
	watched := uint64(0)
	if p.Watch != NoClock {
		watched = 1
	}
	return uint64(p.Call)<<57 | uint64(p.Client)<<49 | watched<<48 | uint64(p.Phase)<<40 | uint64(p.flags())<<32 | uint64(p.Believes)<<16 | uint64(p.Noted)<<4 | uint64(p.Count)
}

func compareClocks(a, b uint8, values Values) int {
	if a == b && (a == NoClock || a == Fresh) {
		return 0
	}
	var la, ma, lb, mb int32
	if a != NoClock && a != Fresh {
		la, ma = values.Range(a)
	}
	if b != NoClock && b != Fresh {
		lb, mb = values.Range(b)
	}
	if c := cmp.Compare(la, lb); c != 0 {
		return c
	}
	return cmp.Compare(ma, mb)
}
