package scheduler_test

import (
	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// A variable in the memory of a node.
const (
	vRemember   verb = "Memory.Set"
	vRememberNX verb = "Memory.SetNX"
	vRecall     verb = "Memory.Get"
)

const tinyVariable = "variable"

// recalls reports whether the instruction is about the variable.
func (in instruction) recalls() bool {
	switch in.verb {
	case vRemember, vRememberNX, vRecall, vForget, vForgetEq:
		return true
	}
	return false
}

// recall is what such an instruction does.
func (w *world) recall(p *process, in instruction) seen {
	if in.verb == vForget || in.verb == vForgetEq {
		return w.forget(p, in)
	}
	variable := &w.nodes[p.node].variable
	there := variable.Kind != model.KindNone
	switch {
	case in.verb == vRecall:
		return seen{code: pick(there, model.Found, model.Missing), value: *variable}
	case in.verb == vRememberNX && there:
		return seen{code: model.Refused}
	}
	*variable = p.v[in.v]
	w.tellNode(p.node)
	return seen{code: model.Done}
}

func (l *tinyLocals) recall(c *protocol.Client, in instruction) {
	switch in.verb {
	case vRecall:
		v, ok := c.Memory.Get(tinyVariable)
		l.v[in.v], l.last = v, pick(ok, model.Found, model.Missing)
	case vRemember:
		c.Memory.Set(tinyVariable, l.v[in.v])
		l.last = model.Done
	case vRememberNX:
		l.last = pick(c.Memory.SetNX(tinyVariable, l.v[in.v]), model.Done, model.Refused)
	case vForget:
		l.last = pick(c.Memory.Del(tinyVariable), model.Done, model.Missing)
	case vForgetEq:
		l.last = ownerCode(c.Memory.DelIfEqual(tinyVariable, l.v[in.v]))
	}
}

// memoryPrograms draws requests that share what they have read, or a token, on their node.
func memoryPrograms(t *rapid.T) programs {
	a, b := span(t, 0, 2)
	p := program{
		{verb: vRecall, v: 1},
		{verb: vIf, code: model.Found, to: 5},
		{verb: vRead, v: 1},
		{verb: vCompute, min: a, max: b},
		{verb: oneOf(t, vRemember, vRememberNX), v: 1},
		{verb: vSet, key: keyCache, v: 1},
		{verb: vReturn},
	}
	if chance(t, 50) {
		p = program{
			{verb: vToken, v: 0},
			{verb: oneOf(t, vRememberNX, vRememberNX, vRemember), v: 0},
			{verb: vRecall, v: 2},
			{verb: vSetNX, key: keyLock, v: 2, ttl: oneOf(t, 0, 1, 2)},
			{verb: vIf, code: model.Refused, to: 8},
			{verb: vAcquired, key: keyLock},
			{verb: vCompute, min: a, max: b},
			{verb: vReleasing, key: keyLock},
			{verb: oneOf(t, vDelEq, vDelEq, vDel), key: keyLock, v: oneOf(t, 0, 2)},
		}
	}
	if chance(t, 40) {
		p = p.with(between(t, 1, 4), instruction{verb: vGo, n: firstChild})
	}
	for chance(t, 40) {
		p = p.with(between(t, 1, len(p)-1), oneOf(t, instruction{verb: vRecall, v: 2}, instruction{verb: vRemember, v: 1}, instruction{verb: vRememberNX, v: 2}, instruction{verb: vSleep, max: 1}, instruction{verb: vRead, v: 1}))
	}
	return programs{p, nil, {{verb: vSleep, max: oneOf(t, 0, 1, 2)}, {verb: vRecall, v: 3}, {verb: oneOf(t, vSet, vDelEq, vExpireEq), key: keyLock, v: 3, ttl: 1}}}
}

func drawMemory(t *rapid.T, s *setting) {
	s.programs = memoryPrograms(t)
	s.programs[updateProgram] = updateProgramOf(t)
	s.small(t)
	if s.nodes == 2 && chance(t, 60) {
		s.nodes, s.requests = 1, 2
	}
	if chance(t, 20) {
		s.budget[restart], s.downLeast, s.downLongest = 1, 0, 1
	}
}

// memoryOutcomes are cases of it.
func memoryOutcomes() map[string]outcome {
	token, run := instruction{verb: vToken}, instruction{verb: vGo, n: firstChild}
	remember, recall := instruction{verb: vRemember}, instruction{verb: vRecall, v: 2}
	sleep := instruction{verb: vSleep, min: 1, max: 1}
	two := func(code model.Code, spawned ...instruction) *setting {
		return alone(seeing(code, token, run, sleep, recall), nil, program(spawned))
	}
	across := alone(marked(program{recall, {verb: vIf, code: model.Found, to: 5}, token, remember}), nil)
	across.nodes = 2
	same := across.copy()
	same.nodes, same.requests = 1, 2
	// after is a request that looks for what an earlier one has remembered, which tells by
	// the store that it has.
	after := alone(marked(program{{verb: vGet, key: keyOther, v: 3}, {verb: vIf, code: model.Found, to: 6}, token, remember, {verb: vSet, key: keyOther}, {verb: vReturn}, recall, mark(model.Missing, 8)}), nil)
	after.requests = 2
	between := after.copy()
	between.budget[restart] = 1
	return map[string]outcome{
		"it lasts when a request is over":                {false, 0, after},
		"unless the node starts again, also between two": {true, 1, between},
		"what one process remembers another recalls":     {false, 0, two(model.Missing, remember)},
		"what nobody does not":                           {false, 0, two(model.Found, token)},
		"what is remembered first stays":                 {false, 0, alone(seeing(model.Done, token, remember, instruction{verb: vRememberNX}), nil)},
		"requests of a node share it":                    {true, 0, same},
		"those of others do not":                         {false, 0, across},
	}
}
