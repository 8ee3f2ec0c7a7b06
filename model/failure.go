package model

// A failure is a fault that strikes an operation at the instant at which it would take
// effect. What an Interceptor may do to it is defined here.

// Fail lets the operation of process i have no effect; the process observes the code.
// reached says whether the operation got to where it goes.
func (r *Rules) Fail(s *State, i int, code Code, reached bool, e *Event) error {
	p := &s.Processes[i]
	op := r.Automaton.Operation(p.Local)
	e.Process, e.Node, e.Operation, e.Reached = i, int(p.Node), op, reached
	return r.answer(s, i, op, Observe(code), e)
}

// LoseReply lets the operation of process i take effect, and the process wait in vain
// for the reply.
func (r *Rules) LoseReply(s *State, i int, m *Move, e *Event) error {
	return r.unanswered(s, i, m, TimedOut, e)
}

// unanswered lets the operation of process i take effect; all that the process observes
// is the code.
func (r *Rules) unanswered(s *State, i int, m *Move, code Code, e *Event) error {
	p := &s.Processes[i]
	op := r.Automaton.Operation(p.Local)
	e.Process, e.Node, e.Operation, e.Reached = i, int(p.Node), op, true
	count := p.Count
	if _, err := r.effect(s, i, op, m, e); err != nil {
		return err
	}
	s.Processes[i].forget(count)
	return r.answer(s, i, op, Observe(code), e)
}

// LoseMessages lets the operation of process i take effect, but the messages that it
// publishes reach nobody; whoever publishes does not notice.
func (r *Rules) LoseMessages(s *State, i int, m *Move, e *Event) error {
	s.muted = true
	defer func() { s.muted = false }()
	return r.complete(s, i, m, e)
}

// failures appends, with the guards of the move that would be its effect, what may
// strike the operation instead. start is where the guards begin, n how many there are.
func (r *Rules) failures(s *State, p *Process, op *Operation, move Move, start, n int, m *Moves) {
	if !r.intercepts || p.Phase == Sent {
		return
	}
	for k, f := range r.Faults {
		i, ok := f.(Interceptor)
		if !ok || s.Left[k] == 0 || !i.Intercepts(op) {
			continue
		}
		m.Fork(start, n)
		m.Add(Move{Kind: MoveFailure, Index: move.Index, Fault: uint8(k), Ages: move.Ages})
	}
}
