package model

// A process of phase Sent is a request to a store or to the source that is under way, and
// for which nobody waits: its process has gone on, or is gone. It takes effect, and that
// is all. It belongs to the family of its process, whatever becomes of the node.

// Delaying is a fault by which a request takes effect later than its process thinks.
type Delaying interface {
	Fault
	// Longest returns how much later, in ticks, at most.
	Longest() Ticks
}

// Abandoning is a fault by which a process gives up an operation, which may take effect
// later.
type Abandoning interface {
	Fault
	Abandons()
}

// Requests reports whether there is a point in the operation if nobody waits for it: it
// goes to a store or to the source and changes something there, or tells others.
func (op *Operation) Requests() bool {
	switch op.Kind {
	case BlockingPop:
		return false
	case RunScript:
		return op.Arg == NoRegister
	case Publish:
		return true
	case SourceUpdate:
		return op.Arg == NoRegister
	}
	return op.Writes()
}

// UnderWay reports whether the process has an operation that has not taken effect.
func (p *Process) UnderWay() bool { return p.Phase == Acting || p.Phase == Sent }

// Pending returns the operation of the process that may take effect next: the one that is
// under way, or that comes with its arrival; nil if there is none. Where arrivals stand by
// themselves ([Rules.PauseWhenDue] is not set then) the first operation of a process that
// has not arrived counts, too: a fault that foresees it may come before the arrival.
func (r *Rules) Pending(s *State, p *Process) *Operation {
	switch {
	case p.UnderWay() || p.Phase == Arriving:
		return r.Automaton.Operation(p.Local)
	case p.Phase == Waiting && !r.PauseWhenDue:
		if start, err := r.Automaton.Start(p.Program()); err == nil {
			return r.Automaton.Operation(start.To)
		}
	}
	return nil
}

// send puts the operation of process i on its way without it: with the clock of the
// process, within its own time, or for a fault, given by its number, with a clock of its
// own.
func (r *Rules) send(s *State, i int, clock uint8, fault int) error {
	p := &s.Processes[i]
	op := r.Automaton.Operation(p.Local)
	request := Process{
		Local: p.Local, Node: p.Node, Family: p.Family, Request: p.Request, Role: p.Role, Client: p.Client, Phase: Sent,
		Observed: Observation(fault + 1), Clock: clock, Overdue: p.timeless() && fault == noFault,
	}
	needed := int(op.Arg) + 1
	for _, k := range op.Results {
		needed = max(needed, int(k)+1)
	}
	if op.Stamp != StampNow {
		needed = max(needed, int(op.Stamp))
	}
	mentioned := func(k int) bool {
		for _, at := range op.Results {
			if int(at) == k {
				return true
			}
		}
		return k == int(op.Arg) || k+1 == int(op.Stamp)
	}
	request.Count = uint8(needed)
	for k := range request.Held() {
		if mentioned(k) {
			request.Registers[k] = p.Registers[k]
		}
	}
	p.Spawned++
	request.Label = p.Label<<8 | uint32(p.Spawned)
	_, _, err := s.join(i, request, op.Source)
	return err
}

// noFault says that a request is under way for no fault.
const noFault = -1

// lasts returns how long a request is under way.
func (r *Rules) lasts(p *Process, op *Operation) (least, most Ticks) {
	if p.Observed == 0 {
		return op.Min, op.Max
	}
	return 0, r.Faults[p.Observed-1].(Delaying).Longest()
}

// arrive lets a request that is under way take effect, or be refused. One that would have
// to wait is given up, since nobody waits for it.
func (r *Rules) arrive(s *State, i int, move *Move, e *Event) error {
	op := r.Automaton.Operation(s.Processes[i].Local)
	observed := move.Observation
	if observed.Code() != Failed {
		var err error
		if observed, err = r.effect(s, i, op, move, e); err != nil {
			return err
		}
	}
	e.Operation, e.Observation, e.Reached = op, observed, observed.Code() != Failed
	p := &s.Processes[i]
	p.refer(observed, &e.Data)
	p.Phase, p.Observed, p.Clock, p.Overdue = Ended, 0, NoClock, false
	p.Registers, p.Count = [MaxRegisters]Register{}, 0
	return nil
}

// Delay lets the operation of process i take effect later, for the fault of that number;
// the process waits in vain for the reply.
func (r *Rules) Delay(s *State, i int, fault uint8, e *Event) error {
	if err := r.send(s, i, Fresh, int(fault)); err != nil {
		return err
	}
	return r.Fail(s, i, TimedOut, false, e)
}

// Duplicate lets the operation of process i take effect now and once more later, for the
// fault of that number.
func (r *Rules) Duplicate(s *State, i int, m *Move, e *Event) error {
	if err := r.send(s, i, Fresh, int(m.Fault)); err != nil {
		return err
	}
	return r.complete(s, i, m, e)
}

// Resend lets the operation of process i take effect, and be issued again: the process
// has learned nothing.
func (r *Rules) Resend(s *State, i int, m *Move, e *Event) error {
	p := &s.Processes[i]
	op := r.Automaton.Operation(p.Local)
	count := p.Count
	observed, err := r.effect(s, i, op, m, e)
	if err != nil {
		return err
	}
	e.Process, e.Node, e.Operation, e.Observation, e.Reached = i, int(p.Node), op, observed, true
	p.refer(observed, &e.Data)
	p.forget(count)
	p.Phase, p.Overdue, p.Late, p.New, p.Clock = Acting, false, false, false, op.startClock()
	return nil
}

// forget drops the registers from count on.
func (p *Process) forget(count uint8) {
	for ; p.Count > count; p.Count-- {
		p.Registers[p.Count-1] = Register{}
	}
}
