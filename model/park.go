package model

// A process that finds an empty list and would wait is parked there: by Observed, which
// has its place in the queue. Elements go to whoever has waited longest, in the step that
// adds them. Who waits for replicas, or for the transaction of another, is parked, too.

// parked reports whether the process waits at a store, at the source, or at a list in the
// memory of its node.
func (p *Process) parked() bool { return p.Phase == Acting && p.Observed.Code() == Parked }

func (p *Process) place() Observation { return p.Observed & 0xff }

// patience returns how long a process that is parked waits.
func (op *Operation) patience() Ticks {
	if op.TTL == 0 {
		return Forever
	}
	return op.TTL
}

// parkedAt reports whether the process is parked at the list under a key, of a store or
// of the memory of a node.
func (r *Rules) parkedAt(p *Process, key KeyID, local bool, node uint8) bool {
	if !p.parked() {
		return false
	}
	op := r.Automaton.Operation(p.Local)
	return op.Kind == BlockingPop && op.Key == key && op.Local == local && (!local || p.Node == node)
}

// park lets process i wait at the end of the queue.
func (r *Rules) park(s *State, i int, op *Operation) {
	p := &s.Processes[i]
	last := Observation(0)
	for k := range s.Processes {
		if q := &s.Processes[k]; k != i && (r.parkedAt(q, op.Key, op.Local, p.Node) || op.Kind.changesSource() && q.parked() && r.Automaton.Operation(q.Local).Kind.changesSource()) {
			last = max(last, q.place())
		}
	}
	p.Phase, p.Observed, p.Overdue, p.Late, p.New, p.Clock = Acting, Observe(Parked)|(last+1), false, false, false, NoClock
	if op.TTL > 0 {
		p.Clock = Fresh
	}
	s.Attentive = true
}

// serve gives the elements of a list to those who wait for them.
func (r *Rules) serve(s *State, key KeyID, local bool, node uint8, e *Event) {
	for {
		first := -1
		for i := range s.Processes {
			if p := &s.Processes[i]; r.parkedAt(p, key, local, node) && (first < 0 || p.place() < s.Processes[first].place()) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		p := &s.Processes[first]
		op := r.Automaton.Operation(p.Local)
		if local {
			after, code := op.Effect(Entry{Value: s.Nodes[node].Memory[key]}, Datum{})
			if code != Done {
				return
			}
			s.Nodes[node].remember(key, after.Value)
		} else {
			if s.Entries[key].Value.Kind != KindList {
				return
			}
			// What it takes cannot exceed a limit.
			s.Entries[key], _, _ = s.change(op, Datum{}, Stamp{}, e)
		}
		r.unpark(p, op, Observe(Done))
	}
}

// unpark ends the wait of a process that is parked.
func (r *Rules) unpark(p *Process, op *Operation, o Observation) {
	p.Phase, p.Observed, p.Clock, p.Overdue = Replying, o, NoClock, false
	if _, most := r.replyTime(op, p.Observed); most > 0 {
		p.Clock = Fresh
	}
}
