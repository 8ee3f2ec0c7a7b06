package model

// Moves appends every move that is possible in s as far as the clocks can tell.
// Their order depends on s alone.
func (r *Rules) Moves(s *State, m *Moves) {
	if i := r.arrivesFirst(s); i >= 0 {
		r.processMoves(s, i, m)
		r.soonMoves(s, m)
		return
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if !s.Stands(p) || p.Phase == Waiting && s.Nodes[p.Node].Status == Halted {
			r.processMoves(s, i, m)
		}
	}
	for k := range s.present() {
		if e := &s.Entries[k]; e.Clock != NoClock && (e.Session != 0 || r.Runs(s, KeyID(k))) {
			m.Begin()
			if e.Session != 0 || m.Require(Guard{e.Clock, true, e.TTL}) {
				m.Add(Move{Kind: MoveExpire, Index: uint8(k)})
			}
		}
	}
	if r.Watching {
		r.lateEntries(s, m)
		r.soonMoves(s, m)
	}
	for i, f := range r.Faults {
		first := len(m.List)
		f.Offer(r, s, m)
		kept := m.List[:first]
		for _, move := range m.List[first:] {
			if move.Kind.IsFault() && s.Left[i] == 0 {
				continue
			}
			move.Fault = uint8(i)
			kept = append(kept, move)
		}
		m.List = kept
	}
}

// What is late by a MoveLate is in its Choice: a process, an entry, whose key is the Index,
// or a clock of [State.Since], which stands for a key, too.
const (
	lateProcess = iota
	lateEntry
	lateSince
)

// lateEntries appends a move for each entry that has been watched for too long.
func (r *Rules) lateEntries(s *State, m *Moves) {
	for k := range s.present() {
		if watch := s.Watches[k]; watch != NoClock {
			m.Begin()
			if m.Require(Guard{watch, true, r.Patience}) {
				m.Add(Move{Kind: MoveLate, Index: uint8(k), Choice: lateEntry})
			}
		}
	}
	r.lateSince(s, m)
}

func (r *Rules) processMoves(s *State, i int, m *Moves) {
	p := &s.Processes[i]
	if r.held(s, p) {
		return
	}
	if p.Watch != NoClock {
		m.Begin()
		if m.Require(Guard{p.Watch, true, r.Patience}) {
			m.Add(Move{Kind: MoveLate, Index: uint8(i)})
		}
	}
	r.operationMoves(s, i, m)
}

// ProcessMoves appends the ways in which the process goes on: for a caller that knows whose
// step comes next.
func (r *Rules) ProcessMoves(s *State, i int, m *Moves) { r.processMoves(s, i, m) }

// operationMoves appends the ways in which the process goes on with its operation.
func (r *Rules) operationMoves(s *State, i int, m *Moves) {
	p := &s.Processes[i]
	move := Move{Kind: MoveEffect, Index: uint8(i)}
	m.Begin()
	switch p.Phase {
	case Waiting:
		move.Kind = MoveArrive
		m.Add(move)
		if r.mayWatch(s, p) {
			move.Choice = 1
			m.Begin()
			m.Add(move)
		}
		return
	case Arriving:
	case Replying:
		move.Kind = MoveReply
		if least, _, _ := r.timing(s, p); m.due(p, least) {
			m.Add(move)
		}
		return
	case Ended:
		return
	case Timing:
		move.Kind = MoveTimeout
		if least, _, _ := r.timing(s, p); m.due(p, least) {
			m.Add(move)
		}
		return
	case Sent:
	case Acting:
		if _, _, blocked := r.timing(s, p); blocked {
			return
		}
	}
	op := r.Automaton.Operation(p.Local)
	if p.GivesUp(op) {
		r.givingUp(s, p, op, move, m)
		if !p.ending(op) {
			return
		}
		m.Begin()
	}
	if p.ending(op) {
		stopped := move
		stopped.Observation = Observe(Stopped)
		m.Add(stopped)
		if p.Observed.Code() == Stopped || p.GivesUp(op) {
			return
		}
		m.Begin()
	}
	if op.Patience > 0 {
		p.lapseMoves(op, move, m)
		m.Begin()
	}
	switch {
	case s.Outage.concerns(p, op):
		return
	case op.Kind.guarded():
		r.guardedMoves(s, p, op, move, m)
		return
	case s.Outage.breaks(p, op):
		move.Observation = Observe(Failed)
		m.Add(move)
		return
	case p.parked():
		p.lapse(op.patience(), move, m)
		return
	}
	start := m.open
	if p.UnderWay() {
		if least, _ := r.span(p, op); !m.due(p, least) {
			return
		}
	}
	if s.Outage.refuses(p, op) {
		move.Observation = Observe(Failed)
		m.Add(move)
		return
	}
	if op.Kind == RunScript && s.dated() {
		r.ageMoves(s, p, op, move, start, m)
		return
	}
	shared := len(m.guards) - start
	r.effectMoves(s, p, op, move, m)
	r.staleMoves(s, op, move, start, shared, m)
	r.failures(s, p, op, move, start, shared, m)
}

