package model

// Rules say how the world goes on: the one definition that the exhaustive
// search and the replay share. They differ only in who picks the move and in
// how time is held.
type Rules struct {
	Automaton Automaton
	Faults    []Fault
	Monitors  []Monitor
	// Reply bounds the time from the effect of a remote operation to its
	// observation.
	ReplyMin, ReplyMax Ticks
	// Timeout is how long a process waits at most for a reply that never comes.
	Timeout Ticks
	// Replicas is how many replicas each store has, of which one may lag.
	Replicas int
	// ValueTTL is the TTL of cached values, 0 for none.
	ValueTTL Ticks
	// Window is how long after the beginning a request arrives at the latest; nil for
	// at any time, or never. Arrivals are not merged if there is one.
	Window *Ticks
	// Patience is how long a watched request may wait before that is a step of
	// its own; 0 if nothing is watched. Watching: a property watches what it chooses;
	// otherwise requests are watched. At most one is at a time, any that
	// arrives; arrivals are not merged then.
	Patience Ticks
	Watching bool
	// Windows is the property that watches if it is about what happens soon after something
	// else, nil if not.
	Windows Windowed
	// PauseWhenDue lets a halt begin only when a process of the node is exactly
	// at its upper bound. Nothing else can tell the difference: until then the
	// process may as well wait on its own.
	PauseWhenDue bool
	// MergeArrivals lets a request arrive together with the effect of its first
	// operation where nothing measures from its arrival. Requests that all arrive at
	// the beginning do so before anything else happens.
	MergeArrivals bool
	// MergeWaits lets the end of a wait be followed at once by what the process does
	// next; see [Rules.GoesOn].
	MergeWaits bool
	// Records: a monitor is [Recording]. Nothing is merged then.
	Records bool
	// Endless lets another request come after each one that has returned.
	Endless bool
	// Boots: service nodes have a Boot.
	Boots bool
	// Roots is how many processes there are at the beginning. NodeDrift and StoreDrift are
	// the numbers, from 1, of the faults by which clocks drift; 0 for none.
	Roots, NodeDrift, StoreDrift int

	// stretches, intercepts and foresees: some fault is of that kind, so it is worth asking
	// each.
	stretches, intercepts, foresees bool
}

// AddFault adds a fault, whose durations are in ticks.
func (r *Rules) AddFault(f Fault) {
	r.Faults = append(r.Faults, f)
	if d, ok := f.(Drifting); ok && d.OfStores() {
		r.StoreDrift = len(r.Faults)
	} else if ok {
		r.NodeDrift = len(r.Faults)
	}
	_, stretches := f.(Stretching)
	_, intercepts := f.(Interceptor)
	_, foresees := f.(Foresighted)
	r.stretches, r.intercepts, r.foresees = r.stretches || stretches, r.intercepts || intercepts, r.foresees || foresees
}

// Wait returns how long the process may be in its phase, from its start, and whether it is
// blocked on something that is not time.
func (r *Rules) Wait(s *State, p *Process) (least, most Ticks, blocked bool) {
	return r.timing(s, p)
}

// timing returns how long the process may be in its phase, from its start, and
// whether it is blocked on something that is not time.
func (r *Rules) timing(s *State, p *Process) (least, most Ticks, blocked bool) {
	switch p.Phase {
	case Acting:
		op := r.Automaton.Operation(p.Local)
		if p.Cancelled || p.Stopped || p.Observed != 0 || op.Patience > 0 || op.Context != NoContext || op.Kind.waits() {
			return r.waitTiming(s, p, op)
		}
		return op.Min, op.Max, false
	case Replying, Sent, Timing:
		least, most = r.span(p, r.Automaton.Operation(p.Local))
		return least, most, false
	}
	return 0, Forever, true
}

// waitTiming is timing for a process that may wait for something other than time, or
// whose wait may be ended by something else.
func (r *Rules) waitTiming(s *State, p *Process, op *Operation) (least, most Ticks, blocked bool) {
	switch {
	case op.Kind == WaitTask:
		t := s.Task(p, p.Registers[op.Arg].N)
		return 0, 0, t >= 0 && s.Processes[t].Phase != Ended
	case op.Kind == AwaitFlight:
		// Its result comes with the step that resolves the flight.
		return 0, 0, true
	case p.GivesUp(op):
		return 0, 0, false
	case p.ending(op):
		return op.Min, 0, false
	case op.Kind.guarded() && s.met(p, op), s.Outage.breaks(p, op):
		return 0, 0, false
	}
	least, most = r.span(p, op)
	return least, most, most == Forever && (op.Kind.guarded() || p.parked())
}

// waits reports whether an operation of this kind waits for something other than time as
// soon as it is issued.
func (k OperationKind) waits() bool { return k == WaitTask || k == AwaitFlight || k.guarded() }

// span returns how long the process may be in its phase if nothing but time decides.
func (r *Rules) span(p *Process, op *Operation) (least, most Ticks) {
	switch {
	case p.Phase == Replying:
		return r.replyTime(op, p.Observed)
	case p.Phase == Sent:
		return r.lasts(p, op)
	case p.Phase == Timing:
		return op.TTL, op.TTL
	case p.parked():
		return op.patience(), op.patience()
	}
	if op.Patience > 0 {
		return op.Min, min(op.Max, op.Patience)
	}
	return op.Min, op.Max
}

// replyTime returns how long it takes a process to observe what became of its
// operation.
func (r *Rules) replyTime(op *Operation, o Observation) (least, most Ticks) {
	switch {
	case o.Code() == TimedOut:
		return 0, r.Timeout
	case o.Code() == Cancelled:
		return 0, 0
	case op.Remote():
		return r.ReplyMin, r.ReplyMax
	}
	return 0, 0
}

// Bound returns the upper bound of the process's timer, whether or not its node
// runs: 0 if it has to act at once, Forever if there is none.
func (r *Rules) Bound(s *State, p *Process) Ticks {
	if s.Outage.On {
		if patience := r.keptBack(s, p); patience > 0 {
			return patience
		}
	}
	_, most, blocked := r.timing(s, p)
	if blocked {
		return Forever
	}
	return most
}

// keptBack returns how long a process waits for an operation that an outage keeps back, 0
// for anything else.
func (r *Rules) keptBack(s *State, p *Process) Ticks {
	if p.Phase != Acting {
		return 0
	}
	op := r.Automaton.Operation(p.Local)
	if op.Patience == 0 || p.GivesUp(op) || !s.Outage.concerns(p, op) {
		return 0
	}
	return op.Patience
}

// Urgent reports whether the process has to act before time passes, and
// otherwise the upper bound of its clock, Forever if there is none.
func (r *Rules) Urgent(s *State, p *Process) (urgent bool, bound Ticks) {
	if s.Stands(p) {
		return false, Forever
	}
	if s.Outage.On && p.UnderWay() && s.Outage.concerns(p, r.Automaton.Operation(p.Local)) && !p.GivesUp(r.Automaton.Operation(p.Local)) {
		if patience := r.keptBack(s, p); patience > 0 {
			return p.Overdue, patience
		}
		return false, Forever
	}
	most := r.Bound(s, p)
	return most == 0 || p.Overdue && most < Forever, most
}
