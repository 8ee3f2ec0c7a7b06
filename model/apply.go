package model

// Apply changes s as the move says and tells in e what happened. Clocks that
// start in this step are Fresh afterwards. It fails if the protocol code breaks
// a rule or a limit of [State] is exceeded.
func (r *Rules) Apply(s *State, move *Move, e *Event) error {
	if err := r.apply(s, move, e); err != nil {
		return err
	}
	if r.StoreDrift > 0 {
		r.steady(s)
	}
	if s.Attentive {
		r.notice(s, e)
		return r.grant(s)
	}
	return nil
}

func (r *Rules) apply(s *State, move *Move, e *Event) error {
	e.begin(move)
	switch move.Kind {
	case MoveExpire:
		entry := &s.Entries[move.Index]
		e.Changes = append(e.Changes, Change{Key: KeyID(move.Index), Before: *entry, Owner: s.ownerOf(entry.Value)})
		*entry = Entry{}
		return nil
	case MoveLate:
		r.late(s, move, e)
		return nil
	case MoveFault, MoveFailure, MoveRecovery:
		if move.Kind.IsFault() {
			s.Left[move.Fault]--
		}
		return r.Faults[move.Fault].Apply(r, s, move, e)
	}
	i := int(move.Index)
	p := &s.Processes[i]
	e.Process, e.Node = i, int(p.Node)
	switch move.Kind {
	case MoveArrive:
		edge, err := r.Automaton.Start(p.Program())
		if err != nil {
			return err
		}
		if move.Choice == 1 {
			p.Watch = Fresh
		}
		err = r.enter(s, i, edge, e)
		s.Processes[i].New = r.Automaton.Operation(edge.To).Remote()
		return err
	case MoveTimeout:
		r.timeOut(s, i, e)
		return nil
	case MoveReply:
		e.Operation, e.Observation = r.Automaton.Operation(p.Local), p.Observed
		p.refer(p.Observed, &e.Data)
	case MoveEffect:
		switch {
		case p.Phase == Sent:
			return r.arrive(s, i, move, e)
		case move.Observation.Code() == Failed:
			return r.Fail(s, i, Failed, false, e)
		case move.Observation.Code() == Cancelled || move.Observation.Code() == TimedOut:
			return r.giveUp(s, i, move, e)
		}
		return r.complete(s, i, move, e)
	}
	return r.goOn(s, i, e)
}

// late ends the watch of a process, or of an entry, that has lasted for too long.
func (r *Rules) late(s *State, move *Move, e *Event) {
	if move.Choice == lateProcess {
		p := &s.Processes[move.Index]
		e.Process, e.Node, p.Watch = int(move.Index), int(p.Node), NoClock
		return
	}
	entry := s.Entries[move.Index]
	if move.Choice == lateSince {
		s.Since[move.Index] = NoClock
	} else {
		s.Watches[move.Index] = NoClock
	}
	e.Changes = append(e.Changes, Change{Key: KeyID(move.Index), Before: entry, After: entry, Owner: s.ownerOf(entry.Value)})
}

// complete lets the operation of process i take effect, and the process observe that.
func (r *Rules) complete(s *State, i int, move *Move, e *Event) error {
	op := r.Automaton.Operation(s.Processes[i].Local)
	observed, err := r.effect(s, i, op, move, e)
	if err != nil {
		return err
	}
	e.Process, e.Node, e.Operation, e.Reached = i, int(s.Processes[i].Node), op, true
	return r.conclude(s, i, op, observed, e)
}

// conclude lets process i observe what became of its operation, or wait for that.
func (r *Rules) conclude(s *State, i int, op *Operation, observed Observation, e *Event) error {
	if observed.Code() == Parked {
		e.Observation = observed
		r.park(s, i, op)
		return nil
	}
	return r.answer(s, i, op, observed, e)
}

