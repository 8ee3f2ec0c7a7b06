package model

// A flight is work in progress on a node that other requests of the node can
// join, under a key: the mechanism of golang.org/x/sync/singleflight. Whoever
// leads or has joined it has a register that refers to it; its Limit holds the
// key and two bits.
const (
	flightOpen  = 1 << iota // it can be joined
	flightLeads             // this process leads it
	flightBits  = iota
)

// MaxFlights is how many flights there can be at once.
const MaxFlights = 64

// openFlight returns the register of some process of the node that refers to the
// open flight under the key, nil if there is none.
func (s *State) openFlight(node uint8, key KeyID) *Register {
	for i := range s.Processes {
		p := &s.Processes[i]
		for k := range p.Held() {
			r := &p.Registers[k]
			if p.Node == node && r.Kind == KindFlight && r.Limit>>flightBits == Ticks(key) && r.Limit&flightOpen != 0 {
				return r
			}
		}
	}
	return nil
}

// closeFlight lets nobody join the flight any more.
func (s *State) closeFlight(node, flight uint8) {
	for i := range s.Processes {
		p := &s.Processes[i]
		for k := range p.Held() {
			if r := &p.Registers[k]; p.Node == node && r.Kind == KindFlight && r.N == flight {
				r.Limit &^= flightOpen
			}
		}
	}
}

// joinFlight joins the flight under the operation's key or, if there is none and
// the operation says so, starts one.
func (r *Rules) joinFlight(s *State, p *Process, op *Operation) (Observation, error) {
	found := s.openFlight(p.Node, op.Key)
	if found == nil {
		if op.OrStart {
			return r.startFlight(s, p, op)
		}
		return Observe(Missing), nil
	}
	joined := *found
	joined.Limit &^= flightLeads
	return p.find(joined, op)
}

// startFlight starts a flight. One that is under way under the same key goes on
// and cannot be joined any more.
func (r *Rules) startFlight(s *State, p *Process, op *Operation) (Observation, error) {
	if old := s.openFlight(p.Node, op.Key); old != nil {
		s.closeFlight(p.Node, old.N)
	}
	used := uint64(0)
	for i := range s.Processes {
		for _, reg := range s.Processes[i].Held() {
			if reg.Kind == KindFlight {
				used |= 1 << reg.N
			}
		}
	}
	free := uint8(0)
	for used&(1<<free) != 0 {
		free++
	}
	if free == MaxFlights {
		return 0, registerError(op.Source)
	}
	register, err := p.hold(Register{Datum: Datum{Kind: KindFlight, N: free}, Limit: Ticks(op.Key)<<flightBits | flightLeads | flightOpen}, op.Source)
	return ObserveStarted(register), err
}

// resolveFlight gives the result to whoever has joined.
func (r *Rules) resolveFlight(s *State, p *Process, op *Operation) (Observation, error) {
	flight := p.Registers[op.Arg].N
	var values [MaxResults]Datum
	for k, from := range op.Results {
		values[k] = p.Registers[from].Datum
	}
	s.closeFlight(p.Node, flight)
	p.Registers[op.Arg].Limit &^= flightLeads
	observed := Done
	for i := range s.Processes {
		q := &s.Processes[i]
		if q.Node != p.Node || q.Phase != Acting {
			continue
		}
		waits := r.Automaton.Operation(q.Local)
		if waits.Kind != AwaitFlight || q.Registers[waits.Arg].N != flight {
			continue
		}
		o, err := bindResult(q, op.Class, values[:len(op.Results)], waits)
		if err != nil {
			return 0, err
		}
		q.Phase, q.Observed = Replying, o
		observed = Shared
	}
	return Observe(observed), nil
}

// Flight returns the key of a register of KindFlight, and whether the flight can be joined
// and the process leads it.
func (reg *Register) Flight() (key KeyID, open, leads bool) {
	return KeyID(reg.Limit >> flightBits), reg.Limit&flightOpen != 0, reg.leads()
}

// Opened and Closed return the register, of KindFlight, for a flight that can be joined, and
// for one that cannot: for who keeps elsewhere which flights are open.
func (reg Register) Opened() Register { reg.Limit |= flightOpen; return reg }

// Closed is the opposite of Opened.
func (reg Register) Closed() Register { reg.Limit &^= flightOpen; return reg }

// unresolved reports whether the process leads a flight.
func (p *Process) unresolved() bool {
	for _, reg := range p.Held() {
		if reg.leads() {
			return true
		}
	}
	return false
}

// leads reports whether the register is a flight that the process leads.
func (reg *Register) leads() bool { return reg.Kind == KindFlight && reg.Limit&flightLeads != 0 }

// unresolvedError says where a flight is forgotten that somebody may wait for.
func unresolvedError(at Source, how string) error {
	return &LimitError{at, "a flight that this process started is never resolved, and whoever joined waits for ever: " + how}
}
