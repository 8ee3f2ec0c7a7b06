package scheduler_test

import "lockstep/model"

// waitOutcomes are what only the exact order of events tells.
func waitOutcomes() map[string]outcome {
	const (
		update = updateProgram
		first  = firstChild
		second = firstChild + 1
	)
	on, with := alone, struck
	run := func(slot, n int) instruction { return instruction{verb: vGo, slot: slot, n: n} }
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	token, set, push := instruction{verb: vToken}, instruction{verb: vSet}, instruction{verb: vPush, key: keyList}
	pop := func(n int) instruction { return instruction{verb: vBlockingPop, key: keyList, ttl: n} }
	within := func(n int) instruction { return instruction{verb: vNoticeWithin, ttl: n} }
	watch, none := instruction{verb: vWatch}, program(nil)

	two := func(a, b program) *setting {
		return on(program{run(0, first), run(1, second), sleep(2), push}, none, a, b)
	}
	// across is a request that watches, and an update that is told to send and then
	// tells that it has.
	across := func(t trouble, watch verb, send instruction) *setting {
		s := with(t, marked(program{
			{verb: watch}, push, within(2), {verb: vIf, code: model.Done, to: 12},
			{verb: vGet, key: keyOther, v: 2}, {verb: vIf, code: model.Missing, to: 12},
			// A partition that begins here would hide a change from the first look.
			sleep(2), within(0), {verb: vIf, code: model.Done, to: 12}, sleep(2), within(0), mark(model.Elapsed, 12),
		}), program{token, pop(0), send, {verb: vSet, key: keyOther}})
		s.updates = 1
		return s
	}
	// late is a request that gets its element, but later than it would have waited.
	late := func(pauses int) *setting {
		s := on(marked(program{{verb: vDeadline, ttl: 2}, pop(1), {verb: vIf, code: model.Elapsed, to: 5}, {verb: vPassed}, mark(model.Passed, 5)}), program{push})
		s.updates, s.pauses, s.pauseMax = 1, pauses, 3
		return s
	}
	return map[string]outcome{
		"the first in the queue gets the element": {true, 0, two(seeing(model.Done, pop(0)), program{sleep(1), pop(0)})},
		"the second in the queue does not":        {false, 0, two(program{pop(0)}, seeing(model.Done, sleep(1), pop(0)))},
		"the second gets it if the first has left, by its timeout at that instant": {true, 0,
			two(program{pop(2)}, seeing(model.Done, sleep(1), pop(0)))},
		"a queue at one instant has any order": {true, 0, two(program{sleep(1), pop(0)}, seeing(model.Done, sleep(1), pop(0)))},

		"an element at the very instant of the timeout is taken": {true, 0, on(seeing(model.Done, run(0, first), pop(1)), none, program{sleep(1), push})},
		"or comes too late":                                        {true, 0, on(seeing(model.Elapsed, run(0, first), pop(1)), none, program{sleep(1), push})},
		"one instant later it is not":                              {false, 0, on(seeing(model.Done, run(0, first), pop(1)), none, program{sleep(2), push})},
		"an element before is not missed":                          {false, 0, on(seeing(model.Elapsed, run(0, first), pop(2)), none, program{sleep(1), push})},
		"a list that was empty has no TTL":                         {false, 0, on(seeing(model.Missing, push, instruction{verb: vPExpire, key: keyList, ttl: 2}, pop(0), push, sleep(3), instruction{verb: vPop, key: keyList}), none)},
		"a list with something in it keeps its TTL":                {true, 0, on(seeing(model.Missing, push, instruction{verb: vPExpire, key: keyList, ttl: 2}, push, sleep(3), instruction{verb: vPop, key: keyList}), none)},
		"a pop whose reply is lost has taken the element":          {true, 1, with(lostReply, marked(program{push, pop(0), {verb: vIf, code: model.Done, to: 5}, {verb: vPop, key: keyList}, mark(model.Missing, 5)}), none)},
		"a pop that is served while its node is paused":            {true, 1, late(1)},
		"without a pause it is in time":                            {false, 0, late(0)},
		"a stop ends a wait in a queue":                            {true, 0, on(program{run(0, first), sleep(1), {verb: vStop}}, none, seeing(model.Stopped, pop(0)))},
		"a stop before it, too":                                    {true, 0, on(program{run(0, first), sleep(1), {verb: vStop}}, none, seeing(model.Stopped, instruction{verb: vCompute, min: 2, max: 2}, pop(0)))},
		"but not if there is an element":                           {false, 0, on(program{push, run(0, first), sleep(1), {verb: vStop}}, none, seeing(model.Stopped, instruction{verb: vCompute, min: 2, max: 2}, pop(0)))},
		"a stop and an element at one instant, the element first":  {true, 0, on(program{run(0, first), sleep(1), push, {verb: vStop}}, none, seeing(model.Done, pop(0)))},
		"a stop and an element at one instant, the element second": {true, 0, on(program{run(0, first), sleep(1), {verb: vStop}, push}, none, seeing(model.Stopped, pop(0)))},

		"a change at the very instant at which a wait ends is noticed": {true, 0, on(seeing(model.Done, token, watch, run(0, first), within(1)), none, program{sleep(1), set})},
		"or is not": {true, 0, on(seeing(model.Elapsed, token, watch, run(0, first), within(1)), none, program{sleep(1), set})},
		"but the next wait notices it": {false, 0, on(marked(program{
			token, watch, run(0, first), within(1), {verb: vIf, code: model.Done, to: 8}, {verb: vWait, v: 2}, within(0), mark(model.Elapsed, 8),
		}), none, program{sleep(1), set})},
		"a look at a change sees it":               {false, 0, on(seeing(model.Elapsed, token, watch, set, within(0)), none)},
		"a change is told of once":                 {false, 0, on(seeing(model.Done, token, watch, set, within(0), within(1)), none)},
		"a write of the same value is one":         {true, 0, on(seeing(model.Done, token, set, watch, set, within(0)), none)},
		"a write that is refused is none":          {false, 0, on(seeing(model.Done, token, set, watch, instruction{verb: vSetNX}, within(1)), none)},
		"what was before the watch is none":        {false, 0, on(seeing(model.Done, token, set, watch, within(1)), none)},
		"an expiry is one":                         {true, 0, on(seeing(model.Done, token, instruction{verb: vSet, ttl: 1}, watch, within(2)), none)},
		"an expiry is none for who watches writes": {false, 0, on(seeing(model.Done, token, instruction{verb: vSet, ttl: 1}, instruction{verb: vWatchWrites}, within(2)), none)},
		"an eviction is one for all":               {true, 1, with(evict, seeing(model.Done, token, set, instruction{verb: vWatchWrites}, within(1)), none)},
		"a failover that changes nothing is none":  {false, 0, with(failover, seeing(model.Done, token, instruction{verb: vSet, ttl: 5}, sleep(2), watch, within(1)), none)},
		"a failover to a replica that has the key, too, is none": {false, 0, with(failover, marked(program{
			token, watch, {verb: vSetNX, ttl: 1}, within(0), {verb: vSetNX, key: keyOther}, within(0), {verb: vIf, code: model.Elapsed, to: 9},
			{verb: vGet, v: 2}, mark(model.Found, 9),
		}), none)},
		"a failover that restores what is left of a TTL is none": {false, 0, with(failover, seeing(model.Done, token, instruction{verb: vSet, ttl: 5}, sleep(2), instruction{verb: vPExpire, ttl: 5}, watch, within(1)), none)},
		"a message during a partition is lost":                   {true, 1, across(partition, vSubscribe, instruction{verb: vPublish})},
		"a change during a partition is not":                     {false, 0, across(partition, vWatch, set)},
		"a look during an outage does not see a change":          {true, 1, with(storePause, seeing(model.Elapsed, token, watch, set, within(0)), none)},
		"a wait that ends with an outage":                        {true, 1, with(storePause, seeing(model.Elapsed, token, watch, set, within(1)), none)},
		"a wait that ends after an outage":                       {false, 0, with(storePause, seeing(model.Elapsed, token, watch, set, within(2)), none)},
		"a message is lost":                                      {true, 1, across(lostMessage, vSubscribe, instruction{verb: vPublish})},
		"a message is not lost":                                  {false, 0, across(evict, vSubscribe, instruction{verb: vPublish})},

		"the second who waits for a mutex may get it first": {true, 0, on(
			program{token, {verb: vLock}, run(0, first), run(1, second), sleep(2), {verb: vUnlock}}, none,
			seeing(model.Found, instruction{verb: vLock}, instruction{verb: vGet, v: 2}), program{sleep(1), {verb: vLock}, set, {verb: vUnlock}})},
		"whoever tries once gets a mutex that is free": {false, 0, on(seeing(model.Elapsed, instruction{verb: vLockWithin}), none)},
		"a mutex that becomes free in the last instant": {true, 0, on(program{{verb: vLock}, run(0, first), sleep(1), {verb: vUnlock}}, none,
			seeing(model.Done, instruction{verb: vLockWithin, ttl: 1}))},
		"a signal goes to the first": {false, 0, on(program{run(0, first), run(1, second), sleep(2), {verb: vSend}}, none,
			program{{verb: vReceive}}, seeing(model.Done, sleep(1), instruction{verb: vReceive}))},
	}
}
