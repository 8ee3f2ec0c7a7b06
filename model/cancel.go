package model

// Cancellable reports whether the operation is given up when its context is cancelled:
// what goes to a store or the source, computing, sleeping, and waiting for a change or
// an element, unless it is detached. A wait for other processes, or for a mutex, is not.
func (op *Operation) Cancellable() bool {
	switch op.Kind {
	case Compute, Sleep, AwaitWatch, BlockingPop, WaitReplicas:
		return !op.Detached
	}
	return !op.Detached && op.Remote()
}

// ending reports whether the process is in a wait which ends when it is told to stop.
func (p *Process) ending(op *Operation) bool {
	return p.Stopped && (op.Kind == Sleep || op.Kind == AwaitWatch || p.parked())
}

// GivesUp reports whether the process has to give up its operation at once.
func (p *Process) GivesUp(op *Operation) bool {
	return p.Phase == Acting && p.calledOff(op) && op.Cancellable()
}

// Cancel cancels the request of process i: what it waits for, and the processes of its
// family, it gives up at once, and what it begins later without an effect. A reply that
// is under way still arrives, but nobody waits for one that never comes. The contexts
// below that of the request are cancelled with it.
func (r *Rules) Cancel(s *State, i int) {
	owner := OwnerOf(&s.Processes[i])
	for k := range s.Processes {
		if p := &s.Processes[k]; OwnerOf(p) == owner && p.Active() {
			p.Cancelled = true
			if !r.Watching {
				p.Watch = NoClock
			}
		}
	}
	r.endContext(s, &s.Processes[i], 0)
}

// letGo lets the process give up its operation if the context of that is done.
func (p *Process) letGo(op *Operation) {
	switch {
	case !p.calledOff(op):
	case p.GivesUp(op) && p.Observed == 0 && op.Requests():
		// Its request may still be under way.
	case p.GivesUp(op):
		p.Clock, p.Overdue = NoClock, false
	case p.Phase == Replying && p.Observed.Code() == TimedOut && op.Cancellable():
		p.Observed, p.Clock, p.Overdue = Observe(Cancelled), NoClock, false
	}
}

// The Choice of a move by which a process gives up an operation that takes effect at that
// instant, or later.
const (
	gaveUpTooLate = 1
	gaveUpTooSoon = 2
	// It is due when it is given up.
	gaveUpDue = 3
)

// givingUp appends the ways in which the process gives up its operation: without an
// effect, or, if it was issued before its context was cancelled and goes somewhere, too
// late or too soon.
func (r *Rules) givingUp(s *State, p *Process, op *Operation, move Move, m *Moves) {
	move.Observation = Observe(Cancelled)
	m.Add(move)
	if p.Observed == 0 && op.Remote() {
		late := move
		late.Choice = gaveUpTooLate
		m.Begin()
		if op.Kind == RunScript && s.dated() {
			r.ageMoves(s, p, op, late, m.open, m)
		} else {
			m.Add(late)
		}
	}
	if p.Observed == 0 && op.Requests() && op.Max > 0 && !p.timeless() {
		move.Choice = gaveUpTooSoon
		m.Begin()
		// After a pause it may be late.
		if p.Clock == NoClock || m.Require(Guard{p.Clock, false, op.Max}) {
			m.Add(move)
		}
	}
}

// lapseMoves appends the move by which the process has waited for as long as it would for
// an operation to take effect: the request is then still under way.
func (p *Process) lapseMoves(op *Operation, move Move, m *Moves) {
	if op.Patience == 0 || p.Phase != Acting || p.parked() {
		return
	}
	m.Begin()
	if !p.Late && (p.Overdue && op.Patience > op.Max || !m.due(p, op.Patience)) {
		return
	}
	move.Observation = Observe(TimedOut)
	if !op.Requests() {
		m.Add(move)
		return
	}
	move.Choice = gaveUpTooSoon
	if !p.Overdue || p.timeless() {
		m.Add(move)
		return
	}
	// Both sides are closed.
	m.Begin()
	if m.Require(Guard{p.Clock, false, op.Max}) {
		m.Add(move)
	}
	m.Begin()
	move.Choice = gaveUpDue
	if m.Require(Guard{p.Clock, true, op.Max}) {
		m.Add(move)
	}
}

// giveUp lets process i give up its operation.
func (r *Rules) giveUp(s *State, i int, move *Move, e *Event) error {
	code := move.Observation.Code()
	switch move.Choice {
	case gaveUpTooLate:
		return r.unanswered(s, i, move, code, e)
	case gaveUpDue:
		s.Processes[i].Clock = NoClock
		fallthrough
	case gaveUpTooSoon:
		if err := r.send(s, i, s.Processes[i].Clock, noFault); err != nil {
			return err
		}
		e.GoesOn = true
	}
	if code == TimedOut {
		return r.lapsed(s, i, e)
	}
	return r.Fail(s, i, code, false, e)
}

// lapsed lets process i go on at once, which has waited for as long as it would.
func (r *Rules) lapsed(s *State, i int, e *Event) error {
	p := &s.Processes[i]
	e.Operation, e.Observation = r.Automaton.Operation(p.Local), Observe(TimedOut)
	p.New = false
	return r.goOn(s, i, e)
}
