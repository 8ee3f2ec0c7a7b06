package scheduler_test

import (
	"lockstep/model"

	"pgregory.net/rapid"
)

// The generators are biased: most programs are leases with something wrong or
// odd about them, since a program of random lines seldom gets as far as a lock.

const (
	keyLock  = 0
	keyOther = 1
	keyCache = 2
)

// below draws a number from 0 to n-1, each equally often; rapid's own ranges
// prefer small numbers, which would make most settings too large.
func below(t *rapid.T, n int) int {
	const bits = 10
	drawn := 0
	for range bits {
		drawn *= 2
		if rapid.Bool().Draw(t, "bit") {
			drawn++
		}
	}
	return drawn * n >> bits
}

func between(t *rapid.T, least, most int) int { return least + below(t, most-least+1) }

func chance(t *rapid.T, percent int) bool { return below(t, 100) < percent }

func oneOf[V any](t *rapid.T, values ...V) V { return values[below(t, len(values))] }

func span(t *rapid.T, least, most int) (int, int) {
	a := between(t, least, most)
	return a, between(t, a, most)
}

var settings = rapid.Custom(func(t *rapid.T) *setting {
	s := &setting{nodes: oneOf(t, 1, 2, 2, 2, 2, 2, 2, 2, 3), requests: 1, bound: oneOf(t, 1, 1, 2)}
	if s.nodes == 1 || s.nodes == 2 && chance(t, 10) {
		s.requests = oneOf(t, 1, 2, 2)
	}
	s.updates = oneOf(t, 0, 0, 0, 1)
	s.invalidate = chance(t, 40)
	s.valueTTL = oneOf(t, 0, 0, 0, 2, 3)
	s.crashes = oneOf(t, 0, 0, 1)
	s.pauses = oneOf(t, 0, 0, 1)
	if s.pauses > 0 {
		s.pauseMax = between(t, 1, 6)
	}
	if s.nodes < 3 && chance(t, 30) {
		s.latMin, s.latMax = 0, 1
		if chance(t, 30) {
			s.latMin, s.latMax = 1, 2
		}
	}
	if chance(t, 12) {
		s.replyMin, s.replyMax = 0, 1
		if chance(t, 25) {
			s.replyMin = 1
		}
	}
	if chance(t, 50) {
		drawTrials(t, s)
	}
	switch {
	case chance(t, 33):
		waitSetting(t, s)
	case chance(t, 80):
		s.programs = leasePrograms(t)
		s.programs[updateProgram] = updateProgramOf(t)
	default:
		s.programs = wildPrograms(t)
		s.programs[updateProgram] = updateProgramOf(t)
	}
	for n := range s.programs {
		s.programs[n] = s.programs[n].endsEveryLoop()
	}
	s.patience = -1
	if chance(t, 25) {
		s.patience = between(t, 0, 6)
	}
	s.window = -1
	if chance(t, 20) {
		s.window = oneOf(t, 0, 0, 1, 3)
	}
	if chance(t, 7) {
		drawStamps(t, s)
	}
	drawMore(t, s)
	return s
})

// drawMore makes some settings others that came later, each in so many of a hundred. The
// rest have none of those; with the times of drawStamps left out, too, they are a quarter
// of all: 26 of a hundred in 2,000 that were counted, 12 with no fault but a crash or a
// pause.
func drawMore(t *rapid.T, s *setting) {
	later := [...]struct {
		percent int
		draw    func(t *rapid.T, s *setting)
	}{
		{7, drawWithin}, {6, drawTransactions}, {6, drawExec}, {6, drawDetached}, {6, drawSessions},
		{5, drawReplicas}, {5, drawMemory}, {5, drawRoles}, {5, drawBoots}, {5, drawLocalWatches}, {5, drawAges}, {6, drawContexts}, {4, drawQuorums}, {4, drawEndless},
	}
	share := below(t, 100)
	at := 0
	for at < len(later) && share >= later[at].percent {
		share -= later[at].percent
		at++
	}
	if at < len(later) {
		later[at].draw(t, s)
	}
	if !s.uses(vNow) {
		// Nobody would look at the clocks of nodes.
		s.budget[clockForward], s.budget[clockBack] = 0, 0
	}
}

