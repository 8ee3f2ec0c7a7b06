package model

import "fmt"

// A context below that of a request is what a part of the work goes on in: cancelling it
// ends that part and what is below it, and nothing else. It is no thing of its own in the
// state. Whoever refers to it has a register of KindContext: its N is the number of the
// context in its family, and its Limit has a bit for each context that ends it, which are
// itself and those above it; bit 0 is the request's. Once it is done nothing about it
// matters any more, and all that is left is contextDone: N is 0, and the number is free.
//
// A context that ends by itself has a timer, which is a process of phase [Timing] at the
// end of the family: so it stands still, is overdue, and is gone with its node as
// processes are. Its first register refers to its context. Nobody else needs to know it.
const (
	contextDone = 1 << iota
	contextBits = iota
)

// MaxContexts is how many contexts that are not done a family can refer to, that of the
// request not counted.
const MaxContexts = 7

// requestBit stands for the context of the request among those that end a context.
const requestBit = 1

// over reports whether the register refers to a context that is done.
func (reg *Register) over() bool { return reg.Limit&contextDone != 0 }

// endedBy reports whether the register refers to a context that ends with one.
func (reg *Register) endedBy(context uint8) bool {
	return reg.Kind == KindContext && reg.Limit>>contextBits&(1<<context) != 0
}

// calledOff reports whether the context of the operation is done.
func (p *Process) calledOff(op *Operation) bool {
	if op.Context == NoContext {
		return p.Cancelled
	}
	return p.Registers[op.Context-1].over()
}

// openContext lets process i refer to a new context below the one of a register, +1, or
// below that of the process; detached: below none.
func (s *State) openContext(i int, above uint8, detached bool, at Source) (register int, err error) {
	p := &s.Processes[i]
	s.Contexts = true
	reg := Register{Datum: Datum{Kind: KindContext}}
	switch {
	case detached:
	case above != NoContext:
		reg.Limit = p.Registers[above-1].Limit
	case p.Cancelled:
		reg.Limit = contextDone
	default:
		reg.Limit = requestBit << contextBits
	}
	if !reg.over() {
		if reg.N, err = s.freeContext(p, at); err != nil {
			return 0, err
		}
		reg.Limit |= 1 << reg.N << contextBits
	}
	return p.hold(reg, at)
}

// freeContext returns a number from 1 that no context of p's family has.
func (s *State) freeContext(p *Process, at Source) (uint8, error) {
	family := s.family(p)
	dropTimers(family)
	used := Ticks(0)
	for i := range family {
		for k := range family[i].Held() {
			if reg := &family[i].Registers[k]; reg.Kind == KindContext {
				used |= reg.Limit >> contextBits
			}
		}
	}
	for n := uint8(1); n <= MaxContexts; n++ {
		if used&(1<<n) == 0 {
			return n, nil
		}
	}
	return 0, &LimitError{at, fmt.Sprintf("a request and what it spawned refer to more than %d contexts that are not done; cancel those that are no longer needed, or name those that still are in a Checkpoint", MaxContexts)}
}

// startContext opens a context that is done once its time is over; at once, if it has
// none.
func (s *State) startContext(i int, op *Operation) (Observation, error) {
	register, err := s.openContext(i, op.Context, op.Detached, op.Source)
	if err != nil {
		return 0, err
	}
	p := &s.Processes[i]
	reg := &p.Registers[register]
	switch {
	case reg.over():
	case op.TTL <= 0:
		reg.N, reg.Limit = 0, contextDone
	default:
		p.Spawned++
		timer := Process{
			Local: p.Local, Node: p.Node, Family: p.Family, Request: p.Request, Role: p.Role, Phase: Timing, Clock: Fresh,
			Label: p.Label<<8 | uint32(p.Spawned), Count: 1,
		}
		timer.Registers[0] = *reg
		if _, _, err := s.join(i, timer, op.Source); err != nil {
			return 0, err
		}
	}
	return ObserveFound(register), nil
}

// timeOut lets the time of a context be over, of which process i is the timer.
func (r *Rules) timeOut(s *State, i int, e *Event) {
	p := &s.Processes[i]
	e.Operation = r.Automaton.Operation(p.Local)
	r.endContext(s, p, p.Registers[0].N)
}

// endContext ends the context of that number of p's family, 0 for the request's, and what
// is below it: what goes on there is given up.
func (r *Rules) endContext(s *State, p *Process, context uint8) {
	family := s.family(p)
	for k := range family {
		q := &family[k]
		for at := range q.Held() {
			if reg := &q.Registers[at]; reg.endedBy(context) {
				reg.N, reg.Limit = 0, contextDone
			}
		}
		switch {
		case q.Active():
			q.letGo(r.Automaton.Operation(q.Local))
		case q.Phase == Timing && q.Registers[0].over():
			q.silence()
		}
	}
}

// silence ends a timer.
func (p *Process) silence() {
	p.Phase, p.Clock, p.Overdue = Ended, NoClock, false
	p.forget(0)
}

// family returns the processes of p's family.
func (s *State) family(p *Process) []Process {
	owner, from := OwnerOf(p), 0
	for OwnerOf(&s.Processes[from]) != owner {
		from++
	}
	to := from
	for to < len(s.Processes) && OwnerOf(&s.Processes[to]) == owner {
		to++
	}
	return s.Processes[from:to]
}

// tidyContexts drops the timers that nobody waits for and numbers the contexts of each
// family in the order in which they are mentioned: equal states look equal.
func (s *State) tidyContexts() {
	s.Contexts = false
	for from := 0; from < len(s.Processes); {
		family := s.family(&s.Processes[from])
		dropTimers(family)
		s.Contexts = numberContexts(family) || s.Contexts
		from += len(family)
	}
}

// dropTimers drops the timers of contexts in which no process of the family is any more,
// and cannot be.
func dropTimers(family []Process) {
	wanted := Ticks(0)
	for i := range family {
		for k := range family[i].Held() {
			if reg := &family[i].Registers[k]; reg.Kind == KindContext && family[i].Phase != Timing {
				wanted |= reg.Limit >> contextBits
			}
		}
	}
	for i := range family {
		if p := &family[i]; p.Phase == Timing && wanted&(1<<p.Registers[0].N) == 0 {
			p.silence()
		}
	}
}

// numberContexts numbers the contexts of a family, without those that nothing ends any
// more, and reports whether it refers to any.
func numberContexts(family []Process) (any bool) {
	ending := Ticks(requestBit)
	for i := range family {
		for k := range family[i].Held() {
			if reg := &family[i].Registers[k]; reg.Kind == KindContext {
				any = true
				ending |= 1 << reg.N
			}
		}
	}
	var number [MaxContexts + 1]uint8
	next := uint8(0)
	rename := func(n uint8) uint8 {
		if n != 0 && number[n] == 0 {
			next++
			number[n] = next
		}
		return number[n]
	}
	for i := range family {
		for k := range family[i].Held() {
			reg := &family[i].Registers[k]
			if reg.Kind != KindContext || reg.over() {
				continue
			}
			ends := reg.Limit >> contextBits & ending
			reg.N, reg.Limit = rename(reg.N), 0
			for n := range uint8(MaxContexts + 1) {
				if ends&(1<<n) != 0 {
					reg.Limit |= 1 << rename(n) << contextBits
				}
			}
		}
	}
	return any
}
