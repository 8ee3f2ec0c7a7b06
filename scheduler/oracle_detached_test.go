package scheduler_test

import (
	"slices"

	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// Operations that go on if the request is cancelled: only they let a process show what it
// has learned from a cancellation.

// without runs fn, in which operations go on if so asked.
func without(c *protocol.Client, detached bool, fn func()) {
	if !detached {
		fn()
		return
	}
	c.WithoutCancel(fn)
}

// cancellable reports whether the process gives up the instruction when its request is
// cancelled.
func (p *process) cancellable(in instruction) bool {
	return in.cancellable() && !in.detached && !p.detached
}

// drawDetached lets requests be cancelled, and what they do go on in part.
func drawDetached(t *rapid.T, s *setting) {
	s.small(t)
	for _, p := range s.programs {
		for i := range p {
			p[i].detached = chance(t, 50)
		}
	}
	s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
	s.budget[cancel] = 1
	if s.nodes*s.requests == 1 && chance(t, 40) {
		s.budget[between(t, 0, int(clockForward)-1)]++
	}
	s.lag, s.outage, s.timeout, s.late, s.step = 1, between(t, 1, 2), between(t, 0, 1), 1, 1
}

// freely is a program of which all goes on, its mark as well, but for the instructions
// given by their places.
func freely(p program, but ...int) program {
	p = slices.Clone(p)
	for i := range p {
		p[i].detached = true
	}
	for _, i := range but {
		p[i].detached = false
	}
	return p
}

// detachedOutcomes are cases of it.
func detachedOutcomes() map[string]outcome {
	sleep, run := instruction{verb: vSleep, min: 1, max: 1}, instruction{verb: vGo, n: firstChild}
	// looking is a request that looks for what it has written, if that was cancelled.
	looking := func(code model.Code) program {
		return seeing(code, instruction{verb: vToken}, instruction{verb: vSet}, instruction{verb: vIf, code: model.Cancelled, to: 4}, instruction{verb: vReturn}, instruction{verb: vGet, v: 2})
	}
	begun := seeing(model.Found, instruction{verb: vToken}, sleep, instruction{verb: vIf, code: model.Cancelled, to: 4}, instruction{verb: vReturn}, instruction{verb: vSet}, instruction{verb: vGet, v: 2})
	child := func() program { return freely(seeing(model.Cancelled, sleep), 0) }
	return map[string]outcome{
		"what was under way may have had its effect": {true, 1, struck(cancel, freely(looking(model.Found), 1), nil)},
		"or none":                       {true, 1, struck(cancel, freely(looking(model.Missing), 1), nil)},
		"what goes on is not cancelled": {false, 0, struck(cancel, freely(looking(model.Found)), nil)},
		"what begins after a cancellation has no effect": {false, 0, struck(cancel, freely(begun, 1, 4), nil)},
		"unless it goes on":                        {true, 1, struck(cancel, freely(begun, 1), nil)},
		"a cancellation reaches a spawned process": {true, 1, struck(cancel, program{run, sleep}, nil, child())},
		"but not one that goes on":                 {false, 0, struck(cancel, freely(program{run, sleep}), nil, child())},
	}
}
