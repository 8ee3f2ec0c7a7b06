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
	m.wakeRoot(process)
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