// effectMoves appends the ways in which the operation takes effect; the guards that
// they share have been begun.
func (r *Rules) effectMoves(s *State, p *Process, op *Operation, move Move, m *Moves) {
	start := m.open
	switch op.Kind {
	case ReadDeadline:
		reg := p.Registers[op.Arg]
		m.compare(start, move, reg.Clock, reg.Limit, NotPassed, Passed)
	case ReadStamp:
		r.stampMoves(s, p, op, move, start, m)
	case PTTL:
		e := &s.Entries[op.Key]
		switch {
		case e.Session != 0:
			move.Observation = Observe(NoTTL)
			m.Add(move)
			return
		case e.Clock != NoClock && !r.Runs(s, op.Key):
			// The clock of its store stands still, nobody knows where.
			shared := len(m.guards) - start
			move.Observation = Observe(NotBelow)
			m.Add(move)
			m.Fork(start, shared)
			move.Observation = Observe(Below)
			m.Add(move)
			return
		case e.Clock == NoClock:
			m.Add(move)
			return
		}
		m.compare(start, move, e.Clock, e.TTL-op.TTL, NotBelow, Below)
	case Choose:
		shared := len(m.guards) - start
		for n := range int(op.Class) {
			if n > 0 {
				m.Fork(start, shared)
			}
			move.Observation = ObserveChosen(n)
			m.Add(move)
		}
	default:
		m.Add(move)
	}
}

// mayWatch reports whether the wait of a request that arrives may be watched.
func (r *Rules) mayWatch(s *State, p *Process) bool {
	if r.Patience == 0 || r.Watching || p.Role != Request {
		return false
	}
	for i := range s.Processes {
		if s.Processes[i].Watch != NoClock {
			return false
		}
	}
	return true
}

// due requires that the process has been in its phase for the least time.
func (m *Moves) due(p *Process, least Ticks) bool {
	switch {
	case p.timeless() || least == 0:
		return true
	case p.Clock == NoClock:
		return false
	}
	return m.Require(Guard{p.Clock, true, least})
}

// compare adds the two moves that observe a clock below or above a limit, or one
// where the clock no longer runs, having passed it.
func (m *Moves) compare(start int, move Move, clock uint8, limit Ticks, until, after Code) {
	shared := len(m.guards) - start
	if clock == NoClock || limit < 0 {
		move.Observation = Observe(after)
		m.Add(move)
		return
	}
	if m.Require(Guard{clock, false, limit}) {
		early := move
		early.Observation = Observe(until)
		m.Add(early)
	}
	m.Fork(start, shared)
	if m.Require(Guard{clock, true, limit}) {
		move.Observation = Observe(after)
		m.Add(move)
	}
}
