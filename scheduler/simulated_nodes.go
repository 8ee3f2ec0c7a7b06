package scheduler

import "lockstep/model"

// strikeNode lets a fault halt a node or end it, or that be over.
func (m *simulator) strikeNode(k int) error {
	s := &m.strikes
	x := &s.of[k]
	at := &m.places[x.node]
	kind := m.kinds[x.fault]
	switch {
	case at.node.Status == model.Crashed:
		return nil
	case x.ends && kind == halting && at.node.Status != model.Halted:
		// It has gone down meanwhile.
		m.planNext(k)
		return nil
	case !x.ends && kind == rebooting && !m.startsAgain(x.node):
		return nil
	case !x.ends && (at.node.Status == model.Down || kind == halting && at.node.Status == model.Halted):
		// It stands still already.
		m.planNext(k)
		return nil
	}
	m.rouseOn(x.node, turn{m.now, -1})
	as := simulatedStep{process: -1, node: x.node}
	if m.log != nil {
		as.overdue, as.deserted = m.overdueOn(x), kind != rebooting && !m.inhabitedBy(x.node)
	}
	if err := m.aloneOn(x.node); err != nil {
		return err
	}
	move := model.Move{Kind: model.MoveFault, Index: m.visit(x.node), Fault: x.fault}
	if x.ends {
		move.Kind = model.MoveRecovery
	}
	if err := m.applyStrike(&move, as); err != nil {
		return err
	}
	status := m.state.Nodes[m.visit(x.node)].Status
	if at.node.Status = status; status == model.Crashed || status == model.Down {
		m.crash(x.node)
	}
	if err := m.settleOthers(); err != nil {
		return err
	}
	if x.ends {
		m.planNext(k)
		return nil
	}
	m.result.Strikes[x.fault]++
	switch status {
	case model.Halted:
		at.runsAgain = m.planEnd(k)
	case model.Down:
		m.planEnd(k)
	}
	return nil
}

// strikeClock lets the wall clock of a node step, as often as the fault may in a check.
func (m *simulator) strikeClock(k int) error {
	x := &m.strikes.of[k]
	if x.times == m.rules.Faults[x.fault].Budget() || m.places[x.node].node.Status == model.Crashed {
		return nil
	}
	m.rouseOn(x.node, turn{m.now, -1})
	if err := m.aloneOn(x.node); err != nil {
		return err
	}
	move := model.Move{Kind: model.MoveFault, Index: m.visit(x.node), Fault: x.fault}
	if err := m.applyStrike(&move, simulatedStep{process: -1, node: x.node, anytime: true}); err != nil {
		return err
	}
	x.times++
	m.result.Strikes[x.fault]++
	m.planNext(k)
	return m.settleOthers()
}

// crash forgets everybody on a node that has crashed, or has gone down: then those who have
// not arrived may still do so. Requests that are under way without a process stay.
func (m *simulator) crash(node int32) {
	down := m.places[node].node.Status == model.Down
	for root := range m.families {
		f := &m.families[root]
		if f.node != node || f.first < 0 || down && m.comes(f) {
			continue
		}
		first, last := f.first, int32(-1)
		f.first = -1
		for process := first; process >= 0; {
			a := &m.actors[process]
			next := a.next
			if p := &m.shapes.list[a.shape].process; p.Phase == model.Sent {
				if a.next = -1; last < 0 {
					f.first = process
				} else {
					m.actors[last].next = process
				}
				last = process
			} else {
				if p.Rebuilding {
					m.rebuilding--
				}
				m.end(process)
			}
			process = next
		}
		m.lost(int32(root))
	}
	at := &m.places[node]
	at.open = [model.MaxKeys]int32{}
	for key := range at.waiting {
		at.waiting[key] = at.waiting[key][:0]
	}
}

// comes reports whether a family has not arrived.
func (m *simulator) comes(f *kin) bool {
	return m.shapes.list[m.actors[f.first].shape].process.Phase == model.Waiting
}

// lost counts a request that is lost with its node, if it was not answered.
func (m *simulator) lost(root int32) {
	if f := &m.families[root]; int(root) < m.others.asked && !f.answered && !f.lostThere {
		f.lostThere = true
		m.result.Lost++
	}
}

// turnedAway lets a request be lost that comes to a node that is down.
func (m *simulator) turnedAway(process int32) {
	m.queue.pop()
	m.end(process)
	m.families[process].first = -1
	m.lost(process)
}

// doomed lets the nodes crash on which a process has panicked.
func (m *simulator) doomed(node int32) error {
	m.rouseOn(node, turn{m.now, -1})
	if err := m.aloneOn(node); err != nil {
		return err
	}
	local := m.visit(node)
	s := &m.step
	for i, f := range m.rules.Faults {
		s.moves.Reset(s)
		f.Offer(m.rules, &m.state, &s.moves)
		for _, move := range s.moves.List {
			if move.Kind != model.MoveRecovery || move.Index != local || m.kinds[i] != intercepting {
				continue
			}
			move.Fault = uint8(i)
			if err := m.applyStrike(&move, simulatedStep{process: -1, node: node}); err != nil {
				return err
			}
			m.places[node].node.Status = m.state.Nodes[local].Status
			m.crash(node)
			return m.settleOthers()
		}
	}
	return errDoomed
}