// answer lets process i observe what became of its operation, at once or after the
// time that a reply takes.
func (r *Rules) answer(s *State, i int, op *Operation, observed Observation, e *Event) error {
	p := &s.Processes[i]
	e.Observation, e.Believed = observed, p.Believes
	p.Overdue, p.Late, p.New = false, false, false
	p.refer(observed, &e.Data)
	if _, most := r.replyTime(op, observed); most > 0 {
		p.Phase, p.Observed, p.Clock = Replying, observed, Fresh
		p.Rebuilding = op.Kind == SourceRead && observed.Code() == Found
		return nil
	}
	return r.goOn(s, i, e)
}

// goOn lets process i go on with the observation of the event.
func (r *Rules) goOn(s *State, i int, e *Event) error {
	edge, err := r.Automaton.Next(s.Processes[i].Local, e.Observation)
	if err != nil {
		return err
	}
	return r.enter(s, i, edge, e)
}

// effect lets the operation of process i take effect.
func (r *Rules) effect(s *State, i int, op *Operation, move *Move, e *Event) (Observation, error) {
	p := &s.Processes[i]
	switch move.Observation.Code() {
	case Stopped, Elapsed:
		return move.Observation, nil
	}
	switch {
	case op.Kind.OnEntry() && op.Local:
		return r.memoryEffect(s, p, op, e)
	case op.Kind.OnEntry():
		return r.entryEffect(s, p, op, move, e)
	}
	switch op.Kind {
	case WaitReplicas:
		if !r.acknowledged(s, op) {
			return Observe(Parked), nil
		}
	case Publish:
		return Observe(s.publish(op)), nil
	case StartWatch:
		return s.startWatch(p, op)
	case EndWatch:
		p.endWatch(op.Arg)
	case AwaitWatch:
		p.Registers[op.Arg].N = 0
	case Lock:
		r.lock(s, p, op, e)
	case Unlock:
		return Observe(Done), r.unlock(s, p, op, e)
	case RunScript:
		return r.runScript(s, p, op, move, e)
	case JoinFlight:
		return r.joinFlight(s, p, op)
	case StartFlight:
		return r.startFlight(s, p, op)
	case ResolveFlight:
		return r.resolveFlight(s, p, op)
	case ForgetFlight:
		if f := s.openFlight(p.Node, op.Key); f != nil {
			s.closeFlight(p.Node, f.N)
		}
	case SourceRead:
		version := s.Source
		if e.Stale = move.Choice == staleRead; e.Stale {
			version = s.Replica.Source
		}
		return bind(p, Datum{Kind: KindVersion, N: version, For: op.For}, op)
	case SourceUpdate, SourceWrite, SourceCommit, SourceRollback:
		if op.Kind == SourceCommit && p.Writing {
			e.Known, e.Committed = p.Newest(Version(s.Source+1)), true
		}
		return r.sourceEffect(s, p, op)
	case StartDeadline:
		return p.find(Register{Datum: Datum{Kind: KindDeadline}, Clock: Fresh, Limit: op.TTL}, op)
	case StoreTime:
		register, err := p.holdStamp(Stamp{Clock: Fresh, Limit: op.Age}, op)
		return ObserveFound(register), err
	case TakeStamp:
		register, err := p.holdStamp(Stamp{Fresh, s.Nodes[p.Node].Steps, op.TTL}, op)
		return ObserveFound(register), err
	case ReadStamp:
		if limit := p.Registers[op.Arg].Limit; op.TTL > limit {
			return 0, &LimitError{op.Source, "a time is compared with something longer than what Now was told"}
		}
		return move.Observation, nil
	case ResetDeadline:
		p.Registers[op.Arg].Clock = Fresh
	case ReadDeadline:
		if move.Observation.Code() == Passed {
			// It stays passed until it is reset, whatever time does.
			p.Registers[op.Arg].Clock = NoClock
		}
		return move.Observation, nil
	case Choose:
		return move.Observation, nil
	case StartContext:
		return s.startContext(i, op)
	case EndContext:
		if reg := &p.Registers[op.Arg]; !reg.over() {
			r.endContext(s, p, reg.N)
		}
	case ReadContext:
		if !op.Detached && p.calledOff(op) {
			return Observe(Cancelled), nil
		}
	case StopTask:
		if t := s.Task(p, p.Registers[op.Arg].N); t >= 0 {
			s.Processes[t].Stopped = true
		}
	case WaitTask:
		t := s.Task(p, p.Registers[op.Arg].N)
		if t < 0 {
			return 0, &LimitError{op.Source, "it waits for a process whose result is gone"}
		}
		child := &s.Processes[t]
		result := r.Automaton.Operation(child.Local)
		var values [MaxResults]Datum
		for k := range result.Results {
			values[k] = child.Registers[k].Datum
		}
		return bindResult(p, result.Class, values[:len(result.Results)], op)
	}
	return Observe(Done), nil
}

