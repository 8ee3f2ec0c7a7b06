package scheduler_test

import (
	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// Times of the oracle: a process has one that it has read, and one that it has found
// under a key. The wall clocks of nodes can be wrong.
const (
	vNow   verb = "Now"
	vSetAt verb = "SetNX at"
	vGetAt verb = "GetStamped"
	vOlder verb = "OlderThan"
)

// longestAge is what Now is told, oldest more than any age that is compared.
const (
	longestAge = 3
	oldest     = 12
)

// moment is a time: ticks since then, and by how much the clock that said so was ahead.
type moment struct {
	known      bool
	age, ahead int
}

func (m *moment) pass() {
	if m.known {
		m.age = min(m.age+1, oldest)
	}
}

// moments are those of a process.
type moments struct {
	own, found moment
	// seen is what it will find when the reply is there.
	seen moment
}

// mute reports whether the instruction is no operation for a process with these.
func (m *moments) mute(in instruction) bool {
	return (in.verb == vSetAt || in.verb == vTakeAt) && !m.own.known || in.verb == vOlder && !m.found.known
}

// older returns how the comparison may end.
func (w *world) older(p *process, in instruction) []model.Code {
	limit := in.ttl - w.nodes[p.node].ahead + p.found.ahead
	var codes []model.Code
	if p.found.age <= limit {
		codes = append(codes, model.NotPassed)
	}
	if p.found.age >= limit {
		codes = append(codes, model.Passed)
	}
	return codes
}

// stamp is what an operation does with times.
func (w *world) stamp(p *process, in instruction, code model.Code) {
	switch {
	case in.verb == vNow:
		p.own = moment{known: true, ahead: w.nodes[p.node].ahead}
	case in.verb == vStoreNow:
		p.moments.seen = moment{known: true}
	case in.verb == vSetNow && code == model.Done:
		w.entries[in.key].at = moment{known: true}
	case in.verb == vSetAt && code == model.Done:
		w.entries[in.key].at = p.own
	case in.verb == vGetAt:
		p.moments.seen = w.entries[in.key].at
	}
}

// clocksStep adds the steps of the clocks of nodes.
func (w *world) clocksStep(begin func(t trouble, change func(n *world))) {
	for node := range w.nodes {
		begin(clockForward, func(n *world) { n.nodes[node].ahead += n.set.step })
		begin(clockBack, func(n *world) { n.nodes[node].ahead -= n.set.step })
	}
}

// tinyTimes are the locals of a program that the engine runs, as far as they are times.
type tinyTimes struct{ own, found protocol.Timestamp }

func (l *tinyTimes) at(c *protocol.Client, store *protocol.Store, key string, v *protocol.Value, in instruction) (model.Code, bool) {
	var none protocol.Timestamp
	switch in.verb {
	case vNow:
		l.own = c.Now(ticks(longestAge))
		return model.Done, true
	case vSetAt:
		ok, err := store.SetNX(key, *v, 0, protocol.At(l.own))
		return errorCode(err, pick(ok, model.Done, model.Refused)), true
	case vGetAt:
		got, at, ok, err := store.GetStamped(key)
		*v, l.found = got, none
		if ok {
			l.found = at
		}
		return errorCode(err, pick(ok, model.Found, model.Missing)), true
	case vOlder:
		return pick(c.OlderThan(l.found, ticks(in.ttl)), model.Passed, model.NotPassed), true
	}
	return 0, false
}

// mute reports whether the instruction is no operation.
func (l *tinyTimes) mute(in instruction) bool {
	var none protocol.Timestamp
	return (in.verb == vSetAt || in.verb == vTakeAt) && l.own == none || in.verb == vOlder && l.found == none
}

// stampPrograms draws a lock that whoever finds it too old takes over.
func stampPrograms(t *rapid.T) programs {
	a, b := span(t, 0, 3)
	p := program{
		{verb: vToken, v: 0},
		{verb: vNow},
		{verb: vSetAt, key: keyLock, v: 0},
		{verb: vIf, code: model.Done, to: 10},
		{verb: vGetAt, key: keyLock, v: 1},
		{verb: vOlder, ttl: between(t, 1, longestAge)},
		{verb: vIf, code: model.NotPassed, to: 14},
		{verb: oneOf(t, vDelEq, vDelEq, vDel), key: keyLock, v: 1},
		{verb: vSetAt, key: keyLock, v: 0},
		{verb: vIf, code: oneOf(t, model.Refused, model.Refused, model.Failed), to: 14},
		{verb: vAcquired, key: keyLock},
		{verb: vCompute, min: a, max: b},
		{verb: vReleasing, key: keyLock},
		{verb: oneOf(t, vDelEq, vDelEq, vDel), key: keyLock, v: 0},
	}
	if chance(t, 40) {
		a, b := span(t, 0, 2)
		p = p.with(between(t, 1, 12), instruction{verb: vSleep, min: a, max: b})
	}
	if chance(t, 20) {
		p = p.with(between(t, 1, 12), oneOf(t, instruction{verb: vNow}, instruction{verb: vGetAt, key: keyLock, v: 2}, instruction{verb: vDel, key: keyLock}))
	}
	if chance(t, 20) {
		p = p.without(between(t, 2, 9))
	}
	return programs{p, {{verb: vUpdate, v: 1}}, nil}
}

// drawStamps makes a setting one about times.
func drawStamps(t *rapid.T, s *setting) {
	s.programs = stampPrograms(t)
	s.updates, s.invalidate = 0, false
	s.nodes, s.requests = oneOf(t, 1, 2, 2, 2), 1
	if s.nodes == 1 {
		s.requests = 2
	}
	s.step = between(t, 1, 3)
	s.budget[clockForward], s.budget[clockBack] = oneOf(t, 0, 1, 1), oneOf(t, 0, 0, 1)
}
