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
	// its own; 0 if no request is watched. At most one is at a time, any that
	// arrives; arrivals are not merged then.
	Patience Ticks
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
	// Boots: service nodes have a Boot.
	Boots bool
}

// Population says who takes part in a run.
type Population struct {
	// Services is the number of service nodes, Requests that of requests on
	// each.
	Services, Requests int
	// Updates is the number of updates of the source, each on a node of its own.
	Updates int
	// Jobs is the number of runs of the job on each service node.
	Jobs int
	// Others are the numbers of further service nodes that run another variant of the
	// protocol, by variant from 1.
	Others []int
}

// Nodes returns how many nodes there are.
func (who Population) Nodes() int {
	n := who.Services + who.Updates
	for _, more := range who.Others {
		n += more
	}
	return n
}

// Start makes s the state at the beginning: empty stores, the source at version
// 1, nothing arrived.
func (r *Rules) Start(s *State, who Population) error {
	*s = State{Processes: s.Processes[:0], Nodes: s.Nodes[:0], Memory: s.Memory[:0], Source: 1, scratch: s.scratch}
	for variant, count := range append([]int{who.Services}, who.Others...) {
		for range count {
			if err := r.addService(s, who, uint8(variant)); err != nil {
				return err
			}
		}
	}
	for n := range who.Updates {
		s.Nodes = append(s.Nodes, Node{Class: Updater, Label: uint8(n)})
		if err := r.addRoot(s, Update, 0); err != nil {
			return err
		}
	}
	for i, f := range r.Faults {
		s.Left[i] = uint8(f.Budget())
	}
	memory := 0
	for _, m := range r.Monitors {
		memory += m.Memory()
	}
	s.Memory = append(s.Memory, make([]byte, memory)...)
	return nil
}

// addService adds a service node with its processes.
func (r *Rules) addService(s *State, who Population, variant uint8) error {
	s.Nodes = append(s.Nodes, Node{Class: Service, Label: uint8(len(s.Nodes)), Variant: variant})
	for k := range who.Requests {
		if err := r.addRoot(s, Request, k); err != nil {
			return err
		}
	}
	for k := range who.Jobs {
		if err := r.addRoot(s, Job, k); err != nil {
			return err
		}
	}
	if r.Boots {
		return r.addRoot(s, Boot, 0)
	}
	return nil
}

// addRoot adds a process to the last node, the number of its kind there, which has not
// arrived.
func (r *Rules) addRoot(s *State, role Role, number int) error {
	n := len(s.Nodes) - 1
	program := ProgramOf(role, s.Nodes[n].Variant)
	start, err := r.Automaton.Start(program)
	if err != nil {
		return err
	}
	p := Process{Node: uint8(n), Request: uint8(number), Root: true, Role: role, Local: LocalID(program)}
	if last := len(s.Processes) - 1; last >= 0 && s.Processes[last].Node == p.Node {
		p.Family = s.Processes[last].Family + 1
	}
	windowed := r.Window != nil && (role == Request || role == Boot)
	if windowed && *r.Window > 0 && !(r.Boots && role == Request) {
		p.Clock = Fresh
	}
	if r.MergeArrivals && r.Patience == 0 && !windowed && r.mergeable(start) {
		p.Phase, p.Local = Arriving, start.To
	}
	s.Processes = append(s.Processes, p)
	return nil
}

// timing returns how long the process may be in its phase, from its start, and
// whether it is blocked on something that is not time.
func (r *Rules) timing(s *State, p *Process) (least, most Ticks, blocked bool) {
	switch p.Phase {
	case Acting:
		op := r.Automaton.Operation(p.Local)
		switch {
		case op.Kind == WaitTask:
			t := s.Task(p, p.Registers[op.Arg].N)
			return 0, 0, t >= 0 && s.Processes[t].Phase != Ended
		case op.Kind == AwaitFlight:
			// Its result comes with the step that resolves the flight.
			return 0, 0, true
		case p.givesUp(op):
			return 0, 0, false
		case p.ending(op):
			return op.Min, 0, false
		case op.Kind.guarded() && s.met(p, op), s.Outage.breaks(p, op):
			return 0, 0, false
		}
		least, most = r.span(p, op)
		return least, most, most == Forever && (op.Kind.guarded() || p.parked())
	case Replying, Sent:
		least, most = r.span(p, r.Automaton.Operation(p.Local))
		return least, most, false
	}
	return 0, Forever, true
}

// span returns how long the process may be in its phase if nothing but time decides.
func (r *Rules) span(p *Process, op *Operation) (least, most Ticks) {
	switch {
	case p.Phase == Replying:
		return r.replyTime(op, p.Observed)
	case p.Phase == Sent:
		return r.lasts(p, op)
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
	_, most, blocked := r.timing(s, p)
	if blocked {
		return Forever
	}
	return most
}

// Urgent reports whether the process has to act before time passes, and
// otherwise the upper bound of its clock, Forever if there is none.
func (r *Rules) Urgent(s *State, p *Process) (urgent bool, bound Ticks) {
	if s.Stands(p) {
		return false, Forever
	}
	if s.Outage.On && p.UnderWay() && s.Outage.concerns(p, r.Automaton.Operation(p.Local)) && !p.givesUp(r.Automaton.Operation(p.Local)) {
		if patience := r.Automaton.Operation(p.Local).Patience; patience > 0 && p.Phase == Acting {
			return false, patience
		}
		return false, Forever
	}
	most := r.Bound(s, p)
	return most == 0 || p.Overdue && most < Forever, most
}

// Moves appends every move that is possible in s as far as the clocks can tell.
// Their order depends on s alone.
func (r *Rules) Moves(s *State, m *Moves) {
	if i := r.arrivesFirst(s); i >= 0 {
		r.processMoves(s, i, m)
		return
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if !s.Stands(p) || p.Phase == Waiting && s.Nodes[p.Node].Status == Halted {
			r.processMoves(s, i, m)
		}
	}
	for k := range s.Entries {
		if e := &s.Entries[k]; e.Clock != NoClock {
			m.Begin()
			if e.Session != 0 || m.Require(Guard{e.Clock, true, e.TTL}) {
				m.Add(Move{Kind: MoveExpire, Index: uint8(k)})
			}
		}
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
	case Sent:
	case Acting:
		if _, _, blocked := r.timing(s, p); blocked {
			return
		}
	}
	op := r.Automaton.Operation(p.Local)
	if p.givesUp(op) {
		p.givingUp(op, move, m)
		if !p.ending(op) {
			return
		}
		m.Begin()
	}
	if p.ending(op) {
		stopped := move
		stopped.Observation = Observe(Stopped)
		m.Add(stopped)
		if p.Observed.Code() == Stopped || p.givesUp(op) {
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
	shared := len(m.guards) - start
	r.effectMoves(s, p, op, move, m)
	r.staleMoves(s, op, move, start, shared, m)
	if len(r.Faults) > 0 && p.Phase != Sent {
		r.failures(s, op, move, start, shared, m)
	}
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
		r.ageMoves(s, p, op, move, start, m)
	case PTTL:
		e := &s.Entries[op.Key]
		switch {
		case e.Session != 0:
			move.Observation = Observe(NoTTL)
			m.Add(move)
			return
		case e.TTL > 0 && e.Clock == NoClock:
			// Its clock stands still, nobody knows where.
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
	if r.Patience == 0 || p.Role != Request {
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
	case p.Overdue || least == 0:
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
