package scheduler_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// Nodes of the oracle may do something when they start: nothing else of a node comes before
// that has returned, and after a restart it is done again.

// bootProgram is what they do.
const bootProgram = secondProgram + 1

// boots reports whether the process is the start of its node.
func (p *process) boots() bool { return p.root && p.program == bootProgram }

// held reports whether the process cannot arrive, since its node has not started. What
// nodes without a start have does not.
func (w *world) held(p *process) bool {
	if p.phase != waiting || p.boots() {
		return false
	}
	for i := range w.processes {
		if q := &w.processes[i]; q.node == p.node && q.boots() && q.phase != ended && q.phase != sent {
			return true
		}
	}
	return false
}

// renews reports whether a restart of a node changes anything although nothing is going on
// there: it loses what it remembers, or starts again.
func (w *world) renews(node int) bool {
	h := w.nodes[node]
	if h.status == crashed || h.status == down {
		return false
	}
	if w.set.boots && node < w.set.services() {
		return !slices.ContainsFunc(w.processes, func(p process) bool { return p.node == node && p.boots() && p.phase != ended && p.phase != sent })
	}
	return h.locked || h.signals > 0 || h.variable.Kind != model.KindNone
}

// reboot lets a node start that has been down.
func (w *world) reboot(node int) {
	if !w.set.boots || node >= w.set.services() {
		return
	}
	boot := process{node: node, root: true, program: bootProgram}
	for i := range w.processes {
		if p := &w.processes[i]; p.node == node {
			boot.request = max(boot.request, p.request+1)
		}
	}
	w.processes = append(w.processes, boot)
	w.step(len(w.processes)-1, func(*process) {})
}

// bootingTiny is tiny with something to do at the start.
type bootingTiny struct {
	Tick time.Duration `help:"the tick"`
	tiny tiny
}

func (p bootingTiny) Handle(c *protocol.Client) protocol.Answer { return p.tiny.Handle(c) }
func (p bootingTiny) Update(c *protocol.Client)                 { p.tiny.Update(c) }
func (p bootingTiny) Job(c *protocol.Client)                    { p.tiny.Job(c) }

// Boot is the start of a node.
func (p bootingTiny) Boot(c *protocol.Client) { p.tiny.run(c, bootProgram, tinyLocals{}) }

// protocol is the protocol of the nodes whose requests run the program.
func (s *setting) protocol(handle int) protocol.Protocol {
	p := tiny{Tick: tick, programs: s.programs, handle: handle, independent: s.independent}
	if s.boots {
		return bootingTiny{tick, p}
	}
	return p
}

// bootPrograms draws what a start does: it sweeps what an earlier one left behind, fills
// the cache, prepares what requests use, or lets a process run beside them.
func bootPrograms(t *rapid.T) programs {
	a, b := span(t, 0, 2)
	ps := leasePrograms(t)
	ps = append(ps, nil, nil)
	switch between(t, 0, 3) {
	case 0:
		ps[bootProgram] = program{
			{verb: vGet, key: keyLock, v: 2},
			{verb: vIf, code: model.Missing, to: 4},
			{verb: vSleep, min: a, max: b},
			oneOf(t, instruction{verb: vDelEq, key: keyLock, v: 2}, instruction{verb: vDel, key: keyLock}),
		}
	case 1:
		ps[bootProgram] = program{
			{verb: vRead, v: 1},
			{verb: vCompute, min: a, max: b},
			{verb: vSet, key: keyCache, v: 1, valueTTL: chance(t, 60)},
		}
	case 2:
		// The token of the node, which its requests use for theirs.
		ps[bootProgram] = program{{verb: vToken, v: 0}, {verb: vSleep, min: a, max: b}, {verb: vRemember, v: 0}}
		for i, in := range ps[handleProgram] {
			if in.verb == vToken {
				ps[handleProgram][i] = instruction{verb: vRecall, v: 0}
			}
		}
	case 3:
		ps[bootProgram] = program{
			{verb: vToken, v: 0},
			{verb: vSetNX, key: keyLock, v: 0, ttl: oneOf(t, 0, 1, 2)},
			{verb: vIf, code: model.Refused, to: 5},
			{verb: vAcquired, key: keyLock},
			{verb: vGo, n: firstChild},
			{verb: vReturn},
		}
	}
	for chance(t, 35) {
		ps[bootProgram] = mutate(t, ps[bootProgram])
	}
	return ps
}

