package scheduler

import (
	"bytes"
	"errors"

	"lockstep/model"
)

// act lets a process take its next step by the rules of the world, on a state of those
// whom it may concern. by is the fault that strikes its operation, if one does.
func (m *simulator) act(process int32, by int) error {
	a := &m.actors[process]
	if m.config.whole != nil && m.shapes.list[a.shape].process.Phase == model.Waiting {
		m.arrives(a.root)
	}
	was, family := a.shape, &m.families[a.root]
	alone := process == a.root && a.next < 0 && !a.entangled
	m.clear()
	if err := m.gather(process); err != nil {
		return err
	}
	i := m.member(process)
	s := &m.step
	locks := m.state.Processes[i].Phase == model.Acting && m.shapes.list[was].operation.Kind == model.Lock
	if locks {
		a.waits = false
	}
	m.allow(&m.state.Processes[i])
	refusing := m.refused(process, &m.shapes.list[was])
	if refusing != nil && m.config.whole == nil {
		m.state.Outage = *refusing
		m.state.Outage.Node = m.state.Processes[i].Node
	}
	s.moves.Reset(s)
	m.rules.ProcessMoves(&m.state, i, &s.moves)
	if m.config.whole == nil {
		m.state.Outage = model.Outage{}
	}
	alone = alone && by == unstruck && refusing == nil && m.config.whole == nil
	struck(&s.moves, by)
	lapses(&s.moves)
	switch n := len(s.moves.List); {
	case s.moves.Err != nil:
		return s.moves.Err
	case n == 0 && locks:
		m.tooLate(process, m.shapes.list[was].operation)
		return nil
	case n == 0 && m.config.whole != nil && m.shapes.list[was].operation.Kind == model.AwaitWatch:
		return m.waitsOn(process, m.shapes.list[was].operation)
	case n == 0:
		return errNoStep
	case n > 1:
		alone = false
		s.moves.List[0] = s.moves.List[within(&a.random, 0, int64(n-1))]
	}
	if move := &s.moves.List[0]; move.Kind == model.MoveFailure {
		m.result.Strikes[move.Fault]++
	}
	created, own := family.created, a.references
	if err := m.apply(&s.moves.List[0], process); err != nil {
		return err
	}
	if err := m.settleAll(process); err != nil {
		return err
	}
	if op := s.event.Operation; locks && s.event.Observation.Code() == model.Elapsed && m.state.Nodes[0].Memory[op.Key].Kind == model.KindNone {
		// It has given up what it was told to take.
		m.unlocked(s.nodes[0], int(op.Key))
	}
	m.settleLike()
	m.note(process)
	if alone && s.silent {
		m.learnQuiet(process, was, created, &own)
	}
	return nil
}

var errUnseen = errors.New("scheduler: a simulation has let a process wait for something that it does not follow")

var errDoomed = errors.New("scheduler: in a simulation a node does not crash that is to")

var errNoStep = errors.New("scheduler: a process of a simulation has nothing to do when its time has come")

// allow sets the clock of a process whose time has come by a distribution to what its range
// allows: the distribution takes the place of that.
func (m *simulator) allow(p *model.Process) {
	if m.config.Rebuild == nil && m.config.LatencyOf == nil || p.Clock == model.NoClock {
		return
	}
	least, _, _ := m.rules.Wait(&m.state, p)
	since := &m.step.clocks[p.Clock]
	*since = min(*since, m.now-int64(m.tick.Duration(least)))
}

// gather puts into the state whom the next step of a process may concern.
func (m *simulator) gather(process int32) error {
	a := &m.actors[process]
	op := m.shapes.list[a.shape].operation
	node := m.families[a.root].node
	m.visit(node)
	if m.config.whole != nil {
		op = nil
	}
	if op != nil {
		switch op.Kind {
		case model.JoinFlight, model.StartFlight, model.ForgetFlight:
			if flight := m.places[node].open[op.Key]; flight > 0 {
				if leader := m.flights[flight-1].leader; m.actors[leader].root != a.root {
					m.takesAlone(leader)
				}
			}
		case model.ResolveFlight:
			m.takesWaiting(process, op)
		}
	}
	return m.gatherFamily(a.root)
}

// gatherFamily puts a family into the state, after those who own what it refers to and what
// is in the entries.
func (m *simulator) gatherFamily(root int32) error {
	if m.config.whole != nil {
		m.everyone(root)
		return m.ready()
	}
	m.takesOwners(root)
	for process := m.families[root].first; process >= 0; process = m.actors[process].next {
		a := &m.actors[process]
		if !a.entangled {
			continue
		}
		for _, r := range m.shapes.list[a.shape].process.Held() {
			if r.Kind == model.KindToken {
				m.takesOwner(a.references[r.N], root)
			}
		}
	}
	m.takesFamily(root)
	return m.ready()
}

