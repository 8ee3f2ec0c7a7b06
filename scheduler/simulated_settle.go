package scheduler

import "lockstep/model"

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
