package model

import "fmt"

// enter lets process i go along the edge: its marks, then its next operation.
func (r *Rules) enter(s *State, i int, edge *Edge, e *Event) error {
	e.Marks = edge.Marks
	s.Processes[i].Phase = Acting
	if r.Records {
		e.Entered = append(e.Entered, Entered{i, s.Processes[i].Believes, r.Automaton.Operation(edge.To)})
	}
	for k := range edge.Marks {
		if err := r.mark(s, i, &edge.Marks[k], e); err != nil {
			return err
		}
	}
	return r.issue(s, i, edge.To, e)
}

// issue lets the process issue the operation of local state l, or end.
func (r *Rules) issue(s *State, i int, l LocalID, e *Event) error {
	p := &s.Processes[i]
	op := r.Automaton.Operation(l)
	p.Local, p.Observed, p.Overdue, p.Late, p.Clock = l, 0, false, false, NoClock
	p.Rebuilding = op.Kind == Compute
	if op.Kind == Return {
		if p.unresolved() && !op.Abnormal {
			return unresolvedError(e.Operation.Source, "after this the process returns")
		}
		if op.Fatal {
			s.Nodes[p.Node].Status = Doomed
		}
		e.Answer = p.answer(op)
		r.end(p, op)
		if p.Root && p.Role == Boot {
			r.booted(s, p.Node)
		}
		e.Ended = true
		return nil
	}
	switch {
	case p.GivesUp(op):
		p.Observed = Observe(Cancelled)
		return nil
	case p.ending(op):
		p.Observed = Observe(Stopped)
		return nil
	}
	p.Clock = op.startClock()
	return nil
}

// startClock returns the clock with which an operation is issued: none where no time is
// ever asked for.
func (op *Operation) startClock() uint8 {
	if op.Patience > 0 || op.Max != 0 && (op.Min != 0 || op.Max != Forever) {
		return Fresh
	}
	return NoClock
}

// end lets the process return; only what its result mentions stays, and a flight that it
// leaves unresolved, for those who will join it.
func (r *Rules) end(p *Process, result *Operation) {
	p.Phase, p.Believes, p.Stopped, p.Cancelled, p.Writing, p.Watch = Ended, 0, false, false, false, NoClock
	var kept [MaxResults]Register
	for k, from := range result.Results {
		kept[k] = p.Registers[from]
	}
	n := len(result.Results)
	for _, reg := range p.Held() {
		if reg.leads() && n < MaxResults {
			kept[n] = reg
			n++
		}
	}
	p.Registers = [MaxRegisters]Register{}
	p.Count = uint8(copy(p.Registers[:], kept[:n]))
}

func (r *Rules) mark(s *State, i int, m *Mark, e *Event) error {
	p := &s.Processes[i]
	switch m.Kind {
	case MarkToken:
		n, ok := s.freeToken()
		if !ok {
			return registerError(m.Source)
		}
		if _, err := p.hold(Register{Datum: Datum{Kind: KindToken, N: n}}, m.Source); err != nil {
			return err
		}
		s.Owners[n] = OwnerOf(p)
		s.Created++
		s.Serials[n] = s.Created
	case MarkAcquired:
		p.Believes |= 1 << m.Key
	case MarkReleasing:
		p.Believes &^= 1 << m.Key
	case MarkKeep:
		var kept [MaxRegisters]Register
		for k, from := range m.Keep {
			kept[k] = p.Registers[from]
			p.Registers[from].Limit &^= flightLeads
		}
		if p.unresolved() {
			return unresolvedError(m.Source, "it is not named in this Checkpoint")
		}
		p.Registers, p.Count = kept, uint8(len(m.Keep))
	case MarkSpawn:
		return r.spawn(s, i, m, e)
	case MarkContext:
		_, err := s.openContext(i, m.Context, m.Detached, m.Source)
		return err
	case MarkRestart:
		if p.unresolved() {
			return unresolvedError(m.Source, "the request starts over")
		}
		// What it held is forgotten, its tokens are nobody's.
		for n, owner := range s.Owners {
			if owner == OwnerOf(p) {
				s.Owners[n] = NoOwner
			}
		}
		p.Registers, p.Count, p.Believes, p.Writing = [MaxRegisters]Register{}, 0, 0, false
	}
	return nil
}

// spawn starts a process at the end of the family of process i. It knows the
// values, tokens and contexts of its parent.
func (r *Rules) spawn(s *State, i int, m *Mark, e *Event) error {
	p := &s.Processes[i]
	if p.Count == MaxRegisters {
		return registerError(m.Source)
	}
	child := Process{Node: p.Node, Family: p.Family, Request: p.Request, Role: p.Role, Cancelled: p.Cancelled, Client: p.Client}
	for _, reg := range p.Held() {
		if reg.Kind == KindVersion || reg.Kind == KindToken || reg.Kind == KindCounter || reg.Kind == KindContext {
			child.Registers[child.Count] = reg
			child.Count++
		}
	}
	p.Spawned++
	child.Label = p.Label<<8 | uint32(p.Spawned)
	at, position, err := s.join(i, child, m.Source)
	if err != nil {
		return err
	}
	p = &s.Processes[i]
	p.Registers[p.Count] = Register{Datum: Datum{Kind: KindTask, N: position}}
	p.Count++
	return r.begin(s, at, m.Program, e)
}

// begin lets the process at the index start its program in a step of others.
func (r *Rules) begin(s *State, at int, program ProgramID, e *Event) error {
	start, err := r.Automaton.Start(program)
	if err != nil {
		return err
	}
	inner := Event{Begun: e.Begun, Entered: e.Entered}
	if err := r.enter(s, at, start, &inner); err != nil {
		return err
	}
	e.Entered = inner.Entered
	e.Begun = append(inner.Begun, Begun{at, inner.Marks, inner.Ended})
	return nil
}

// join puts a process at the end of the family of process i, and returns where that is,
// and its position there.
func (s *State) join(i int, child Process, source Source) (at int, position uint8, err error) {
	p := &s.Processes[i]
	at = i
	for at > 0 && s.Processes[at-1].Node == p.Node && s.Processes[at-1].Family == p.Family {
		at--
	}
	for at < len(s.Processes) && s.Processes[at].Node == p.Node && s.Processes[at].Family == p.Family {
		at++
		position++
	}
	return at, position, s.insert(at, child, source)
}

// insert puts a process at an index.
func (s *State) insert(at int, p Process, source Source) error {
	if len(s.Processes) == MaxProcesses {
		return &LimitError{source, fmt.Sprintf("more than %d processes live at once; wait for some, or spawn fewer", MaxProcesses)}
	}
	s.Processes = append(s.Processes, Process{})
	copy(s.Processes[at+1:], s.Processes[at:])
	s.Processes[at] = p
	return nil
}

// LimitError says that protocol code exceeds a limit of [State].
type LimitError struct {
	Source Source
	What   string
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Source.File, e.Source.Line, e.What)
}

func registerError(at Source) error {
	return &LimitError{at, fmt.Sprintf("a process refers to more than %d values, tokens, tasks, deadlines and contexts at once; name those that it still needs in a Checkpoint", MaxRegisters)}
}
