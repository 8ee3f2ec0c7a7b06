package scheduler

import "lockstep/model"

// strikeReplica lets a replica fall behind, or take over or catch up.
func (m *simulator) strikeReplica(k int) error {
	x := &m.strikes.of[k]
	if x.ends {
		m.rouse(turn{m.now, -1})
		if err := m.alone(); err != nil {
			return err
		}
		move, ok := m.offered(k, model.MoveRecovery)
		if !ok {
			return errNoStep
		}
		if err := m.applyStrike(&move, simulatedStep{process: -1, node: anyNode, anytime: true}); err != nil {
			return err
		}
		m.rightens()
		m.planNext(k)
		return m.settleOthers()
	}
	store, ok := m.anyStore(k, m.servesSource(int(x.fault)))
	if !ok || m.state.Replica.Lags {
		m.planNext(k)
		return nil
	}
	m.rouse(turn{m.now, -1})
	if err := m.alone(); err != nil {
		return err
	}
	move := model.Move{Kind: model.MoveFault, Index: uint8(store), Fault: x.fault}
	if err := m.applyStrike(&move, simulatedStep{process: -1, node: anyNode, anytime: true}); err != nil {
		return err
	}
	m.result.Strikes[x.fault]++
	m.planEnd(k)
	return m.settleOthers()
}

// rightens says anew when those have waited for long enough at a store whose clock drifted, where
// a replica has taken over: its clock is right.
func (m *simulator) rightens() {
	if !m.drifts || m.config.whole == nil {
		return
	}
	for i, process := range m.step.members {
		p, a := &m.state.Processes[i], &m.actors[process]
		if p.Clock == model.NoClock || a.due == notDue || m.shapes.list[a.shape].process.Observed.Code() != model.Parked {
			continue
		}
		if was := m.step.meters[p.Clock]; !was.Store || m.rules.Meter(&m.state, p).Drift != model.NoDrift {
			continue
		}
		least, _, _ := m.rules.Wait(&m.state, p)
		a.due = max(m.now, a.start+int64(m.tick.Duration(least)))
		m.queue.push(turn{a.due, process})
	}
}

// servesSource reports whether the replica of a fault serves reads: it may be one of the
// source then.
func (m *simulator) servesSource(fault int) bool {
	var s model.State
	s.Left[fault] = 1
	var e model.Event
	move := model.Move{Kind: model.MoveFault, Fault: uint8(fault)}
	return m.rules.Apply(&s, &move, &e) == nil && s.Replica.Reads
}

// findStale finds out what a replica that serves reads has otherwise than its store.
func (m *simulator) findStale() {
	r := &m.state.Replica
	m.stale = 0
	switch {
	case !r.Reads:
	case r.Store == model.SourceStore:
		if r.Source != m.state.Source {
			m.stale = onSource
		}
	default:
		for k := range r.Entries {
			if r.Entries[k] != m.state.Entries[k] && m.rules.Automaton.Store(model.KeyID(k)) == r.Store {
				m.stale |= 1 << k
			}
		}
	}
}
