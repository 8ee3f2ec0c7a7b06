package scheduler_test

import (
	"slices"

	"lockstep/model"

	"pgregory.net/rapid"
)

// Programs in which someone waits for what someone else does. Most are made of a few
// shapes, since a wait that nobody ends says little.

// waitPrograms draws such programs. Those of a shape are changed a little.
func waitPrograms(t *rapid.T) programs {
	ps := oneOf(t, notifyPrograms, notifyPrograms, watchPrograms, watchPrograms, mutexPrograms, signalPrograms, wildWaitPrograms)(t)
	for chance(t, 45) {
		which := oneOf(t, handleProgram, handleProgram, firstChild)
		ps[which] = mutateWith(t, ps[which], waitLine)
	}
	return ps
}

// waitSetting draws a setting for them: small, since what waits makes many worlds.
func waitSetting(t *rapid.T, s *setting) {
	s.programs = waitPrograms(t)
	s.programs[updateProgram] = program{{verb: vUpdate, v: 1}}
	if s.updates == 0 && s.nodes < 3 && chance(t, 25) {
		s.updates = 1
	}
	if s.updates > 0 {
		// It ends the wait of someone.
		s.programs[updateProgram] = program{oneOf(t,
			instruction{verb: vPush, key: keyList}, instruction{verb: vPush, key: keyList},
			instruction{verb: vPublish}, instruction{verb: vPublish},
			instruction{verb: vUpdate, v: 1}, instruction{verb: vDel, key: keyLock}, instruction{verb: vDel, key: keyList})}
		if chance(t, 40) {
			a, b := span(t, 0, 2)
			s.programs[updateProgram] = append(program{{verb: vSleep, min: a, max: b}}, s.programs[updateProgram]...)
		}
		if chance(t, 20) {
			s.programs[updateProgram] = append(s.programs[updateProgram], waitLine(t, 2, 3, false))
		}
	}
	switch {
	case chance(t, 20):
		s.budget[cancel] = 1
	case s.uses(vPublish) && chance(t, 30):
		s.budget[lostMessage] = 1
	}
	if s.nodes*s.requests+s.updates > 2 && chance(t, 60) {
		s.latMin, s.latMax, s.crashes = 0, 0, 0
	}
}

// notifyPrograms draws a lock whose holder pushes an element when it is done, for which
// the others wait.
func notifyPrograms(t *rapid.T) programs {
	a, b := span(t, 0, 3)
	p := program{
		{verb: vToken, v: 0},
		{verb: vSetNX, key: keyLock, v: 0, ttl: oneOf(t, 0, 1, 2, 3)},
		{verb: vIf, code: model.Refused, to: 8},
		{verb: vAcquired, key: keyLock},
		{verb: vCompute, min: a, max: b},
		{verb: oneOf(t, vDelEq, vDelEq, vDel), key: keyLock, v: 0},
		{verb: vPush, key: keyList},
		{verb: vReturn},
		{verb: vBlockingPop, key: keyList, ttl: oneOf(t, 0, 1, 1, 2, 2, 3)},
		{verb: vIf, code: oneOf(t, model.Done, model.Done, model.Elapsed), to: 11},
		{verb: vReturn, n: oneOf(t, 0, 1)},
		{verb: vRetry, to: 1, n: oneOf(t, 0, 1, 1)},
	}
	if chance(t, 20) {
		p = p.with(6, instruction{verb: vGo, n: firstChild})
	}
	if chance(t, 25) {
		p = p.with(oneOf(t, 6, 7), oneOf(t, instruction{verb: vPush, key: keyList}, instruction{verb: vPExpire, key: keyList, ttl: oneOf(t, 0, 1, 2)}))
	}
	child := program{
		{verb: vSleep, min: 0, max: oneOf(t, 0, 1, 2)},
		{verb: oneOf(t, vPush, vPop, vBlockingPop), key: keyList, ttl: oneOf(t, 0, 1, 2)},
	}
	if chance(t, 20) {
		return stopping(t, p, child[1:])
	}
	return programs{p, nil, child}
}

