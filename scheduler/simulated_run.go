package scheduler

import (
	"context"
	"errors"
	"slices"
	"time"

	"lockstep/model"
)

// stepsAtOnce is how many steps a request may take in no time, on average, before the
// protocol counts as endless.
const stepsAtOnce = 100

var errNoTime = &ProtocolError{Err: errors.New("the protocol takes steps without end in no time; let what waits sleep, or give operations a latency")}

// run runs the simulation once. It stops early when the context is cancelled; the result is
// then what there is until then, and Stopped.
func (m *simulator) run(ctx context.Context, number int) (*RunResult, error) {
	seed := m.config.Seed + uint64(number)
	m.result = newRunResult(m.config, seed)
	m.begin(seed)
	until := m.config.until(m.families[:m.others.asked])
	most, sameInstant := maxForced+stepsAtOnce*m.roots, 0
	for steps := 0; ; steps++ {
		if steps&0x3fff == 0x3fff {
			if ctx.Err() != nil {
				m.rouse(turn{m.now, 0})
				m.result.Stopped = true
				break
			}
			if m.advance != nil {
				m.advance(float64(m.result.Answered+m.result.Lost) / float64(m.roots))
			}
		}
		next, process := m.next()
		if process < 0 && len(m.idle) == 0 && !m.waited() {
			break
		}
		if process < 0 && (m.expires == notDue || len(m.idle) == 0 && m.config.whole == nil) && !m.hopes {
			// Those who poll or wait will do so for ever: nothing changes the world any more.
			m.rouse(turn{m.now, int32(m.roots)})
			break
		}
		at := min(next, m.expires, m.strikes.first())
		if at > until {
			m.rouse(turn{until + 1, -1})
			m.now = until
			m.result.CutShort = true
			break
		}
		var err error
		switch at {
		case m.strikes.first():
			err = m.strike()
		case m.expires:
			err = m.expire()
		default:
			if at > m.now {
				sameInstant = 0
			}
			if sameInstant++; sameInstant > most {
				err = errNoTime
				break
			}
			m.now = at
			err = m.turn(process)
		}
		if err != nil {
			return nil, m.errorAt(err, process)
		}
	}
	m.conclude()
	return m.result, nil
}

// waited reports whether somebody waits for what others do when nobody is about to do
// anything: all have arrived.
func (m *simulator) waited() bool {
	if m.config.whole == nil {
		return m.result.Answered+m.result.Lost < m.others.asked
	}
	return slices.ContainsFunc(m.present, func(root int32) bool { return m.families[root].first >= 0 })
}

// next returns when the next step of a process comes, and of which, -1 for none.
func (m *simulator) next() (at int64, process int32) {
	for len(m.queue) > 0 {
		t := m.queue[0]
		if a := &m.actors[t.process]; !a.gone && (!a.idle && a.due == t.at || a.idle && a.wakes == t.at) {
			return t.at, t.process
		}
		m.queue.pop()
	}
	return notDue, -1
}

// turn lets the process take a step that is first in the queue.
func (m *simulator) turn(process int32) error {
	a := &m.actors[process]
	if a.idle {
		m.wake(process, a)
	}
	shape := &m.shapes.list[a.shape]
	node := m.families[a.root].node
	if m.halts {
		switch until := m.heldUntil(process, a, shape); {
		case until > m.now:
			a.due = until
			m.queue.replace(turn{until, process})
			return nil
		case shape.process.Phase == model.Waiting && m.places[node].node.Status == model.Down:
			m.turnedAway(process)
			return nil
		}
	}
	if shape.process.Phase == model.Waiting && m.places[node].booting && int(process) < m.others.boots {
		m.waitsForBoot(process, a)
		return nil
	}
	by := unstruck
	if m.intercepts {
		by = m.struckBy(a, shape)
	}
	q := &shape.quiet
	if !m.knows(q) || a.entangled || by != unstruck || m.halts && !m.isQuiet(process, shape) {
		m.queue.pop()
		a.due = notDue
		err := m.act(process, by)
		if err == nil && m.places[node].node.Status == model.Doomed {
			err = m.doomed(node)
		}
		m.booted(process)
		return err
	}
	if m.log != nil {
		m.log.quiet(m, process, q, false)
	}
	m.countQuiet(process, q)
	m.goOn(process, a, q)
	switch {
	case q.ended:
		m.queue.pop()
	case q.loops && m.circles(process, a.shape):
		m.queue.pop()
		m.rest(process, a)
	default:
		m.queue.replace(turn{a.due, process})
	}
	return nil
}

// isQuiet reports whether no fault that lasts changes what a process sees of the stores.
func (m *simulator) isQuiet(process int32, s *shape) bool {
	return m.stale>>s.quiet.on&1 == 0 && (len(m.outages) == 0 || m.refused(process, s) == nil)
}

func (m *simulator) time() time.Duration { return time.Duration(m.now) }
