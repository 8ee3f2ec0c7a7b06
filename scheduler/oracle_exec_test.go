package scheduler_test

import (
	"time"

	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// vExec writes a value in one step, if the watch of the process has seen no change, and
// tells whether there was one before.
const vExec verb = "Exec"

// exec is what it does. The watch ends, either way.
func (w *world) exec(p *process, in instruction, s *successor) seen {
	changed := p.watch.changed
	p.watch = watching{}
	if changed {
		return seen{code: model.Refused}
	}
	before := w.entries[in.key].value
	w.onEntry(p, in, model.Operation{Kind: model.Set, TTL: model.Ticks(in.ttl)}, s)
	w.tell(1<<in.key, false)
	return seen{code: execCode(before.Kind != model.KindNone)}
}

func execCode(there bool) model.Code { return pick(there, model.Found, model.Done) }

// unable reports whether the instruction is none for a process with such a watch.
func (in instruction) unable(hasWatch, ofCache bool) bool {
	return in.verb == vExec && (!hasWatch || tinyKeys[in.key].cache != ofCache)
}

// learnsExec is what the code of a process knows after one.
func (p *process) learnsExec(in instruction, code model.Code) {
	if in.verb == vExec && (code == model.Done || code == model.Found || code == model.Refused) {
		p.closed = true
	}
}

// ofExec is what the program sees of what the engine tells it.
func ofExec(in instruction, o model.Observation, l scheduler.Learner) (model.Code, bool) {
	if in.verb != vExec || o.Code() != model.Result {
		return 0, false
	}
	there, _ := l.Result(o.Class()).(bool)
	return execCode(there), true
}

// tinyWrite are the arguments of it where the engine runs it.
type tinyWrite struct {
	Key   string
	Value protocol.Value
	TTL   time.Duration
}

func tinyExec(v *protocol.View, w tinyWrite) bool {
	_, there := v.Get(w.Key)
	if w.TTL > 0 {
		v.Set(w.Key, w.Value, protocol.PX(w.TTL))
	} else {
		v.Set(w.Key, w.Value)
	}
	return there
}

func (l *tinyWaits) exec(v protocol.Value, in instruction) model.Code {
	there, done, err := protocol.Exec(l.watch, tinyWrite{tinyKeys[in.key].name, v, in.ticks(in.ttl)}, tinyExec)
	l.closed = l.closed || err == nil
	return errorCode(err, pick(done, execCode(there), model.Refused))
}

// execPrograms draws a lock that is taken, or a value that is cached, if nobody came
// between the look and the write.
func execPrograms(t *rapid.T) programs {
	watch := instruction{verb: oneOf(t, vWatch, vWatch, vWatchWrites, vWatchWrites), n: oneOf(t, 0, 0, 1<<keyOther)}
	a, b := span(t, 0, 2)
	p := program{
		{verb: vToken, v: 0},
		watch,
		{verb: vGet, v: 2},
		{verb: vIf, code: model.Found, to: 12},
		{verb: oneOf(t, vCompute, vSleep), min: a, max: b},
		{verb: vExec, v: 0, ttl: oneOf(t, 0, 1, 1, 2, 3)},
		{verb: vIf, code: oneOf(t, model.Refused, model.Refused, model.Found), to: 12},
		{verb: vAcquired},
		{verb: vCompute, min: 0, max: oneOf(t, 0, 1, 2)},
		{verb: vReleasing},
		{verb: oneOf(t, vDelEq, vDelEq, vDel, vExpireEq), v: 0, ttl: 1},
		{verb: vReturn},
		{verb: vRetry, to: oneOf(t, 1, 1, 2), n: oneOf(t, 0, 1)},
	}
	if chance(t, 40) {
		// A value that the watch keeps fresh.
		watch.key = keyCache
		p = program{
			watch,
			{verb: vRead, v: 1},
			{verb: vCompute, min: a, max: b},
			{verb: vExec, key: keyCache, v: 1, ttl: oneOf(t, 0, 0, 1, 2)},
			{verb: vIf, code: model.Refused, to: 6},
			{verb: vReturn},
			{verb: vRetry, to: 0, n: oneOf(t, 0, 1)},
		}
	}
	if chance(t, 30) {
		p = p.with(between(t, 2, 4), instruction{verb: vGo, n: firstChild})
	}
	if chance(t, 25) {
		p = p.with(between(t, 1, len(p)-2), oneOf(t, instruction{verb: vExec, key: keyOther, v: 0}, instruction{verb: vClose}, instruction{verb: vNoticeWithin}, watch))
	}
	for chance(t, 25) {
		p = mutateWith(t, p, waitLine)
	}
	child := program{oneOf(t, instruction{verb: vSleep, max: 2}, watch), oneOf(t, instruction{verb: vDel}, instruction{verb: vSet, v: 0, ttl: 1}, instruction{verb: vExec, v: 0, ttl: 1})}
	return programs{p, nil, child}
}

func drawExec(t *rapid.T, s *setting) {
	s.programs = execPrograms(t)
	s.programs[updateProgram] = updateProgramOf(t)
	s.small(t)
}

// execOutcomes are cases of it.
func execOutcomes() map[string]outcome {
	token, run := instruction{verb: vToken}, instruction{verb: vGo, n: firstChild}
	watch, writes := instruction{verb: vWatch}, instruction{verb: vWatchWrites}
	exec := instruction{verb: vExec, key: keyOther}
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	// meanwhile is a request that watches, while another process does something, and then
	// writes and comes to its mark if that has the outcome.
	meanwhile := func(code model.Code, watch instruction, others ...instruction) *setting {
		return alone(seeing(code, token, instruction{verb: vSet, ttl: 2}, watch, run, sleep(1), exec), nil, program(others))
	}
	set := instruction{verb: vSet}
	return map[string]outcome{
		"nobody has come between":                        {false, 0, meanwhile(model.Refused, watch, instruction{verb: vGet, v: 1})},
		"somebody has":                                   {false, 0, meanwhile(model.Done, watch, set, sleep(5))},
		"at the very instant, perhaps":                   {true, 0, meanwhile(model.Done, watch, sleep(1), set)},
		"or not":                                         {true, 0, meanwhile(model.Refused, watch, sleep(1), set)},
		"an expiry counts":                               {false, 0, alone(seeing(model.Done, token, instruction{verb: vSet, ttl: 1}, watch, sleep(2), exec), nil)},
		"unless only writes do":                          {false, 0, alone(seeing(model.Refused, token, instruction{verb: vSet, ttl: 1}, writes, sleep(2), exec), nil)},
		"an eviction counts for all":                     {true, 1, struck(evict, seeing(model.Refused, token, set, writes, exec), nil)},
		"the watch ends, and what follows is done":       {false, 0, alone(seeing(model.Refused, token, watch, exec, set, exec), nil)},
		"also if it was refused":                         {false, 0, alone(seeing(model.Refused, token, watch, set, exec, set, exec), nil)},
		"an error of the store leaves the watch":         {true, 1, struck(storeError, seeing(model.Refused, token, watch, exec, set, exec), nil)},
		"what it writes is seen by those who watch that": {true, 0, alone(program{token, watch, run, sleep(1), exec}, nil, seeing(model.Done, instruction{verb: vWatch, key: keyOther}, instruction{verb: vNoticeWithin, ttl: 1}))},
	}
}
