package scheduler_test

import (
	"pgregory.net/rapid"

	"lockstep/model"
)

// vReplicas waits for as many replicas of a store as n says, for its ticks at most.
const vReplicas verb = "WaitReplicas"

// replicated reports whether so many replicas of a store have what was written to it. One
// that lags has not, whatever was written since.
func (w *world) replicated(in instruction) bool {
	have := max(1, w.set.replicas)
	if b := &w.backup; b.lags && !b.ofSource && b.cache == tinyKeys[in.key].cache {
		have--
	}
	return have >= in.n
}

// promoted lets the waits for replicas of a store end that fails over.
func (w *world) promoted(cache bool) {
	for i := range w.processes {
		p := &w.processes[i]
		if in := w.waitsForAny(p); in.verb == vReplicas && tinyKeys[in.key].cache == cache {
			p.hears(model.Failed)
		}
	}
}

// caughtUp lets those end that have waited for the replica which has everything now.
func (w *world) caughtUp() {
	for i := range w.processes {
		p := &w.processes[i]
		if in := w.waitsForAny(p); in.verb == vReplicas && w.replicated(in) {
			p.hears(model.Done)
		}
	}
}

// waitsForAny is waitsFor for any process: nothing if it is not parked.
func (w *world) waitsForAny(p *process) instruction {
	if p.phase != parked {
		return instruction{}
	}
	return w.waitsFor(p)
}

// hears lets a process that is parked learn what has become of its operation.
func (p *process) hears(code model.Code) {
	p.phase, p.age, p.place, p.seen = replying, 0, 0, seen{code: code}
}

// replicaPrograms draws a lock that counts once replicas have it.
func replicaPrograms(t *rapid.T) programs {
	wait := instruction{verb: vReplicas, n: oneOf(t, 1, 1, 2), ttl: between(t, 1, 2)}
	a, b := span(t, 0, 2)
	p := program{
		{verb: vToken, v: 0},
		{verb: vSetNX, key: keyLock, v: 0, ttl: oneOf(t, 0, 2, 3, 4)},
		{verb: vIf, code: model.Refused, to: 9},
		wait,
		{verb: vIf, code: oneOf(t, model.Elapsed, model.Elapsed, model.Failed), to: 8},
		{verb: vAcquired, key: keyLock},
		{verb: vCompute, min: a, max: b},
		{verb: vReleasing, key: keyLock},
		{verb: oneOf(t, vDelEq, vDelEq, vDel), key: keyLock, v: 0},
	}
	if chance(t, 30) {
		p = p.with(between(t, 1, 5), instruction{verb: vGo, n: firstChild})
		p = append(p, instruction{verb: vStop})
	}
	for chance(t, 35) {
		p = p.with(between(t, 1, len(p)-1), oneOf(t, wait, instruction{verb: vIf, code: model.Failed, to: len(p)}, instruction{verb: vGet, key: keyLock, v: 2}, instruction{verb: vSleep, max: 1}))
	}
	wait.key = oneOf(t, keyLock, keyLock, keyCache)
	return programs{p, nil, {wait, oneOf(t, instruction{verb: vSet, key: keyLock, v: 0, ttl: 2}, instruction{verb: vDel, key: keyLock}), wait}}
}

func drawReplicas(t *rapid.T, s *setting) {
	s.programs = replicaPrograms(t)
	s.programs[updateProgram] = program{{verb: vUpdate, v: 1}}
	s.small(t)
	s.replicas = oneOf(t, 1, 1, 2)
	s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
	s.budget[oneOf(t, failover, failover, failover, staleRead)] = 1
	s.lag, s.outage, s.timeout, s.late, s.step = between(t, 0, 3), 1, 1, 1, 1
	if s.nodes*s.requests == 1 && chance(t, 40) {
		s.budget[oneOf(t, cancel, disconnect, partition, lostReply, starve)] = 1
	}
}

// replicaOutcomes are cases of it.
func replicaOutcomes() map[string]outcome {
	token, set := instruction{verb: vToken}, instruction{verb: vSet}
	wait := func(n int) instruction { return instruction{verb: vReplicas, n: n, ttl: 1} }
	of := func(replicas int, s *setting) *setting {
		s.replicas, s.lag = replicas, 2
		return s
	}
	// lost is a request that has lost what it has written, after it was told that replicas
	// have it.
	lost := seeing(model.Missing, token, set, wait(1), instruction{verb: vIf, code: model.Done, to: 5}, instruction{verb: vReturn}, instruction{verb: vSleep, min: 2, max: 2}, instruction{verb: vGet, v: 2})
	return map[string]outcome{
		"a store has one replica": {false, 0, of(1, alone(seeing(model.Elapsed, token, set, wait(1)), nil))},
		"no more":                 {false, 0, of(1, alone(seeing(model.Done, token, set, wait(2)), nil))},
		"one that lags keeps a wait from its end":           {true, 1, of(1, struck(failover, seeing(model.Elapsed, token, set, wait(1)), nil))},
		"not where another is enough":                       {false, 0, of(2, struck(failover, seeing(model.Elapsed, token, set, wait(1)), nil))},
		"a failover ends the wait":                          {true, 1, of(1, struck(failover, seeing(model.Failed, token, set, wait(1)), nil))},
		"a failover before the wait is not noticed":         {true, 1, of(1, struck(failover, lost, nil))},
		"what another has may be":                           {true, 1, of(2, struck(failover, lost, nil))},
		"and what was written may be there then":            {true, 1, of(1, struck(failover, seeing(model.Found, token, set, wait(1), instruction{verb: vIf, code: model.Failed, to: 5}, instruction{verb: vReturn}, instruction{verb: vGet, v: 2}), nil))},
		"one that catches up is enough for those it is for": {false, 0, of(1, struck(staleRead, seeing(model.Done, token, set, wait(2)), nil))},
	}
}
