package scheduler_test

import (
	"pgregory.net/rapid"

	"lockstep/model"
)

// agePrograms draws a table of locks: whoever finds one too old takes it over in the same
// step. All that is ever written there carries a time.
func agePrograms(t *rapid.T) programs {
	age := between(t, 1, longestAge)
	a, b := span(t, 0, longestAge)
	take := instruction{verb: oneOf(t, vTake, vTake, vTakeAt), key: keyLock, v: 0, ttl: age, n: oneOf(t, 0, 0, 0, 2, 4)}
	p := program{
		{verb: vToken, v: 0},
		oneOf(t, instruction{verb: vStoreNow}, instruction{verb: vStoreNow}, instruction{verb: vNow}),
		take,
		{verb: vIf, code: model.Refused, to: 8},
		{verb: vAcquired, key: keyLock},
		{verb: vCompute, min: a, max: b},
		{verb: vReleasing, key: keyLock},
		oneOf(t, instruction{verb: vDelEq, key: keyLock, v: 0}, instruction{verb: vDelEq, key: keyLock, v: 0}, instruction{verb: vDel, key: keyLock}, instruction{verb: vSweep, key: keyLock, ttl: age, n: 1}),
		{verb: vReturn},
	}
	if chance(t, 40) {
		p = append(p[:8:8], instruction{verb: vSleep, max: oneOf(t, 0, 1)}, instruction{verb: vRetry, to: 1, n: 1})
	}
	line := func() instruction {
		second := between(t, 1, longestAge-1)
		return oneOf(t,
			instruction{verb: vSleep, max: 1}, instruction{verb: vSleep, min: 1, max: 1}, instruction{verb: vStoreNow},
			instruction{verb: vSetNow, key: oneOf(t, keyLock, keyOther), v: 0}, instruction{verb: vTake, key: keyLock, v: 0, ttl: age},
			instruction{verb: vSweep, key: keyLock, ttl: age, n: second}, instruction{verb: vAges, key: keyLock, ttl: second, n: second + 1},
			instruction{verb: vIf, code: oneOf(t, model.Found, model.Passed, model.Below, model.NotBelow, model.TimedOut), to: len(p)},
			instruction{verb: vGetAt, key: keyLock, v: 2}, instruction{verb: vOlder, ttl: age}, instruction{verb: vDel, key: keyLock})
	}
	if chance(t, 30) {
		p = p.with(between(t, 2, 5), instruction{verb: vGo, n: firstChild})
	}
	for chance(t, 50) {
		p = p.with(between(t, 1, len(p)-1), line())
	}
	return programs{p, nil, {{verb: vSleep, max: oneOf(t, 0, 1, 2)}, line(), line()}}
}

func drawAges(t *rapid.T, s *setting) {
	s.programs = agePrograms(t)
	s.programs[updateProgram] = oneOf(t, program{{verb: vUpdate, v: 1}}, program{{verb: vSweep, key: keyLock, ttl: between(t, 1, longestAge), n: 1}}, program{{verb: vSleep, max: 2}, {verb: vDel, key: keyLock}})
	s.small(t)
	s.patience, s.step = -1, between(t, 1, 2)
	if chance(t, 45) {
		s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
		s.budget[oneOf(t, lostReply, delay, duplicate, resend, cancel, failover, storeForward, storeFreeze, clockBack, clockForward, storePause)] = 1
		s.timeout, s.late, s.outage, s.lag = between(t, 0, 1), between(t, 1, 2), 1, between(t, 0, 2)
	}
}