// stopping lets the request spawn a process when it has the lock, and stop it later.
func stopping(t *rapid.T, p, child program) programs {
	at := slices.IndexFunc(p, func(in instruction) bool { return in.verb == vAcquired })
	if at < 0 {
		return programs{p, nil, child}
	}
	p = p.with(at, instruction{verb: vGo, n: firstChild})
	p = p.with(between(t, at+1, at+4), instruction{verb: vStop})
	if chance(t, 30) {
		p = p.with(at+5, instruction{verb: vWait, v: 2})
	}
	return programs{p, nil, child}
}

// watcherProgram draws a process that watches until it is stopped.
func watcherProgram(t *rapid.T, watch, notice instruction) program {
	return program{
		watch,
		{verb: vCheckpoint, n: 1 + oneOf(t, 0, keepsWatch, keepsWatch, keepsWatch)},
		notice,
		{verb: vIf, code: oneOf(t, model.Stopped, model.Stopped, model.Elapsed), to: 6},
		{verb: vDel, key: oneOf(t, keyLock, keyOther)},
		{verb: vGoto, to: 1},
		{verb: vReturn, n: 1},
	}
}

// watchPrograms draws a lock whose release the others wait for: they see that the key
// changes, or get a message.
func watchPrograms(t *rapid.T) programs {
	watch, notice := instruction{verb: oneOf(t, vWatch, vWatch, vWatchWrites)}, instruction{verb: vNotice}
	messages := chance(t, 45)
	if messages {
		watch.verb = vSubscribe
	} else {
		watch.n = oneOf(t, 0, 0, 1<<keyOther, 1<<keyList)
	}
	if chance(t, 60) {
		notice = instruction{verb: vNoticeWithin, ttl: oneOf(t, 0, 1, 1, 2, 2, 3)}
	}
	a, b := span(t, 0, 3)
	p := program{
		{verb: vToken, v: 0},
		watch,
		{verb: vSetNX, key: keyLock, v: 0, ttl: oneOf(t, 0, 1, 2, 3)},
		{verb: vIf, code: model.Refused, to: 9},
		{verb: vAcquired, key: keyLock},
		{verb: vCompute, min: a, max: b},
		{verb: oneOf(t, vDelEq, vDelEq, vDel, vExpireEq), key: keyLock, v: 0, ttl: oneOf(t, 0, 1, 2)},
		{verb: oneOf(t, vPublish, vClose)},
		{verb: vReturn},
		notice,
		{verb: vIf, code: oneOf(t, model.Done, model.Done, model.Elapsed), to: 12},
		{verb: vReturn, n: oneOf(t, 0, 1)},
		{verb: vRetry, to: 2, n: oneOf(t, 0, 1, 1)},
	}
	if messages {
		p[7].verb = vPublish
	}
	if chance(t, 25) {
		p = p.with(9, watch) // too late, perhaps
	}
	if chance(t, 20) {
		p = p.with(oneOf(t, 6, 7), instruction{verb: vGo, n: firstChild})
	}
	if chance(t, 25) {
		return stopping(t, p, watcherProgram(t, watch, notice))
	}
	if chance(t, 15) {
		p = append(p, instruction{verb: vAgain})
	}
	return programs{p, nil, {
		{verb: vSleep, min: 0, max: oneOf(t, 0, 1, 2)},
		oneOf(t, instruction{verb: vPublish}, instruction{verb: vSet, key: keyLock, v: 0, ttl: 1}, instruction{verb: vPExpire, key: keyLock, ttl: 1}),
	}}
}