// ready reports whether the state could hold all that was put into it.
func (m *simulator) ready() error {
	most := model.MaxProcesses / 2
	if m.config.whole != nil {
		most = mostAtOnce
		m.number()
	}
	if m.step.full || len(m.state.Processes) > most {
		return m.crowded()
	}
	m.step.before = append(m.step.before[:0], m.state.Processes...)
	if m.drifts {
		m.rules.Meters(&m.state, m.step.meters[:])
	}
	m.own()
	return nil
}

// apply lets a move happen and tells the monitors. process is the one that moves, -1 for
// none.
func (m *simulator) apply(move *model.Move, process int32) error {
	s := &m.step
	source, memory := m.state.Source, append(s.memory[:0], m.state.Memory...)
	s.memory, s.silent = memory, true
	if err := m.rules.Apply(&m.state, move, &s.event); err != nil {
		return blame(err)
	}
	if m.config.whole == nil && (m.state.Attentive || m.state.Contexts) {
		return errUnseen
	}
	m.nameTokens(process)
	m.watch(process)
	changed := dependency(0)
	m.startClocks()
	for k := range s.event.Changes {
		c := &s.event.Changes[k]
		if before, after := c.Before, c.After; before != after {
			s.silent = false
			if before.Clock, after.Clock = 0, 0; before != after {
				changed |= 1<<c.Key | onStores
			}
			m.expires = notDue
		}
	}
	if m.state.Source != source {
		changed |= onSource
	}
	if !bytes.Equal(memory, m.state.Memory) {
		changed = ^dependency(0)
	}
	if move.Kind == model.MoveFault || move.Kind == model.MoveRecovery {
		m.expires = notDue
	}
	if m.expires == notDue {
		m.nextExpiry()
	}
	m.findStale()
	if changed != 0 {
		s.silent = false
		if changed&m.idleOn != 0 {
			// They have gone on in the world as it was.
			m.rouse(turn{m.now, process})
		}
		m.changed(changed)
	}
	m.countEvent(process)
	return nil
}

// nameTokens names the tokens that were created in the step of a process.
func (m *simulator) nameTokens(process int32) {
	if process < 0 {
		return
	}
	f := &m.families[m.actors[process].root]
	for k := range m.step.event.Marks {
		if m.step.event.Marks[k].Kind == model.MarkRestart {
			f.lost = f.created
		}
	}
	for serial := uint16(1); serial <= m.state.Created; serial++ {
		for slot, is := range m.state.Serials {
			if is == serial {
				f.created++
				m.step.tokens[slot] = tokenOf(m.actors[process].root, f.created)
			}
		}
	}
}

// expire lets the entry expire that is due.
func (m *simulator) expire() error {
	m.now = m.expires
	if err := m.alone(); err != nil {
		return err
	}
	m.expires = notDue
	move := model.Move{Kind: model.MoveExpire, Index: uint8(m.expiring)}
	if err := m.apply(&move, -1); err != nil {
		return err
	}
	m.note(-1)
	return m.settleOthers()
}

// settleOthers takes everybody out of the state after something that no process has done.
func (m *simulator) settleOthers() error {
	if m.config.whole != nil {
		return m.settleWhole()
	}
	for local := range m.step.nodes {
		m.leave(local)
	}
	return nil
}

// settleAll takes everybody out of the state after the step of a process.
func (m *simulator) settleAll(process int32) error {
	if m.config.whole != nil {
		return m.settleWhole()
	}
	s := &m.step
	root := m.actors[process].root
	for i := len(s.members); i < len(m.state.Processes); i++ {
		m.spawned(&m.state.Processes[i], root)
		s.before = append(s.before, model.Process{})
	}
	m.openAndClose()
	m.dropEnded(root)
	for i, member := range s.members {
		if m.actors[member].root != root && m.state.Processes[i] == s.before[i] {
			continue
		}
		if err := m.settle(i); err != nil {
			return err
		}
	}
	for local := range s.nodes {
		m.leave(local)
	}
	return nil
}

// spawned makes room for a process that was spawned in the step, at the end of its family.
func (m *simulator) spawned(p *model.Process, root int32) {
	n := m.vacant()
	m.actors[n] = actor{due: notDue, root: root, next: -1, label: p.Label}
	m.actors[n].random.Seed(m.seed, seedOf(m.seed, processStream, uint64(root), uint64(p.Label)))
	f := &m.families[root]
	if f.first < 0 {
		f.first = n
	} else {
		last := f.first
		for m.actors[last].next >= 0 {
			last = m.actors[last].next
		}
		m.actors[last].next = n
	}
	m.step.members = append(m.step.members, n)
}

