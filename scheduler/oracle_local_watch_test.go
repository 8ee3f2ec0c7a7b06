package scheduler_test

import (
	"pgregory.net/rapid"

	"lockstep/model"
)

// A process of the oracle may watch the variable of its node: what a condition variable is
// for. No store is asked, so that nothing keeps a change back and nothing fails.
const (
	vWatchLocal verb = "Memory.Watch"
	vCloseLocal verb = "Memory.Watch.Close"
	vForget     verb = "Memory.Del"
	vForgetEq   verb = "Memory.DelIfEqual"
)

// forget empties the variable, if it contains what it should.
func (w *world) forget(p *process, in instruction) seen {
	variable := &w.nodes[p.node].variable
	switch {
	case variable.Kind == model.KindNone:
		return seen{code: model.Missing}
	case in.verb == vForgetEq && *variable != p.v[in.v]:
		return seen{code: model.NotMine}
	}
	*variable = model.Datum{}
	w.tellNode(p.node)
	return seen{code: model.Done}
}

// tellNode lets those on the node see a change who watch its variable.
func (w *world) tellNode(node int) {
	for i := range w.processes {
		if p := &w.processes[i]; p.node == node && p.watch.local {
			p.watch.changed = true
		}
	}
}

// localWatchPrograms draws requests of which one computes, while the others wait until it
// has told that it is done, in part with a mistake: the look comes before the watch.
func localWatchPrograms(t *rapid.T) programs {
	a, b := span(t, 0, 2)
	watch := instruction{verb: oneOf(t, vWatchLocal, vWatchLocal, vWatchLocal, vWatchLocal, vWatch)}
	notice := oneOf(t, instruction{verb: vNotice}, instruction{verb: vNoticeWithin, ttl: between(t, 0, 3)})
	tell := oneOf(t, instruction{verb: vForgetEq}, instruction{verb: vForget}, instruction{verb: vRemember, v: 1})
	p := program{
		{verb: vToken, v: 0},
		watch,
		{verb: vRememberNX, v: 0},
		{verb: vIf, code: model.Refused, to: 10},
		{verb: vAcquired, key: keyLock},
		{verb: vRead, v: 1},
		{verb: vCompute, min: a, max: b},
		{verb: vReleasing, key: keyLock},
		tell,
		{verb: vReturn},
		notice,
		{verb: vIf, code: oneOf(t, model.Elapsed, model.Elapsed, model.Done), to: 13},
		{verb: vRetry, to: 2, n: oneOf(t, 0, 1, 1)},
		{verb: vSet, key: keyCache, v: 1},
	}
	if chance(t, 35) {
		p[1], p[2] = p[2], p[1]
		p[2], p[3] = p[3], p[2]
		p = p.with(10, watch)
	}
	if chance(t, 35) {
		p = p.with(between(t, 3, 9), instruction{verb: vGo, n: firstChild})
		if chance(t, 50) {
			p = append(p, instruction{verb: oneOf(t, vStop, vWait), v: 2})
		}
	}
	for chance(t, 40) {
		p = p.with(between(t, 1, len(p)-1), localWatchLine(t))
	}
	child := program{oneOf(t, watch, instruction{verb: vSleep, max: 1}), localWatchLine(t), notice, localWatchLine(t)}
	if chance(t, 30) {
		child = watcherProgram(t, watch, notice)
		child[4] = oneOf(t, instruction{verb: vForget}, instruction{verb: vRemember, v: 0})
	}
	return programs{p, nil, child}
}

func localWatchLine(t *rapid.T) instruction {
	return oneOf(t,
		instruction{verb: vWatchLocal}, instruction{verb: vCloseLocal}, instruction{verb: vForget}, instruction{verb: vForgetEq},
		instruction{verb: vRemember}, instruction{verb: vRememberNX}, instruction{verb: vRecall, v: 2}, instruction{verb: vNoticeWithin, ttl: between(t, 0, 1)},
		instruction{verb: vSleep, max: 1}, instruction{verb: vDel})
}

func drawLocalWatches(t *rapid.T, s *setting) {
	s.programs = localWatchPrograms(t)
	s.programs[updateProgram] = oneOf(t, program{{verb: vToken}, {verb: vRemember}}, program{{verb: vUpdate, v: 1}}, program{{verb: vDel}})
	s.small(t)
	if s.nodes == 2 && chance(t, 75) {
		s.nodes, s.requests = 1, 2
	}
	if chance(t, 30) {
		s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
		s.budget[oneOf(t, partition, storePause, disconnect, cancel, restart, starve)] = 1
		s.outage, s.downLeast, s.downLongest = between(t, 1, 2), 0, 1
	}
}

