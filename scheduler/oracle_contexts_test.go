package scheduler_test

import (
	"slices"

	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// Contexts of the oracle below that of a request. A process opens one at most, and may do
// an instruction, or spawn, in it.
const (
	vWithCancel  verb = "WithCancel"
	vWithTimeout verb = "WithTimeout"
	vCancel      verb = "Cancel"
	vCancelled   verb = "Cancelled"
)

// scope is a context as a process knows it; by has a bit for each that ends it, itself and
// those above it. Once it is done none matters.
type scope struct {
	open, done bool
	by         int
}

// scopes are those of a process: that which it was spawned in, that which it has opened,
// and what its parent had.
type scopes struct {
	base, sub scope
	parents   [3]int
}

// timer ends a context of a family when it is as old as it may become.
type timer struct {
	family
	context, ttl, age int
}

// calledOff reports whether the context of the instruction is done.
func (p *process) calledOff(in instruction) bool {
	switch {
	case in.below && p.sub.open:
		return p.sub.done
	case p.base.open:
		return p.base.done
	}
	return p.cancelled
}

// opens lets p have a context below the one it is in, with a number.
func (p *process) opens(number int) {
	p.sub = scope{open: true, done: p.calledOff(instruction{})}
	if !p.sub.done {
		p.sub.by = p.base.by | 1<<number
	}
}

// begun returns the scopes of a process that p spawns.
func (p *process) begun(in instruction) scopes {
	s := scopes{base: p.base, parents: [3]int{p.sub.by, p.base.by, p.parents[0]}}
	if in.below && p.sub.open {
		s.base = p.sub
	}
	return s
}

func (p *process) refersTo() int {
	return p.base.by | p.sub.by | p.parents[0] | p.parents[1] | p.parents[2]
}

// context returns a number that no context of p's family has.
func (h processHost) context(p *process) int {
	used := p.refersTo()
	for i := range h.w.processes {
		if q := &h.w.processes[i]; q.family() == p.family() {
			used |= q.refersTo()
		}
	}
	n := 0
	for used&(1<<n) != 0 {
		n++
	}
	return n
}

func (s *symbol) context(*process) int { return 0 }

// endContext ends a context of a family and what is below it; every context if number is
// negative.
func (w *world) endContext(f family, number int) {
	ends := func(by int) bool { return number < 0 || by&(1<<number) != 0 }
	for i := range w.processes {
		p := &w.processes[i]
		if p.family() != f || p.phase == sent {
			continue
		}
		for _, s := range []*scope{&p.base, &p.sub} {
			if s.open && ends(s.by) {
				s.done, s.by = true, 0
			}
		}
		for k := range p.parents {
			if ends(p.parents[k]) {
				p.parents[k] = 0
			}
		}
		if p.phase == replying && p.seen.code == model.TimedOut && p.calledOff(w.waitsFor(p)) && p.cancellable(w.waitsFor(p)) {
			p.seen.code, p.age = model.Cancelled, 0
		}
	}
}

// forgetTimers drops those of contexts to which nobody refers.
func (w *world) forgetTimers() {
	w.timers = slices.DeleteFunc(slices.Clone(w.timers), func(t timer) bool {
		return !slices.ContainsFunc(w.processes, func(p process) bool {
			return p.family() == t.family && p.phase != ended && p.phase != sent && p.refersTo()&(1<<t.context) != 0
		})
	})
}

// timeouts adds the ends of contexts whose time is over. On a node that does not run none
// is.
func (w *world) timeouts(add adder) {
	for _, t := range w.timers {
		if t.age >= t.ttl && w.nodes[t.node].status == running {
			add(1, false, func(n *world, _ *successor) { n.endContext(t.family, t.context) })
		}
	}
}

func (w *world) mustTimeOut() bool {
	return slices.ContainsFunc(w.timers, func(t timer) bool { return t.age >= t.ttl && w.nodes[t.node].status == running })
}

// onContext is what an operation on a context does.
func (w *world) onContext(p *process, in instruction) seen {
	switch in.verb {
	case vWithTimeout:
		n := processHost{w}.context(p)
		p.opens(n)
		if !p.sub.done {
			w.timers = append(slices.Clone(w.timers), timer{p.family(), n, in.ttl, 0})
		}
	case vCancel:
		if !p.sub.done {
			// Its own number is the highest among those that end it.
			own := p.sub.by &^ p.base.by
			for n := range mostProcesses {
				if own == 1<<n {
					w.endContext(p.family(), n)
				}
			}
		}
	case vCancelled:
		return seen{code: pick(p.calledOff(in), model.Cancelled, model.Done)}
	}
	return seen{code: model.Done}
}

// client is that through which the engine does the instruction.
func (l *tinyLocals) client(c *protocol.Client, in instruction) *protocol.Client {
	if in.below && l.sub != nil {
		return l.sub
	}
	return c
}

// context does what the instruction says if it is an operation on a context.
func (l *tinyLocals) context(c *protocol.Client, in instruction) (model.Code, bool) {
	switch in.verb {
	case vWithTimeout:
		l.sub, l.cancel = c.WithTimeout(ticks(in.ttl))
	case vCancel:
		l.cancel()
	case vCancelled:
		return pick(c.Cancelled(), model.Cancelled, model.Done), true
	default:
		return 0, false
	}
	return model.Done, true
}

// contextPrograms draws work that is given up with its context, and what comes after it.
func contextPrograms(t *rapid.T) programs {
	a, b := span(t, 0, 2)
	open := oneOf(t, instruction{verb: vWithCancel}, instruction{verb: vWithTimeout, ttl: between(t, 1, 3)}, instruction{verb: vWithTimeout, ttl: between(t, 1, 3)})
	p := program{
		{verb: vToken, v: 0},
		open,
		{verb: vSetNX, key: keyLock, v: 0, ttl: oneOf(t, 0, 2, 3), below: chance(t, 50)},
		{verb: vIf, code: model.Refused, to: 9},
		{verb: vAcquired, key: keyLock},
		{verb: vGo, n: firstChild, below: chance(t, 70)},
		{verb: oneOf(t, vCompute, vSleep), min: a, max: b, below: chance(t, 60)},
		{verb: vSet, key: keyCache, v: 0, below: chance(t, 40)},
		oneOf(t, instruction{verb: vCancel}, instruction{verb: vCancelled, below: true}, instruction{verb: vStop}),
		{verb: vReleasing, key: keyLock},
		{verb: oneOf(t, vDelEq, vDelEq, vDel), key: keyLock, v: 0},
	}
	for chance(t, 45) {
		p = p.with(between(t, 2, len(p)-1), oneOf(t,
			instruction{verb: vIf, code: model.Cancelled, to: len(p)}, instruction{verb: vCancelled, below: chance(t, 50)}, instruction{verb: vCancel},
			instruction{verb: vSleep, max: 1, below: true}, instruction{verb: vRead, v: 1, below: true}, instruction{verb: vWait, v: 2}))
	}
	c, d := span(t, 0, 2)
	child := program{
		{verb: oneOf(t, vSleep, vCompute), min: c, max: d},
		oneOf(t, instruction{verb: vIf, code: model.Cancelled, to: 4}, instruction{verb: vCancelled}, instruction{verb: vWithTimeout, ttl: 1}),
		{verb: oneOf(t, vSet, vExpireEq, vDelEq), key: keyLock, v: 0, ttl: oneOf(t, 0, 1), below: chance(t, 30)},
		{verb: oneOf(t, vCancelled, vCancel)},
	}
	return programs{p, nil, child}
}

func drawContexts(t *rapid.T, s *setting) {
	s.programs = contextPrograms(t)
	s.programs[updateProgram] = updateProgramOf(t)
	s.small(t)
	if chance(t, 35) {
		s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
		s.budget[oneOf(t, cancel, cancel, lostReply, restart, starve)] = 1
		s.outage, s.timeout, s.downLeast, s.downLongest = 1, between(t, 0, 1), 0, 1
	}
}

// contextOutcomes are cases of it.
func contextOutcomes() map[string]outcome {
	token, open, run := instruction{verb: vToken}, instruction{verb: vWithCancel}, instruction{verb: vGo, n: firstChild}
	cancels, set, get := instruction{verb: vCancel}, instruction{verb: vSet}, instruction{verb: vGet, v: 2}
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	limit := func(n int) instruction { return instruction{verb: vWithTimeout, ttl: n} }
	asks := instruction{verb: vCancelled}
	in := func(i instruction) instruction {
		i.below = true
		return i
	}
	plain := func(code model.Code, ps ...instruction) *setting { return alone(seeing(code, ps...), nil) }
	child := func(p program, ps ...instruction) *setting { return alone(p, nil, program(ps)) }
	paused := plain(model.Cancelled, token, limit(2), sleep(1), in(set))
	paused.pauses, paused.pauseMax = 1, 1
	return map[string]outcome{
		"what is begun in a context that is cancelled has no effect": {false, 0, plain(model.Found, token, open, cancels, in(set), get)},
		"it is told so":                                        {false, 0, plain(model.Done, token, open, cancels, in(set))},
		"the rest of the request goes on":                      {false, 0, plain(model.Cancelled, token, open, cancels, set)},
		"a context can be asked":                               {false, 0, plain(model.Done, open, cancels, in(asks))},
		"that of the request is not done":                      {false, 0, plain(model.Cancelled, open, cancels, asks)},
		"a context that nobody cancels is not done":            {false, 0, plain(model.Cancelled, open, sleep(9), in(asks))},
		"one whose time is over is":                            {false, 0, plain(model.Done, limit(2), sleep(3), in(asks))},
		"not before":                                           {false, 0, plain(model.Cancelled, limit(2), sleep(1), in(asks))},
		"at the very instant it may be":                        {true, 0, plain(model.Cancelled, limit(2), sleep(2), in(asks))},
		"or may not":                                           {true, 0, plain(model.Done, limit(2), sleep(2), in(asks))},
		"a sleep ends with its context":                        {true, 0, plain(model.Cancelled, limit(1), in(sleep(3)))},
		"always":                                               {false, 0, plain(model.Done, limit(1), in(sleep(3)))},
		"a process that was spawned in it ends its sleep, too": {false, 0, child(program{open, in(run), sleep(1), cancels}, seeing(model.Done, sleep(2))...)},
		"one that was spawned beside it goes on":               {false, 0, child(program{open, run, sleep(1), cancels}, seeing(model.Cancelled, sleep(2), asks)...)},
		"a context below ends with the one above":              {false, 0, child(program{open, in(run), cancels}, seeing(model.Done, limit(9), sleep(1), in(asks))...)},
		"but not the other way round":                          {false, 0, child(program{open, in(run)}, seeing(model.Cancelled, open, cancels, asks)...)},
		"a request that is cancelled ends all":                 {true, 1, struck(cancel, freely(seeing(model.Cancelled, open, sleep(1), in(asks)), 1, 2), nil)},
		"a pause lets the time run on, and what comes is late": {true, 1, paused},
	}
}