// small leaves a setting two processes, or one and an update, and a fault or none, since
// what they do makes many worlds.
func (s *setting) small(t *rapid.T) {
	s.replyMin, s.replyMax, s.updates, s.requests = 0, 0, 0, 1
	if s.nodes = oneOf(t, 1, 1, 2, 2, 2); s.nodes == 1 {
		s.requests = oneOf(t, 1, 2)
		s.updates = 2 - s.requests
	}
	s.latMin, s.latMax = 0, oneOf(t, 0, 0, 0, 1)
	if s.latMax == 0 && chance(t, 15) {
		s.replyMax = 1
	}
	if s.patience > 3 {
		s.patience = -1
	}
	s.crashes, s.pauses, s.pauseMax = 0, 0, between(t, 1, 3)
	drawn := 0
	for k := range s.budget {
		if drawn += s.budget[k]; drawn > 1 {
			s.budget[k] = 0
		}
	}
	s.outage = min(s.outage, 2)
	if drawn == 0 {
		*oneOf(t, &s.crashes, &s.pauses, new(int), new(int)) = 1
	}
}

// drawTrials draws faults beyond crash and pause, mostly instead of those: a few at a
// time, so that there are not too many worlds.
func drawTrials(t *rapid.T, s *setting) {
	s.budget[between(t, 0, int(lostMessage)-1)]++
	if chance(t, 20) {
		s.budget[between(t, 0, int(lostMessage)-1)]++
	}
	if chance(t, 75) {
		s.crashes, s.pauses = 0, 0
	}
	s.lag, s.outage, s.timeout = between(t, 0, 3), between(t, 1, 4), between(t, 0, 2)
	s.late, s.step = between(t, 1, 4), between(t, 1, 3)
	s.downLeast, s.downLongest = span(t, 0, 3)
}

func updateProgramOf(t *rapid.T) program {
	p := program{{verb: vUpdate, v: 1}}
	if chance(t, 15) {
		p = append(program{{verb: vSleep, min: 0, max: 2}}, p...)
	}
	p = append(p, instruction{verb: vUnlessInv, to: len(p) + 2})
	if chance(t, 80) {
		return append(p, instruction{verb: vDel, key: keyCache})
	}
	return append(p, instruction{verb: vSet, key: keyCache, v: 1, valueTTL: true})
}