func drawBoots(t *rapid.T, s *setting) {
	s.programs = bootPrograms(t)
	s.programs[updateProgram] = updateProgramOf(t)
	s.small(t)
	s.boots, s.patience = true, -1
	switch {
	case s.nodes == 1 && chance(t, 50):
		s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
		s.budget[restart], s.downLeast, s.downLongest = 1, 0, oneOf(t, 0, 1)
	case s.nodes == 1 && chance(t, 40):
		s.requests, s.updates, s.jobs = 1, 0, 1
		s.programs[secondProgram] = program{
			{verb: vGet, key: keyLock, v: 2},
			oneOf(t, instruction{verb: vDelEq, key: keyLock, v: 2}, instruction{verb: vDel, key: keyCache}, instruction{verb: vRecall, v: 1}),
		}
	case s.nodes == 2 && chance(t, 20):
		s.nodes, s.others = 1, 1
		s.programs[secondProgram] = mutate(t, append(program(nil), s.programs[handleProgram]...))
	}
	if s.nodes == 2 {
		s.latMax = 0
	}
}

// bootOutcomes are cases of it.
func bootOutcomes() map[string]outcome {
	token, remember, recall := instruction{verb: vToken}, instruction{verb: vRemember}, instruction{verb: vRecall, v: 2}
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	push, pop := instruction{verb: vPush, key: keyList}, instruction{verb: vPop, key: keyList}
	// starting is a node that starts so and then serves a request.
	starting := func(boot, request program, child ...instruction) *setting {
		s := alone(request, nil, child, nil, boot)
		s.boots = true
		return s
	}
	with := func(s *setting, change func(s *setting)) *setting {
		change(s)
		return s
	}
	restarts := func(s *setting) { s.budget[restart] = 1 }
	within := func(window int) func(*setting) { return func(s *setting) { s.window = window } }
	prepare := program{sleep(1), token, remember}
	unprepared := seeing(model.Missing, recall)
	job := with(starting(prepare, nil), func(s *setting) { s.jobs, s.programs[secondProgram] = 1, unprepared })
	other := with(starting(prepare, nil), func(s *setting) { s.others, s.programs[secondProgram] = 1, unprepared })
	// twice is a request that finds what two starts have left.
	twice := func() program {
		return seeing(model.Done, pop, instruction{verb: vIf, code: model.Done, to: 3}, instruction{verb: vReturn}, pop)
	}
	// looking is a node that starts while an update looks for what that does.
	looking := func() *setting {
		return with(starting(program{token, {verb: vSet}}, nil), func(s *setting) {
			s.updates, s.programs[updateProgram] = 1, seeing(model.Missing, sleep(1), instruction{verb: vGet, v: 2})
		})
	}
	// late is a node that takes five ticks to start, and a request that looks for what has
	// been there for so long.
	late := func(ttl int) *setting {
		return with(starting(program{token, {verb: vSet, ttl: ttl}, sleep(5)}, seeing(model.Missing, instruction{verb: vGet, v: 2})), within(2))
	}
	spawn := instruction{verb: vGo, n: firstChild}
	// having is a process that comes to its mark if it takes the element and has a token.
	having := seeing(model.Done, sleep(1), pop, instruction{verb: vIf, code: model.Missing, to: 6}, instruction{verb: vGet, v: 2}, instruction{verb: vSetXX})
	return map[string]outcome{
		"what it has spawned is told from what a request has": {true, 0, starting(program{token, {verb: vSet}, spawn}, program{push, spawn}, having...)},
		"no request comes before the start is over":           {false, 0, starting(prepare, unprepared)},
		"nor does a job": {false, 0, job},
		"nor a request of a node that does something else":     {false, 0, other},
		"nor one after a restart":                              {false, 0, with(starting(prepare, unprepared), restarts)},
		"what a start has spawned goes on beside them":         {true, 0, starting(program{token, spawn}, unprepared, sleep(1), remember)},
		"a start comes once":                                   {false, 0, starting(program{push, sleep(1)}, twice())},
		"and again after a restart":                            {true, 1, with(starting(program{push, sleep(1)}, twice()), restarts)},
		"a node that has nothing else to do starts again, too": {true, 1, with(starting(marked(program{pop, mark(model.Done, 3), push}), nil), restarts)},
		"an update does nothing when it starts": {false, 0, with(starting(program{push}, seeing(model.Done, sleep(9), pop, pop)), func(s *setting) {
			s.updates, s.programs[updateProgram], s.window = 1, program{sleep(1)}, 0
			restarts(s)
		})},
		"with an empty memory":                             {false, 0, with(starting(seeing(model.Found, token, recall, instruction{verb: vIf, code: model.Found, to: 6}, remember, sleep(1)), nil), restarts)},
		"a node may never start":                           {true, 0, looking()},
		"within a window it does":                          {false, 0, with(looking(), within(0))},
		"a window for requests begins when it has started": {true, 0, late(7)},
		"and is no longer than it says":                    {false, 0, late(8)},
		"a start that fails is over, too":                  {true, 1, with(starting(program{{verb: vCompute, max: 1}, token, remember}, unprepared), func(s *setting) { s.budget[panics] = 1 })},
	}
}