// settle gives a process the shape that it has in the state, and says when its next step
// comes.
func (m *simulator) settle(i int) error {
	process := m.step.members[i]
	a := &m.actors[process]
	in := &m.state.Processes[i]
	var references [model.MaxRegisters]uint64
	p, count := m.outline(i, &references)
	copy(a.references[:], references[:count])
	a.spawned, a.label = in.Spawned, in.Label
	mentions, foreign := m.foreign(&p, a)
	a.entangled = foreign || a.entangled && mentions
	if believes := p.Believes != 0; believes != a.believes {
		m.believes(process, believes)
	}
	var err error
	if a.shape, err = m.shapes.of(&p, m.learner); err != nil {
		return err
	}
	t := m.timerOf(i)
	if t.kind == blockedTimer || t.least > 0 && p.Phase == model.Acting && m.shapes.list[a.shape].operation.Kind == model.Lock {
		m.waitOn(process)
	}
	if in.Phase == model.Sent && t.kind == keptTimer && a.due == notDue {
		t = *m.sentOn(a, i)
	}
	if due := m.dueBy(a, &t); due != a.due {
		a.due = due
		if due != notDue {
			m.queue.push(turn{due, process})
		}
	}
	return nil
}

// foreign reports whether a process refers to tokens, and to one to which others may refer,
// too: that is in an entry, or of another family, or whatever a family of several shares.
func (m *simulator) foreign(p *model.Process, a *actor) (mentions, foreign bool) {
	f := &m.families[a.root]
	single := f.first == a.root && m.actors[f.first].next < 0
	for _, r := range p.Held() {
		if r.Kind == model.KindToken {
			token := a.references[r.N]
			mentions = true
			foreign = foreign || !single || int32(token>>32) != a.root || m.kept(token)
		}
	}
	return mentions, foreign
}

// kept reports whether an entry, or the memory of the node of the step, mentions a token.
func (m *simulator) kept(token uint64) bool {
	for k := range m.state.Keys {
		if v := &m.state.Entries[k].Value; v.Kind == model.KindToken && m.step.tokens[v.N] == token {
			return true
		}
	}
	if m.state.Replica.Lags {
		for k := range m.state.Replica.Entries {
			if v := &m.state.Replica.Entries[k].Value; v.Kind == model.KindToken && m.step.tokens[v.N] == token {
				return true
			}
		}
	}
	for n := range m.state.Nodes {
		if node := &m.state.Nodes[n]; node.Kept > 0 {
			for k := range node.Memory {
				if d := &node.Memory[k]; d.Kind == model.KindToken && m.step.tokens[d.N] == token {
					return true
				}
			}
		}
	}
	return false
}

// leave takes a node out of the state.
func (m *simulator) leave(local int) {
	at := &m.places[m.step.nodes[local]]
	was := at.node.Memory
	at.node = m.state.Nodes[local]
	for key := range at.node.Memory {
		d := &at.node.Memory[key]
		if d.Kind == model.KindToken {
			at.memory[key], d.N = m.step.tokens[d.N], 0
		}
		if was[key].Kind != model.KindNone && d.Kind == model.KindNone {
			m.unlocked(m.step.nodes[local], key)
		}
	}
}

// dropEnded forgets the processes of a family that have ended and for which nobody waits.
func (m *simulator) dropEnded(root int32) {
	s := &m.step
	ended := false
	for i := range m.state.Processes {
		ended = ended || m.state.Processes[i].Phase == model.Ended
	}
	if !ended {
		return
	}
	for i := range m.state.Processes {
		m.state.Processes[i].Call = uint8(i)
	}
	m.rules.DropEnded(&m.state)
	next := 0
	for i, process := range s.members {
		if next < len(m.state.Processes) && int(m.state.Processes[next].Call) == i {
			m.state.Processes[next].Call = 0
			s.members[next], s.before[next] = process, s.before[i]
			next++
			continue
		}
		m.end(process)
	}
	s.members, s.before = s.members[:next], s.before[:next]
	last := int32(-1)
	m.families[root].first = -1
	for _, process := range s.members {
		a := &m.actors[process]
		if a.root != root {
			continue
		}
		if last < 0 {
			m.families[root].first = process
		} else {
			m.actors[last].next = process
		}
		last, a.next = process, -1
	}
}

// end forgets a process.
func (m *simulator) end(process int32) {
	a := &m.actors[process]
	if a.believes {
		m.believes(process, false)
	}
	a.gone, a.due = true, notDue
	if len(m.starved) > 0 {
		delete(m.starved, process)
	}
	if int(process) >= m.roots {
		m.free = append(m.free, process)
	}
}
