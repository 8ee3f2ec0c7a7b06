package scheduler

import (
	"hash/fnv"
	"math/rand/v2"

	"lockstep/model"
)

// Clocks of a state of the simulation: those of entries, by key, from 1 on, those of what a
// replica has, by key, those of the replica and of an outage, and those of the times that
// entries carry, and that those of a replica do.
const (
	firstReplicaClock = model.MaxKeys + 1
	replicaClock      = 2*model.MaxKeys + 1
	outageClock       = replicaClock + 1
	firstStampClock   = outageClock + 1
	firstReplicaStamp = firstStampClock + model.MaxKeys
	firstFreeClock    = firstReplicaStamp + model.MaxKeys
)

// startClocks starts the clocks that are fresh after a step, and names those of entries by
// their keys. An entry that the replica has as well has the same clocks in both.
func (m *simulator) startClocks() {
	s := &m.step
	for k := range m.state.Keys {
		e := &m.state.Entries[k]
		fresh := e.Clock == model.Fresh
		m.place(&e.Clock, k+1)
		m.place(&e.Stamp.Clock, firstStampClock+k)
		if fresh {
			m.expires = notDue
			if e.Session != 0 {
				m.sessions[k] = m.sessionEnds(model.KeyID(k), e.TTL)
			}
		}
	}
	if m.state.Outage.Clock == model.Fresh {
		m.state.Outage.Clock = outageClock
		s.clocks[outageClock] = m.now
	}
	r := &m.state.Replica
	if !r.Lags {
		return
	}
	begins := r.Clock == model.Fresh
	m.place(&r.Clock, replicaClock)
	for k := range uint8(model.MaxKeys) {
		e := &r.Entries[k]
		if begins {
			s.clocks[firstReplicaClock+k] = s.clocks[e.Clock]
			s.clocks[firstReplicaStamp+k] = s.clocks[e.Stamp.Clock]
		}
		m.share(&e.Clock, firstReplicaClock+k, k+1)
		m.share(&e.Stamp.Clock, firstReplicaStamp+k, firstStampClock+k)
	}
}

// sessionEnds draws when an entry goes whose session has ended. It does not depend on the number of
// the key, nor on which others go.
func (m *simulator) sessionEnds(k model.KeyID, longest model.Ticks) int64 {
	key := m.learner.keys[k]
	h := fnv.New64a()
	h.Write([]byte(key.store + "/" + key.key))
	random := rand.NewPCG(m.seed, seedOf(m.seed, worldStream, h.Sum64(), uint64(m.now)))
	return m.now + within(random, 0, int64(m.tick.Duration(longest)))
}

// place lets a clock that runs be the one at a place, since when it has run.
func (m *simulator) place(clock *uint8, at uint8) {
	switch *clock {
	case model.NoClock, at:
		return
	case model.Fresh:
		m.step.clocks[at] = m.now
	default:
		m.step.clocks[at] = m.step.clocks[*clock]
	}
	*clock = at
}

// share lets a clock of a replica that runs be the one at a place, or that of the store if that has
// run for as long and is right, as that of a replica is.
func (m *simulator) share(clock *uint8, at, ofStore uint8) {
	if *clock == model.NoClock {
		return
	}
	drifts := (m.state.Fast|m.state.Slow)>>m.state.Replica.Store&1 != 0
	if *clock = at; !drifts && m.step.clocks[at] == m.step.clocks[ofStore] {
		*clock = ofStore
	}
}

// nextExpiry finds out which entry expires next.
func (m *simulator) nextExpiry() {
	m.expires = notDue
	for k := range m.state.Keys {
		e := &m.state.Entries[k]
		at := notDue
		switch {
		case e.Clock == model.NoClock:
		case e.Session != 0:
			at = m.sessions[k]
		case m.rules.Runs(&m.state, model.KeyID(k)):
			store := m.rules.Automaton.Store(model.KeyID(k))
			lasts := int64(m.tick.Duration(e.TTL))
			if (m.state.Fast|m.state.Slow)&(1<<store) != 0 {
				lasts = lengthened(lasts, m.seconds[store])
			}
			at = m.step.clocks[e.Clock] + lasts
		}
		if at < m.expires || at == m.expires && at != notDue && m.compareKeys(model.KeyID(k), m.expiring) < 0 {
			m.expires, m.expiring = at, model.KeyID(k)
		}
	}
}