// ageOutcomes are cases of it.
func ageOutcomes() map[string]outcome {
	token, now, own := instruction{verb: vToken}, instruction{verb: vStoreNow}, instruction{verb: vNow}
	get := instruction{verb: vGet, v: 2}
	set := func(key int) instruction { return instruction{verb: vSetNow, key: key} }
	take := func(ticks int) instruction { return instruction{verb: vTake, ttl: ticks} }
	takeAt := func(ticks int) instruction { return instruction{verb: vTakeAt, ttl: ticks} }
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	sweep := func(lock, other int) instruction { return instruction{verb: vSweep, ttl: lock, n: other} }
	ages := func(first, second int) instruction { return instruction{verb: vAges, ttl: first, n: second} }
	plain := func(code model.Code, ps ...instruction) *setting { return alone(seeing(code, ps...), nil) }
	hit := func(t trouble, code model.Code, ps ...instruction) *setting {
		s := struck(t, seeing(code, ps...), nil)
		s.step, s.late = 1, 2
		return s
	}
	replied := func(s *setting) *setting {
		s.replyMin, s.replyMax = 1, 1
		return s
	}
	unanswered := struck(lostReply, marked(program{token, take(1), {verb: vIf, code: model.TimedOut, to: 4}, {verb: vReturn}, get, mark(model.Found, 6)}), nil)
	return map[string]outcome{
		"nothing there is taken":                                  {false, 0, plain(model.Refused, token, take(1))},
		"what is younger is not taken over":                       {false, 0, plain(model.Found, token, take(2), sleep(1), take(2))},
		"what is just as old may be":                              {true, 0, plain(model.Found, token, take(2), sleep(2), take(2))},
		"or not, in one step":                                     {true, 0, plain(model.Refused, token, take(2), sleep(2), take(2))},
		"what is older is taken over":                             {false, 0, plain(model.Refused, token, take(2), sleep(3), take(2))},
		"which makes it young":                                    {false, 0, plain(model.Found, token, take(1), sleep(2), take(1), take(1))},
		"a time that was read at the beginning":                   {true, 0, plain(model.Found, token, now, sleep(1), takeAt(2), sleep(1), take(2))},
		"is older than that of the step":                          {false, 0, plain(model.Found, token, now, sleep(1), take(2), sleep(1), take(2))},
		"it is that of the instant at which it was read":          {true, 0, replied(plain(model.Found, token, now, takeAt(2), take(2)))},
		"not that at which it was known":                          {false, 0, replied(plain(model.Found, token, now, take(2), take(2)))},
		"the clock of a client that is behind makes old":          {true, 1, hit(clockBack, model.Found, token, own, takeAt(2), sleep(1), take(2))},
		"one that is ahead makes young":                           {true, 1, hit(clockForward, model.Refused, token, own, takeAt(2), sleep(3), take(2))},
		"that of the store is not that of the client":             {false, 0, hit(clockBack, model.Found, token, now, takeAt(2), sleep(1), take(2))},
		"nor do TTLs change it":                                   {false, 0, hit(storeForward, model.Found, token, instruction{verb: vTake, ttl: 2, n: 9}, sleep(1), take(2))},
		"a client may look how old it is":                         {true, 0, plain(model.Passed, token, set(keyLock), sleep(2), instruction{verb: vGetAt, v: 2}, instruction{verb: vOlder, ttl: 2})},
		"and see that it is younger":                              {false, 0, plain(model.Passed, token, set(keyLock), sleep(2), instruction{verb: vGetAt, v: 2}, instruction{verb: vOlder, ttl: 3})},
		"what is old is swept":                                    {false, 0, plain(model.NotPassed, token, set(keyLock), set(keyOther), sleep(2), sweep(1, 1))},
		"nothing is not old":                                      {true, 0, plain(model.NotPassed, sweep(1, 1))},
		"one of two is old":                                       {true, 0, plain(model.Passed, token, set(keyLock), sleep(1), set(keyOther), sleep(1), sweep(2, 2))},
		"not both":                                                {false, 0, plain(model.NotBelow, token, set(keyLock), sleep(1), set(keyOther), sleep(1), sweep(2, 2))},
		"what is swept is gone":                                   {false, 0, plain(model.Found, token, set(keyLock), sleep(2), sweep(1, 1), get)},
		"the rest stays":                                          {false, 0, plain(model.Missing, token, set(keyLock), sleep(2), sweep(3, 1), get)},
		"a step may ask twice, and be at the very instant of one": {true, 0, plain(model.Passed, token, set(keyLock), sleep(2), ages(1, 2))},
		"or have it behind":                                       {true, 0, plain(model.NotBelow, token, set(keyLock), sleep(2), ages(1, 2))},
		"but not be old and young":                                {false, 0, plain(model.Below, token, set(keyLock), sleep(2), ages(1, 2))},
		"one whose reply is lost has taken":                       {true, 1, unanswered},
		"one that comes twice may come late":                      {true, 1, hit(duplicate, model.Found, token, take(1), instruction{verb: vDel}, sleep(2), get)},
		"to take is a change":                                     {false, 0, plain(model.Elapsed, token, instruction{verb: vWatch}, take(1), instruction{verb: vNoticeWithin})},
		"to be refused is none":                                   {false, 0, plain(model.Done, token, take(2), instruction{verb: vWatch}, take(2), instruction{verb: vNoticeWithin, ttl: 1})},
	}
}
