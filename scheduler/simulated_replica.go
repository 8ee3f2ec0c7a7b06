package scheduler

import "lockstep/model"

// Clocks of a state of the simulation: those of entries, by key, from 1 on, those of what a
// replica has, by key, and that of the replica.
const (
	firstReplicaClock = model.MaxKeys + 1
	replicaClock      = 2*model.MaxKeys + 1
	firstFreeClock    = replicaClock + 1
)

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
		m.planNext(k)
		return nil
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
	return nil
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

// startClocks starts the clocks that are fresh after a step, and names those of entries by
// their keys. An entry that the replica has as well has the same clock in both.
func (m *simulator) startClocks() {
	s := &m.step
	for k := range m.state.Keys {
		e := &m.state.Entries[k]
		switch {
		case e.Clock == model.Fresh:
			e.Clock = k + 1
			s.clocks[e.Clock] = m.now
			m.expires = notDue
		case e.Clock > model.MaxKeys:
			// A replica has taken over.
			s.clocks[k+1] = s.clocks[e.Clock]
			e.Clock = k + 1
		}
	}
	r := &m.state.Replica
	if !r.Lags {
		return
	}
	if r.Clock == model.Fresh {
		r.Clock = replicaClock
		s.clocks[replicaClock] = m.now
		for k := range r.Entries {
			if e := &r.Entries[k]; e.Clock != model.NoClock {
				s.clocks[firstReplicaClock+k] = s.clocks[e.Clock]
			}
		}
	}
	for k := range r.Entries {
		e := &r.Entries[k]
		if e.Clock == model.NoClock {
			continue
		}
		e.Clock = uint8(firstReplicaClock + k)
		if k < int(m.state.Keys) && m.state.Entries[k].Clock != model.NoClock && s.clocks[k+1] == s.clocks[e.Clock] {
			e.Clock = uint8(k + 1)
		}
	}
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