// localWatchOutcomes are cases of it.
func localWatchOutcomes() map[string]outcome {
	token, watch, run := instruction{verb: vToken}, instruction{verb: vWatchLocal}, instruction{verb: vGo, n: firstChild}
	remember, first, forget := instruction{verb: vRemember}, instruction{verb: vRememberNX}, instruction{verb: vForget}
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	within := func(n int) instruction { return instruction{verb: vNoticeWithin, ttl: n} }
	// told is a request that comes to its mark if at the end of its program it has noticed a
	// change, or has not.
	told := func(code model.Code, ps ...instruction) *setting {
		return alone(seeing(code, append(ps, within(1))...), nil)
	}
	// meanwhile is told with a process that does something beside it.
	meanwhile := func(code model.Code, t trouble, ps []instruction, others ...instruction) *setting {
		s := struck(t, seeing(code, append(append([]instruction{token, run}, ps...), within(2))...), nil, program(others))
		s.outage = 4
		return s
	}
	onWatch := []instruction{watch}
	elsewhere := alone(seeing(model.Done, watch, within(2)), program{token, remember})
	elsewhere.updates = 1
	neighbour := alone(marked(program{token, watch, sleep(1), within(0), mark(model.Done, 6), remember}), nil)
	neighbour.requests = 2
	other := neighbour.copy()
	other.nodes, other.requests = 2, 1
	return map[string]outcome{
		"what a process of the node writes is a change":     {false, 0, meanwhile(model.Elapsed, evict, onWatch, sleep(1), remember)},
		"it is not told before":                             {false, 0, meanwhile(model.Done, evict, onWatch, sleep(3), remember)},
		"at the very instant it is, perhaps":                {true, 0, meanwhile(model.Done, evict, onWatch, sleep(2), remember)},
		"what was written before the watch is none":         {false, 0, told(model.Done, token, remember, watch)},
		"nor what comes at that instant, perhaps":           {true, 0, meanwhile(model.Elapsed, evict, []instruction{sleep(1), watch}, sleep(1), remember)},
		"what the process itself writes is one":             {false, 0, told(model.Elapsed, token, watch, remember)},
		"also an equal value":                               {false, 0, told(model.Elapsed, token, remember, watch, remember)},
		"one that is refused is none":                       {false, 0, told(model.Done, token, remember, watch, first)},
		"the first of a variable is one":                    {false, 0, told(model.Elapsed, token, watch, first)},
		"emptying a variable is one":                        {false, 0, told(model.Elapsed, token, remember, watch, forget)},
		"not if it is empty":                                {false, 0, told(model.Done, token, watch, forget)},
		"nor if it contains something else":                 {false, 0, told(model.Done, token, remember, token, watch, instruction{verb: vForgetEq})},
		"changes that follow each other are told once":      {false, 0, told(model.Done, token, watch, remember, forget, within(1))},
		"a change in a store is none":                       {false, 0, told(model.Done, token, watch, instruction{verb: vSet})},
		"a watch of a store does not see variables":         {false, 0, told(model.Done, token, instruction{verb: vWatch}, remember)},
		"nor does a local one see those of other nodes":     {false, 0, elsewhere},
		"requests of a node see what the other writes":      {true, 0, neighbour},
		"what was written on the other node they do not":    {false, 0, other},
		"a partition keeps no change of a variable back":    {false, 0, meanwhile(model.Elapsed, partition, onWatch, sleep(1), remember)},
		"nor does a store that stands still":                {false, 0, meanwhile(model.Elapsed, storePause, onWatch, sleep(1), remember)},
		"nor is a local watch refused without a connection": {false, 0, meanwhile(model.Failed, disconnect, onWatch, sleep(1), remember)},
		"a watch that is closed sees nothing":               {false, 0, told(model.Done, token, watch, instruction{verb: vCloseLocal}, remember)},
		"a stop ends the wait for a variable":               {true, 0, alone(program{run, sleep(1), {verb: vStop}}, nil, seeing(model.Stopped, watch, instruction{verb: vNotice}))},
		"a cancellation does, too":                          {true, 1, struck(cancel, freely(seeing(model.Cancelled, watch, instruction{verb: vNotice}), 0, 1), nil)},
	}
}
