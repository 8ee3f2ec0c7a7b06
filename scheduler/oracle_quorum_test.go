package scheduler_test

import (
	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// The two stores of the oracle may be two of those that are independent of each other, and
// of Store and Cache: for a lock that counts once both have granted it.

// keySecond is the key of the lock in the second store.
const keySecond = keyCache

// store returns a store for the engine.
func (p tiny) store(c *protocol.Client, key int) *protocol.Store {
	second := tinyKeys[key].cache
	switch {
	case p.independent && second:
		return c.Stores(2)[1]
	case p.independent:
		return c.Stores(2)[0]
	case second:
		return c.Cache
	}
	return c.Store
}

// storeName is what it is called.
func (s *setting) storeName(second bool) string {
	names := protocol.StoreNames()
	if s.independent {
		names = names[2:]
	}
	return names[store(second)]
}

// quorumPrograms draws such a lock. A process of its own asks one store, while the request
// asks the other; who does not get both gives back what it has, or waits for the TTL.
func quorumPrograms(t *rapid.T) programs {
	ttl := oneOf(t, 0, 1, 2, 3, 3)
	a, b := span(t, 0, 2)
	p := program{
		{verb: vToken, v: 0},
		{verb: vDeadline, ttl: max(1, ttl)},
		{verb: vGo, n: firstChild},
		{verb: vSetNX, key: keySecond, v: 0, ttl: ttl},
		{verb: vIf, code: model.Refused, to: 13},
		{verb: vWait, v: 2},
		{verb: vIfNumber, n: 0, to: 13},
		{verb: vPassed},
		{verb: vIf, code: model.Passed, to: 13},
		{verb: vAcquired, key: keyLock},
		{verb: vCompute, min: a, max: b},
		{verb: vReleasing, key: keyLock},
		{verb: oneOf(t, vDelEq, vDelEq, vDelEq, vDel), key: keySecond, v: 0},
		{verb: vDelEq, key: keyLock, v: 0},
	}
	if chance(t, 50) {
		// Both are given back in any case.
		for i := range p {
			if p[i].jumps() && p[i].to == 13 {
				p[i].to = 12
			}
		}
	}
	for chance(t, 35) {
		p = p.with(between(t, 1, len(p)-1), oneOf(t,
			instruction{verb: vSleep, max: 1}, instruction{verb: vGet, key: keyLock, v: 2}, instruction{verb: vExpireEq, key: keySecond, v: 0, ttl: 1},
			instruction{verb: vIf, code: oneOf(t, model.Failed, model.TimedOut), to: len(p)}, instruction{verb: vPTTL, key: keySecond, ttl: 1}, instruction{verb: vStop}))
	}
	child := program{
		{verb: vSetNX, key: keyLock, v: 0, ttl: ttl},
		{verb: vIf, code: model.Done, to: 3},
		{verb: vReturn, n: 0},
		{verb: vReturn, n: 1},
	}
	return programs{p, nil, child}
}

func drawQuorums(t *rapid.T, s *setting) {
	s.programs = quorumPrograms(t)
	s.programs[updateProgram] = oneOf(t, program{{verb: vUpdate, v: 1}}, program{{verb: vDel, key: keySecond}})
	s.small(t)
	s.independent, s.valueTTL, s.patience = true, 0, -1
	if chance(t, 50) {
		s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
		s.budget[oneOf(t, wipe, wipe, evict, partition, storePause, storeError, lostReply, storeForward, storeBack, failover, disconnect)] = 1
		s.outage, s.timeout, s.lag, s.step = 1, between(t, 0, 1), between(t, 0, 1), 1
	}
}

// quorumOutcomes are cases of it.
func quorumOutcomes() map[string]outcome {
	token, run := instruction{verb: vToken}, instruction{verb: vGo, n: firstChild}
	first, second := instruction{verb: vSet}, instruction{verb: vSet, key: keySecond}
	timed := func(i instruction, ttl int) instruction {
		i.ttl = ttl
		return i
	}
	get := func(key int) instruction { return instruction{verb: vGet, key: key, v: 2} }
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	on := func(s *setting, latency int) *setting {
		s.independent, s.latMin, s.latMax, s.step = true, latency, latency, 1
		return s
	}
	// neither is a request that comes to its mark if nothing is in the first store, and
	// nothing in the second.
	neither := func(ps ...instruction) program {
		n := len(ps)
		return seeing(model.Missing, append(ps, get(keyLock), instruction{verb: vIf, code: model.Missing, to: n + 3}, instruction{verb: vReturn}, get(keySecond))...)
	}
	deadline, passed, wait := instruction{verb: vDeadline, ttl: 2}, instruction{verb: vPassed}, instruction{verb: vWait, v: 2}
	return map[string]outcome{
		"independent stores have their own entries":         {false, 0, on(alone(seeing(model.Found, token, first, get(keySecond)), nil), 0)},
		"a store forgets what is in it":                     {true, 1, on(struck(wipe, seeing(model.Missing, token, first, second, get(keySecond)), nil), 0)},
		"but not what is in another":                        {false, 0, on(struck(wipe, neither(token, first, second), nil), 0)},
		"the clock of one may step":                         {true, 1, on(struck(storeForward, seeing(model.Missing, token, timed(first, 3), timed(second, 3), sleep(2), get(keySecond)), nil), 0)},
		"but not that of another with it":                   {false, 0, on(struck(storeForward, neither(token, timed(first, 3), timed(second, 3), sleep(2)), nil), 0)},
		"those that are asked at once take as long as one":  {false, 0, on(alone(seeing(model.Passed, token, deadline, run, second, wait, passed), nil, program{first}), 1)},
		"those that are asked in turn take as long as both": {true, 0, on(alone(seeing(model.Passed, token, deadline, first, second, passed), nil), 1)},
	}
}
