package model

// A watch tells a process of changes under keys, or of messages in a channel: which is
// a key under which there never is anything. The register that refers to it has the
// keys, each as a bit, and these bits in its Limit; its N is 1 from the first change on,
// until the process has noticed it.
const (
	watchEnded         = 1 << iota // it sees nothing any more
	watchIgnoresExpiry             // an expiry is no change
	watchLocal                     // its keys are those of the memory of the node
	watchBits          = iota
)

// WithoutExpiry is the Mode of a StartWatch for which an expiry is no change.
const WithoutExpiry SetMode = 1

// startWatch lets process p watch the keys of the operation. What has happened before
// it does not see.
func (s *State) startWatch(p *Process, op *Operation) (Observation, error) {
	limit := Ticks(op.Keys) << watchBits
	if op.Mode&WithoutExpiry != 0 {
		limit |= watchIgnoresExpiry
	}
	if op.Local {
		limit |= watchLocal
	}
	s.Attentive = true
	return p.find(Register{Datum: Datum{Kind: KindWatch}, Limit: limit}, op)
}

// endWatch lets the watch in a register see nothing any more and reports whether it had
// seen a change.
func (p *Process) endWatch(register int8) (changed bool) {
	w := &p.Registers[register]
	changed = w.N == 1
	w.N, w.Limit = 0, watchEnded
	return changed
}

// watches reports whether the register is a watch of the key.
func (reg *Register) watches(key KeyID, local bool) bool {
	return reg.Kind == KindWatch && reg.Limit>>watchBits&(1<<key) != 0 && (reg.Limit&watchLocal != 0) == local
}

// Watched returns the keys of a watch, each as a bit, and whether they are those of the
// memory of the node.
func (reg *Register) Watched() (keys uint16, local bool) {
	return uint16(reg.Limit >> watchBits), reg.Limit&watchLocal != 0
}

// Listens returns the stores of which the process watches something, each as a bit.
func (r *Rules) Listens(p *Process) (stores uint32) {
	for k := range p.Held() {
		w := &p.Registers[k]
		if w.Kind != KindWatch || w.Limit&watchLocal != 0 {
			continue
		}
		for key := range KeyID(MaxKeys) {
			if w.watches(key, false) {
				stores |= 1 << r.Automaton.Store(key)
			}
		}
	}
	return stores
}

// notice tells those who watch of what the step has changed, serves those who wait at a
// list, and ends what is bound to sessions that are gone.
func (r *Rules) notice(s *State, e *Event) {
	// Serving appends changes.
	for i := 0; i < len(e.Changes); i++ {
		c := &e.Changes[i]
		if !c.Written && c.Before == c.After || c.ByClock && c.After.Present() || e.Move.Kind == MoveRecovery && c.Before.looksLike(&c.After) {
			continue
		}
		s.tell(c.Key, false, 0, e.Move.Kind == MoveExpire || c.ByClock)
		if c.After.Value.Kind == KindList {
			r.serve(s, c.Key, false, 0, e)
		}
	}
	s.endSessions()
}

// looksLike reports whether two entries differ at most in how much is left of their TTLs.
func (e *Entry) looksLike(other *Entry) bool {
	return e.Value == other.Value && e.TTL == other.TTL && e.Session == other.Session
}

// tell lets the watches of a key, of the stores or of the memory of a node, see a
// change.
func (s *State) tell(key KeyID, local bool, node uint8, expired bool) {
	for i := range s.Processes {
		p := &s.Processes[i]
		if local && p.Node != node {
			continue
		}
		for k := range p.Held() {
			if w := &p.Registers[k]; w.watches(key, local) && !(expired && w.Limit&watchIgnoresExpiry != 0) {
				w.N = 1
			}
		}
	}
}

// publish sends a message to those who watch the channel and whom it can reach, and
// reports whether there were any.
func (s *State) publish(op *Operation) Code {
	reached := Missing
	for i := range s.Processes {
		p := &s.Processes[i]
		if s.Outage.cuts(p, op.Store) {
			continue
		}
		for k := range p.Held() {
			if w := &p.Registers[k]; w.watches(op.Key, false) {
				reached = Done
				if !s.muted {
					w.N = 1
				}
			}
		}
	}
	return reached
}

// met reports whether what the process waits for is there: a change, or a mutex that
// is free.
func (s *State) met(p *Process, op *Operation) bool {
	if op.Kind == Lock {
		return s.Nodes[p.Node].Memory[op.Key].Kind == KindNone
	}
	w := &p.Registers[op.Arg]
	return w.N == 1 && (w.Limit&watchLocal != 0 || !s.Outage.cuts(p, op.Store))
}

// guarded reports whether an operation of this kind waits for something other than
// time, for Max at most.
func (k OperationKind) guarded() bool { return k == AwaitWatch || k == Lock }

// guardedMoves appends the ways in which a guarded wait ends.
func (r *Rules) guardedMoves(s *State, p *Process, op *Operation, move Move, m *Moves) {
	if s.met(p, op) {
		m.Add(move)
		if op.Max == 0 {
			return
		}
		m.Begin()
	}
	p.lapse(op.Max, move, m)
}

// lapse appends the move by which the process has waited for as long as it would.
func (p *Process) lapse(longest Ticks, move Move, m *Moves) {
	if longest < Forever && m.due(p, longest) {
		move.Observation = Observe(Elapsed)
		m.Add(move)
	}
}
