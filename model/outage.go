package model

// Outage is a time in which what a node, or all of them, ask of a store has no effect: it
// waits, or it is refused. At most one is under way.
type Outage struct {
	On    bool
	Store StoreID
	// Refuses: what is asked of the store fails and does not wait.
	Refuses bool
	// Everywhere: it concerns all nodes, else the one named.
	Everywhere bool
	Node       uint8
	// Clock measures since when, up to Limit.
	Clock uint8
	Limit Ticks
}

// concerns reports whether the process waits for the end of the outage.
func (o *Outage) concerns(p *Process, op *Operation) bool {
	return !o.Refuses && o.Keeps(p, op)
}

// refuses reports whether the operation of the process fails for the outage.
func (o *Outage) refuses(p *Process, op *Operation) bool { return o.Refuses && o.Keeps(p, op) }

// breaks reports whether the process is parked at a store from which the outage cuts its
// node off.
func (o *Outage) breaks(p *Process, op *Operation) bool {
	return o.Refuses && p.parked() && op.OnStore() && o.cuts(p, op.Store)
}

// Keeps reports whether the outage keeps the operation of the process from its effect: for the
// time being, or for good if it refuses.
func (o *Outage) Keeps(p *Process, op *Operation) bool {
	return o.On && (p.UnderWay() || p.Phase == Arriving) && op.OnStore() && !p.parked() && o.cuts(p, op.Store)
}

// cuts reports whether the outage is between the process and the store.
func (o *Outage) cuts(p *Process, store StoreID) bool {
	return o.On && store == o.Store && (o.Everywhere || p.Node == o.Node)
}

// waiting returns the processes that have issued an operation that the outage concerns,
// and whose time is bounded, in order.
func (r *Rules) waiting(s *State, o *Outage) []int {
	var list []int
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.UnderWay() && o.concerns(p, r.Automaton.Operation(p.Local)) && p.Clock != NoClock {
			list = append(list, i)
		}
	}
	return list
}

// BeginningMoves appends the ways in which an outage, not under way yet, can begin: when
// an operation that it concerns is exactly at its upper bound, since until then it may
// as well wait on its own, and otherwise nothing is changed; at any time at which there
// is such an operation if [Rules.PauseWhenDue] is not set. The move is completed and its
// Choice tells moves apart.
func (r *Rules) BeginningMoves(s *State, o Outage, move Move, m *Moves) {
	o.On = true
	if o.Refuses {
		r.refusingMoves(s, o, move, m)
		return
	}
	due := 0
	for i := range s.Processes {
		p := &s.Processes[i]
		if !p.UnderWay() || s.Nodes[p.Node].Status != Running && p.Phase != Sent || !o.concerns(p, r.Automaton.Operation(p.Local)) {
			continue
		}
		if urgent, _ := r.Urgent(s, p); urgent || !r.PauseWhenDue {
			m.Begin()
			m.Add(move)
			return
		}
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if !p.UnderWay() || p.Clock == NoClock || !o.concerns(p, r.Automaton.Operation(p.Local)) {
			continue
		}
		_, bound := r.Urgent(s, p)
		if bound == Forever {
			continue
		}
		due++
		move.Choice = move.Choice&^0xff | uint32(due)
		m.Begin()
		if m.Require(Guard{Clock: p.Clock, Lower: true, Bound: bound}) {
			m.Add(move)
		}
	}
}

// refusingMoves is [Rules.BeginningMoves] of an outage that refuses: at any time at which
// there is an operation that it concerns, since that may take effect now.
func (r *Rules) refusingMoves(s *State, o Outage, move Move, m *Moves) {
	for i := range s.Processes {
		p := &s.Processes[i]
		if s.Nodes[p.Node].Status != Running && p.Phase != Sent {
			continue
		}
		op := r.Pending(s, p)
		if op != nil && (p.parked() && o.breaks(p, op) || !p.parked() && op.OnStore() && o.cuts(p, op.Store)) {
			m.Begin()
			m.Add(move)
			return
		}
	}
}

// EndMoves appends the ways in which the outage can end: each operation that waits for
// that is not yet due, or overdue and takes effect now. Both sides are closed.
func (r *Rules) EndMoves(s *State, m *Moves) {
	move := Move{Kind: MoveRecovery, Index: uint8(s.Outage.Store)}
	waiting := r.waiting(s, &s.Outage)
	for subset := range uint32(1) << len(waiting) {
		move.Choice = subset
		possible := true
		m.Begin()
		for k, i := range waiting {
			p := &s.Processes[i]
			possible = possible && m.Require(Guard{Clock: p.Clock, Lower: subset&(1<<k) != 0, Bound: r.most(p)})
		}
		if possible {
			m.Add(move)
		}
	}
}

// BeginOutage lets an outage begin.
func (r *Rules) BeginOutage(s *State, o Outage) {
	o.On, o.Clock = true, Fresh
	s.Outage = o
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.Overdue && r.keptBack(s, p) > 0 {
			p.Overdue, p.Late, p.Clock = false, true, Fresh
		}
	}
}

// FallDue makes process i overdue, after some time for which it could not act.
func (r *Rules) FallDue(s *State, i int) {
	p := &s.Processes[i]
	r.fallDue(p)
	p.Late = p.Phase == Acting && r.Automaton.Operation(p.Local).Patience > 0
}

// fallDue forgets how long an operation has taken, unless it was due because its process
// waits for no longer: it takes effect within its own latency all the same.
func (r *Rules) fallDue(p *Process) {
	p.Overdue = true
	if op := r.Automaton.Operation(p.Local); p.Phase != Acting || op.Patience == 0 || op.Patience >= op.Max {
		p.Clock = NoClock
	}
}

// timeless reports whether the process is overdue and how long it has waited forgotten.
func (p *Process) timeless() bool { return p.Overdue && p.Clock == NoClock }

// most returns the upper bound of the time that an operation takes by itself.
func (r *Rules) most(p *Process) Ticks {
	_, most := r.span(p, r.Automaton.Operation(p.Local))
	return most
}

// EndOutage lets the outage end as the move says.
func (r *Rules) EndOutage(s *State, m *Move, e *Event) {
	for k, i := range r.waiting(s, &s.Outage) {
		if m.Choice&(1<<k) != 0 {
			if p := &s.Processes[i]; s.Stands(p) {
				r.FallDue(s, i)
			} else {
				r.fallDue(p)
			}
			e.Overdue = append(e.Overdue, i)
		}
	}
	s.Outage = Outage{}
}