// leasePrograms draws a request that caches what it rebuilt under a lock.
func leasePrograms(t *rapid.T) programs {
	var p program
	var fix []struct{ at, label int }
	labels := map[int]int{}
	add := func(in ...instruction) { p = append(p, in...) }
	jump := func(in instruction, label int) {
		fix = append(fix, struct{ at, label int }{len(p), label})
		p = append(p, in)
	}
	const lost, done = 1, 2
	ttl := oneOf(t, 0, 1, 2, 3, 3, 4, 4, 5)
	early := chance(t, 5)
	if early {
		add(instruction{verb: vAcquired, key: keyLock})
	}
	if chance(t, 55) {
		add(instruction{verb: vGet, key: keyCache, v: 3})
		jump(instruction{verb: vIf, code: model.Found}, done)
	}
	again := len(p)
	add(instruction{verb: vToken, v: 0})
	add(instruction{verb: vSetNX, key: keyLock, v: 0, ttl: ttl})
	jump(instruction{verb: vIf, code: model.Refused}, lost)
	if chance(t, 15) {
		jump(instruction{verb: vIf, code: oneOf(t, model.Failed, model.TimedOut, model.Cancelled)}, oneOf(t, lost, done))
	}
	deadline := chance(t, 12)
	if deadline && chance(t, 50) {
		add(instruction{verb: vDeadline, ttl: oneOf(t, 1, 2, 3, 4)})
	}
	add(instruction{verb: vAcquired, key: keyLock})
	heartbeat := chance(t, 55)
	if heartbeat && chance(t, 50) {
		add(instruction{verb: vGo, n: firstChild})
		heartbeat = false
	}
	add(instruction{verb: vRead, v: 1})
	if heartbeat {
		add(instruction{verb: vGo, n: firstChild})
	}
	if deadline {
		add(instruction{verb: vDeadline, ttl: oneOf(t, 1, 2, 3, 4)})
	}
	a, b := span(t, 0, 5)
	add(instruction{verb: vCompute, min: a, max: b})
	if chance(t, 15) {
		jump(instruction{verb: vIf, code: oneOf(t, model.Failed, model.Cancelled)}, done)
	}
	add(instruction{verb: vStop})
	if chance(t, 15) {
		add(instruction{verb: vWait, v: 2})
		if chance(t, 50) {
			jump(instruction{verb: vIfNumber, n: 1}, done)
		}
	}
	if deadline {
		add(instruction{verb: vPassed})
		jump(instruction{verb: vIf, code: model.Passed}, done)
	}
	if chance(t, 12) {
		add(instruction{verb: vGet, key: keyLock, v: 2})
		add(instruction{verb: vIfEqual, v: 0, w: 2, to: len(p) + 2})
		jump(instruction{verb: vGoto}, done)
	}
	if chance(t, 8) {
		add(instruction{verb: vPTTL, key: keyLock, ttl: oneOf(t, 0, 1, 2)})
		jump(instruction{verb: vIf, code: model.Below}, done)
	}
	add(instruction{verb: oneOf(t, vSet, vSet, vSet, vSetXX), key: keyCache, v: 1, valueTTL: chance(t, 80), keepTTL: chance(t, 10), ttl: oneOf(t, 0, 2)})
	if chance(t, 85) {
		add(instruction{verb: vReleasing, key: keyLock})
	}
	if chance(t, 90) {
		add(instruction{verb: oneOf(t, vDelEq, vDelEq, vDelEq, vDel, vDel, vPExpire), key: keyLock, v: 0})
	}
	add(instruction{verb: vReturn})
	labels[lost] = len(p)
	switch between(t, 0, 4) {
	case 0:
		a, b := span(t, 0, 2)
		add(instruction{verb: vSleep, min: a, max: b}, instruction{verb: vAgain})
	case 1:
		add(instruction{verb: vSleep, min: 1, max: 1}, instruction{verb: vRetry, to: again, n: oneOf(t, 1, 2)})
	}
	labels[done] = len(p)
	for _, f := range fix {
		p[f.at].to = labels[f.label]
	}
	ps := programs{p, nil, heartbeatProgram(t, ttl)}
	for chance(t, 40) {
		which := oneOf(t, handleProgram, handleProgram, handleProgram, firstChild)
		ps[which] = mutate(t, ps[which])
	}
	return ps
}

func heartbeatProgram(t *rapid.T, ttl int) program {
	if chance(t, 12) {
		return wildLines(t, between(t, 1, 4), false)
	}
	a := oneOf(t, 0, 1, 1, 1, 2, 2, 3)
	b := a
	if chance(t, 20) {
		b = a + 1
	}
	p := program{
		{verb: vCheckpoint, n: 1},
		{verb: vSleep, min: a, max: b},
		{verb: vIf, code: model.Stopped, to: 6},
		{verb: oneOf(t, vExpireEq, vExpireEq, vExpireEq, vPExpire), key: keyLock, v: 0, ttl: ttl},
		{verb: vIf, code: model.Done, to: 0},
		{verb: vReturn, n: 1},
		{verb: vReturn, n: oneOf(t, 0, 0, 1)},
	}
	if chance(t, 10) {
		p[4] = instruction{verb: vGoto, to: 0}
	}
	return p
}

// wildPrograms draws programs of random lines.
func wildPrograms(t *rapid.T) programs {
	p := program{{verb: vToken, v: 0}}
	p = append(p, wildLines(t, between(t, 2, 7), true)...)
	p.shift(1)
	if chance(t, 15) {
		p = append(p, instruction{verb: vAgain})
	}
	return programs{p, nil, wildLines(t, between(t, 1, 4), false)}
}

func (p program) shift(by int) {
	for i := range p {
		if p[i].jumps() {
			p[i].to += by
		}
	}
}

func (in instruction) jumps() bool {
	switch in.verb {
	case vIf, vIfEqual, vIfNumber, vUnlessInv, vRetry, vGoto:
		return true
	}
	return false
}

func wildLines(t *rapid.T, lines int, spawns bool) program {
	var p program
	for i := range lines {
		p = append(p, wildLine(t, i, lines, spawns))
	}
	return p
}