// mutexPrograms draws requests that take turns on their node, in part by processes that
// they spawn.
func mutexPrograms(t *rapid.T) programs {
	lock := func() instruction {
		if chance(t, 40) {
			return instruction{verb: vLockWithin, ttl: oneOf(t, 0, 1, 2, 3)}
		}
		return instruction{verb: vLock}
	}
	a, b := span(t, 0, 2)
	p := program{
		{verb: vToken, v: 0},
		{verb: vGo, n: firstChild},
		lock(),
		{verb: vIf, code: model.Elapsed, to: 7},
		{verb: vSetNX, key: keyLock, v: 0, ttl: oneOf(t, 0, 1, 2)},
		{verb: oneOf(t, vCompute, vSleep), min: a, max: b},
		{verb: vDelEq, key: keyLock, v: 0},
		{verb: vUnlock},
		{verb: oneOf(t, vStop, vWait, vReturn), v: 2},
	}
	if chance(t, 40) {
		p = p.without(1)
	}
	if chance(t, 15) {
		p = append(p, instruction{verb: vAgain})
	}
	c, d := span(t, 0, 2)
	return programs{p, nil, {lock(), {verb: oneOf(t, vSleep, vCompute), min: c, max: d}, {verb: oneOf(t, vSet, vDel, vGet), key: keyLock, v: 0}, {verb: vUnlock}}}
}

// signalPrograms draws requests that wait for a signal of a process that they spawned, or
// of each other.
func signalPrograms(t *rapid.T) programs {
	a, b := span(t, 0, 3)
	p := program{
		{verb: vToken, v: 0},
		{verb: vGo, n: firstChild},
		{verb: vSetNX, key: keyLock, v: 0, ttl: oneOf(t, 0, 1, 2)},
		{verb: vIf, code: model.Refused, to: 5},
		{verb: vSend},
		{verb: vReceive, ttl: oneOf(t, 0, 0, 1, 2, 3)},
		{verb: vIf, code: oneOf(t, model.Elapsed, model.Cancelled, model.Stopped), to: 8},
		{verb: vDelEq, key: keyLock, v: 0},
		{verb: oneOf(t, vStop, vWait, vReturn), v: 2},
		{verb: oneOf(t, vWait, vReceive, vReturn), v: 2, ttl: oneOf(t, 0, 1)},
	}
	if chance(t, 30) {
		p = p.with(2, instruction{verb: vGo, slot: 1, n: firstChild})
	}
	child := program{{verb: vSleep, min: a, max: b}, {verb: vSend}, {verb: vReturn, n: 1}}
	if chance(t, 50) {
		child = program{{verb: vReceive, ttl: oneOf(t, 0, 1, 2)}, {verb: vIf, code: model.Stopped, to: 3}, {verb: vSend}, {verb: vReturn, n: 1}}
	}
	return programs{p, nil, child}
}

func wildWaitPrograms(t *rapid.T) programs {
	lines := func(n int, spawns bool) program {
		var p program
		for i := range n {
			p = append(p, waitLine(t, i, n, spawns))
		}
		return p
	}
	p := append(program{{verb: vToken, v: 0}}, lines(between(t, 2, 6), true)...)
	p.shift(1)
	return programs{p, nil, lines(between(t, 1, 4), false)}
}

// waitLine is wildLine with the verbs of waits.
func waitLine(t *rapid.T, i, lines int, spawns bool) instruction {
	if chance(t, 30) {
		in := wildLine(t, i, lines, spawns)
		if in.verb == vIf && chance(t, 50) {
			in.code = oneOf(t, model.Done, model.Elapsed)
		}
		return in
	}
	in := instruction{verb: oneOf(t,
		vPush, vPush, vPop, vBlockingPop, vBlockingPop, vWatch, vWatchWrites, vSubscribe, vPublish, vPublish, vClose,
		vNotice, vNoticeWithin, vNoticeWithin, vLock, vLockWithin, vUnlock, vSend, vReceive,
		vDel, vPExpire, vCheckpoint)}
	switch in.verb {
	case vPush, vPop, vBlockingPop, vDel, vPExpire:
		in.key, in.ttl = keyList, oneOf(t, 0, 1, 2, 3)
	case vWatch, vWatchWrites:
		in.key, in.n = oneOf(t, keyLock, keyLock, keyOther, keyCache, keyList), oneOf(t, 0, 1<<keyOther, 1<<keyList)
	case vNoticeWithin, vLockWithin, vReceive:
		in.ttl = oneOf(t, 0, 1, 2, 3)
	case vCheckpoint:
		in.n = 1 + oneOf(t, 0, keepsWatch)
	}
	return in
}
