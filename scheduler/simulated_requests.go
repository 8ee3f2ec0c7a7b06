package scheduler

import "lockstep/model"

// strikeProcess starves a process, or lets that be over.
func (m *simulator) strikeProcess(k int) error {
	x := &m.strikes.of[k]
	if x.ends {
		return m.feed(k)
	}
	process, ok := m.anyProcess(k, func(process int32, p *model.Process) bool {
		_, starved := m.starved[process]
		return p.Active() && !starved && m.places[m.families[m.actors[process].root].node].node.Status == model.Running
	})
	if !ok {
		m.planNext(k)
		return nil
	}
	m.rouse(turn{m.now, -1})
	if err := m.starve(process, x, model.MoveFault, nil); err != nil {
		return err
	}
	m.result.Strikes[x.fault]++
	x.process = process
	m.starved[process] = m.planEnd(k)
	return nil
}

// feed lets a process go on that was starved, if it still is there.
func (m *simulator) feed(k int) error {
	x := &m.strikes.of[k]
	if until, starved := m.starved[x.process]; starved && until == x.at {
		m.rouse(turn{m.now, -1})
		var overdue []string
		if m.log != nil && m.places[m.families[m.actors[x.process].root].node].node.Status == model.Running {
			overdue = m.overdueOf(func(process int32, _ *actor) bool { return process == x.process })
		}
		delete(m.starved, x.process)
		if err := m.starve(x.process, x, model.MoveRecovery, overdue); err != nil {
			return err
		}
	}
	m.planNext(k)
	return nil
}

// starve lets the fault say that a process is starved, or not any more. The state of the
// process does not say so afterwards: that it takes no step is seen to elsewhere.
func (m *simulator) starve(process int32, x *plannedStrike, kind model.MoveKind, overdue []string) error {
	m.clear()
	if err := m.gatherFamily(m.actors[process].root); err != nil {
		return err
	}
	i := m.member(process)
	was := m.state.Processes[i]
	m.state.Processes[i].Starved = kind == model.MoveRecovery
	move := model.Move{Kind: kind, Index: uint8(i), Fault: x.fault}
	err := m.applyStrike(&move, simulatedStep{process: m.actors[process].root, label: m.actors[process].label, node: anyNode, overdue: overdue})
	m.state.Processes[i], m.state.Starving = was, model.Starving{}
	return err
}

// strikeRequest lets a request be given up.
func (m *simulator) strikeRequest(k int) error {
	x := &m.strikes.of[k]
	process, ok := m.anyProcess(k, func(_ int32, p *model.Process) bool {
		return p.IsRequest() && p.Active() && !p.Cancelled
	})
	m.planNext(k)
	if !ok {
		return nil
	}
	m.rouse(turn{m.now, -1})
	m.result.Strikes[x.fault]++
	m.clear()
	root := m.actors[process].root
	m.visit(m.families[root].node)
	if err := m.gatherFamily(root); err != nil {
		return err
	}
	move := model.Move{Kind: model.MoveFault, Index: uint8(m.member(process)), Fault: x.fault}
	as := simulatedStep{process: root, label: m.actors[process].label, node: anyNode}
	if err := m.applyStrike(&move, as); err != nil {
		return err
	}
	return m.settleAll(process)
}

// anyProcess draws a process of which something is so.
func (m *simulator) anyProcess(k int, is func(process int32, p *model.Process) bool) (process int32, ok bool) {
	found := m.found[:0]
	for i := range m.actors {
		if a := &m.actors[i]; !a.gone && is(int32(i), &m.shapes.list[a.shape].process) {
			found = append(found, int32(i))
		}
	}
	m.found = found
	if len(found) == 0 {
		return 0, false
	}
	return found[within(&m.strikes.random[k], 0, int64(len(found)-1))], true
}