func wildLine(t *rapid.T, i, lines int, spawns bool) instruction {
	verbs := []verb{
		vGet, vSet, vSetXX, vSetNX, vSetNX, vDel, vPExpire, vPTTL, vDelEq, vExpireEq, vRead, vCompute, vSleep,
		vStop, vWait, vDeadline, vPassed, vPassed, vReset, vToken, vAcquired, vAcquired, vReleasing, vIf, vIf, vIfEqual, vReturn,
	}
	if spawns {
		verbs = append(verbs, vGo, vGo, vUpdate)
	}
	in := instruction{verb: oneOf(t, verbs...), v: between(t, 0, 2), w: between(t, 0, 2)}
	switch in.verb {
	case vGet, vSet, vSetXX, vSetNX, vDel, vPExpire, vPTTL, vDelEq, vExpireEq:
		in.key = oneOf(t, keyLock, keyLock, keyLock, keyOther, keyCache)
		in.ttl = oneOf(t, 0, 1, 2, 3)
		if in.verb == vSet || in.verb == vSetXX {
			in.keepTTL, in.valueTTL = chance(t, 25), chance(t, 25)
		}
		if in.verb == vPTTL {
			in.ttl = oneOf(t, 0, 1, 2, 5)
		}
	case vCompute, vSleep:
		in.min, in.max = span(t, 0, 3)
	case vDeadline:
		in.ttl = oneOf(t, 1, 2, 3)
	case vGo:
		in.n = firstChild
	case vIf:
		in.code = oneOf(t, model.Done, model.Missing, model.Found, model.NotMine, model.Refused, model.Below, model.NotBelow, model.Passed, model.Stopped,
			model.Failed, model.TimedOut, model.Cancelled)
		in.to = between(t, i+1, max(i+1, lines))
	case vIfEqual:
		in.to = between(t, i+1, max(i+1, lines))
	case vReturn:
		in.n = oneOf(t, 0, 1)
	}
	return in
}

// mutate changes a line, drops one, doubles one, adds one or swaps two.
func mutate(t *rapid.T, p program) program { return mutateWith(t, p, wildLine) }

func mutateWith(t *rapid.T, p program, line func(t *rapid.T, i, lines int, spawns bool) instruction) program {
	if len(p) == 0 {
		return p
	}
	i := between(t, 0, len(p)-1)
	switch between(t, 0, 4) {
	case 0:
		return p.without(i)
	case 1:
		return p.with(i, p[i])
	case 2:
		return p.with(i, line(t, i, len(p), false))
	case 3:
		if i+1 < len(p) && !p[i].jumps() && !p[i+1].jumps() {
			p[i], p[i+1] = p[i+1], p[i]
		}
	case 4:
		switch in := &p[i]; in.verb {
		case vCompute, vSleep:
			in.min, in.max = span(t, 0, 4)
		default:
			in.ttl = oneOf(t, 0, 1, 2, 3)
		}
	}
	return p
}

// without drops a line and keeps the jumps where they led.
func (p program) without(i int) program {
	var q program
	for k, in := range p {
		if in.jumps() && in.to > i {
			in.to--
		}
		if k != i {
			q = append(q, in)
		}
	}
	return q
}

// with adds a line before another.
func (p program) with(i int, line instruction) program {
	var q program
	for k, in := range p {
		if k == i {
			if line.jumps() && line.to >= i {
				line.to++
			}
			q = append(q, line)
		}
		if in.jumps() && in.to > i {
			in.to++
		}
		q = append(q, in)
	}
	return q
}

// endsEveryLoop lets jumps lead backwards only to a checkpoint, over something
// that is an operation for sure, and nowhere beyond the end: an endless loop is
// the author's mistake and not what is tested here.
func (p program) endsEveryLoop() program {
	for i := range p {
		in := &p[i]
		if !in.jumps() {
			continue
		}
		in.to = min(in.to, len(p))
		if in.to > i || in.verb == vRetry {
			continue
		}
		operation := false
		for _, between := range p[in.to:i] {
			switch between.verb {
			case vGet, vDel, vPExpire, vPTTL, vRead, vCompute, vSleep,
				vPush, vPop, vBlockingPop, vPublish, vLockWithin, vSend, vReceive:
				operation = true
			}
		}
		if !operation || p[in.to].verb != vCheckpoint {
			*in = instruction{verb: vReturn}
		}
	}
	return p
}