func (r *Rules) entryEffect(s *State, p *Process, op *Operation, move *Move, e *Event) (Observation, error) {
	if op.Kind == Get || op.Kind == GetStamped {
		return r.readEffect(s, p, op, move, e)
	}
	entry := &s.Entries[op.Key]
	arg := Datum{}
	if op.Arg != NoRegister {
		arg = p.Registers[op.Arg].Datum
	}
	var at Stamp
	if op.Stamp != 0 && op.Stamp != StampNow {
		at = p.Registers[op.Stamp-1].stamp()
	}
	after, code, err := s.change(op, arg, at, e)
	if err != nil {
		return 0, tooLarge(op.Source, err)
	}
	*entry = after
	switch {
	case op.Kind == PTTL && code == Below:
		return move.Observation, nil
	case code == Found:
		return bind(p, after.Value, op)
	case code == Missing && op.Kind == BlockingPop:
		return Observe(Parked), nil
	}
	return Observe(code), nil
}

// readEffect lets the process see what is under a key, in its store or in a replica.
func (r *Rules) readEffect(s *State, p *Process, op *Operation, move *Move, e *Event) (Observation, error) {
	entry := s.read(op, move.Choice)
	e.Stale = move.Choice == staleRead || move.Choice == staleGone
	if !e.Stale {
		e.Changes = append(e.Changes, Change{Key: op.Key, Before: entry, After: entry, Owner: s.ownerOf(entry.Value)})
	}
	_, code := op.Effect(entry, Datum{})
	if code != Found {
		return Observe(code), nil
	}
	e.Known = p.Newest(entry.Value)
	o, err := bind(p, entry.Value, op)
	if err != nil || op.Kind == Get || entry.Stamp.Clock == NoClock {
		return o, err
	}
	register, err := p.holdStamp(entry.Stamp, op)
	return o.andStamp(register), err
}

// bind makes the process refer to the datum: by the register that already
// holds it, so that what is equal in the world is equal for the process, or by a
// new one.
func bind(p *Process, d Datum, op *Operation) (Observation, error) {
	for k, r := range p.Held() {
		if r.Datum == d {
			return ObserveFound(k), nil
		}
	}
	return p.find(Register{Datum: d}, op)
}

// Newest returns the newest version that the process knows but for one, and of what is for
// another key than that; 0 for none.
func (p *Process) Newest(but Datum) uint8 {
	newest := uint8(0)
	for _, reg := range p.Held() {
		if reg.Kind == KindVersion && reg.Datum != but && (but.For == 0 || reg.For == but.For) {
			newest = max(newest, reg.N)
		}
	}
	return newest
}

// find lets the process hold one more register, which its operation has found.
func (p *Process) find(reg Register, op *Operation) (Observation, error) {
	register, err := p.hold(reg, op.Source)
	return ObserveFound(register), err
}

// hold lets the process hold one more register, for the line at.
func (p *Process) hold(reg Register, at Source) (register int, err error) {
	if p.Count == MaxRegisters {
		return 0, registerError(at)
	}
	p.Registers[p.Count] = reg
	p.Count++
	return int(p.Count) - 1, nil
}
