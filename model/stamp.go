package model

// Stamp is a time that was read from the wall clock of a node. It is no number but a
// clock that has run since then, which is compared with nothing longer than Limit; and
// it remembers how often the clock of the node had stepped. An entry of a store can
// carry one, a process holds it in a register of KindStamp, whose N is the steps.
type Stamp struct {
	Clock uint8
	Steps Steps
	Limit Ticks
}

// Steps counts how often the wall clock of a node has stepped forward, in its upper half,
// and back.
type Steps uint8

// Stepping is a fault by which the wall clock of a node steps.
type Stepping interface {
	Fault
	// Steps returns by how much, in ticks, forward if that is positive.
	Steps() Ticks
}

// ahead returns by how much a wall clock is ahead of one that has not stepped.
func (r *Rules) ahead(n Steps) Ticks {
	total := Ticks(0)
	for _, f := range r.Faults {
		f, ok := f.(Stepping)
		switch {
		case !ok:
		case f.Steps() > 0:
			total += Ticks(n>>4) * f.Steps()
		default:
			total += Ticks(n&0xf) * f.Steps()
		}
	}
	return total
}

// skew returns by how much two wall clocks can differ at most.
func (r *Rules) skew() Ticks {
	most := Ticks(0)
	for _, f := range r.Faults {
		if f, ok := f.(Stepping); ok {
			by := f.Steps()
			most += Ticks(f.Budget()) * max(by, -by)
		}
	}
	return most
}

// StepNode lets the wall clock of a node step.
func (s *State) StepNode(node uint8, forward bool) {
	if forward {
		s.Nodes[node].Steps += 1 << 4
	} else {
		s.Nodes[node].Steps++
	}
}

// stamp is what a register of KindStamp says.
func (reg *Register) stamp() Stamp { return Stamp{reg.Clock, Steps(reg.N), reg.Limit} }

// holdStamp lets the process hold a stamp in a new register.
func (p *Process) holdStamp(t Stamp, op *Operation) (register int, err error) {
	return p.hold(Register{Datum: Datum{Kind: KindStamp, N: uint8(t.Steps)}, Clock: t.Clock, Limit: t.Limit}, op.Source)
}

// stampMoves appends the ways in which a process finds a time older than so much, or not,
// by the wall clock of its node.
func (r *Rules) stampMoves(s *State, p *Process, op *Operation, move Move, start int, m *Moves) {
	t := p.Registers[op.Arg].stamp()
	m.compare(start, move, t.Clock, op.TTL-r.ahead(s.Nodes[p.Node].Steps)+r.ahead(t.Steps), NotPassed, Passed)
}

// UsesWallClock reports whether the operation reads the wall clock of its node.
func (op *Operation) UsesWallClock() bool { return op.Kind == TakeStamp || op.Kind == ReadStamp }
