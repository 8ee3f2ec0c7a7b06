package scheduler_test

import (
	"pgregory.net/rapid"
	"slices"

	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Nodes of the oracle may have a job beside their requests, and some may run another
// program than the others.

// secondProgram is that of jobs, and of the requests of other nodes.
const secondProgram = firstChild + 1

// staffing is how many of them there are in a setting.
type staffing struct {
	jobs   int // on each node
	others int // nodes
	boots  bool
	// endless: another request comes after each one that has returned, or is lost with its
	// node.
	endless bool
	// independent: their stores are.
	independent bool
}

// services returns how many nodes serve requests.
func (s *setting) services() int { return s.nodes + s.others }

// asksAgain lets another request come for each of those that are gone. The requests of a node
// are then numbered anew, in the order in which they came.
func (w *world) asksAgain(gone []process) {
	if !w.set.endless {
		return
	}
	for _, p := range gone {
		if !p.root || p.job || p.boots() || p.node >= w.set.services() {
			continue
		}
		next := 0
		for _, q := range w.processes {
			if q.node == p.node {
				next = max(next, q.request+1)
			}
		}
		at := 0
		for at < len(w.processes) && w.processes[at].node <= p.node {
			at++
		}
		// Whatever the request that is gone has left is nobody's.
		next = max(next, p.request+1)
		w.processes = slices.Insert(w.processes, at, process{node: p.node, request: next, root: true, program: p.program})
	}
	numbers := map[family]int{}
	last := family{-1, -1}
	for i := range w.processes {
		f := w.processes[i].family()
		if f.node != last.node {
			last = family{f.node, -1}
		}
		if _, known := numbers[f]; !known {
			last.request++
			numbers[f] = last.request
		}
		w.processes[i].request = numbers[f]
	}
	for k, f := range w.owners {
		if n, lives := numbers[f]; lives {
			w.owners[k].request = n
		} else {
			w.owners[k] = noFamily
		}
	}
	for k, t := range w.timers {
		w.timers[k].request = numbers[t.family]
	}
}

// roots returns the processes with which a node begins.
func (s *setting) roots(node int) []process {
	if node >= s.services() {
		return []process{{node: node, root: true, program: updateProgram}}
	}
	program := handleProgram
	if node >= s.nodes {
		program = secondProgram
	}
	var all []process
	for r := range s.requests {
		all = append(all, process{node: node, request: r, root: true, program: program})
	}
	for k := range s.jobs {
		all = append(all, process{node: node, request: s.requests + k, root: true, program: secondProgram, job: true})
	}
	if s.boots {
		all = append(all, process{node: node, request: s.requests + s.jobs, root: true, program: bootProgram})
	}
	return all
}

// Job is one run of the job.
func (p tiny) Job(c *protocol.Client) { p.run(c, secondProgram, tinyLocals{}) }

// staff gives the scenario of the engine the same.
func (s *setting) staff(c *scheduler.Scenario) {
	c.Jobs, c.Endless = s.jobs, s.endless
	if s.others > 0 {
		c.Others = []scheduler.Other{{Protocol: s.protocol(secondProgram), Nodes: s.others}}
	}
}

// rolePrograms are the programs of the engine's roles.
func rolePrograms() map[model.ProgramID]int {
	return map[model.ProgramID]int{
		model.ProgramOf(model.Request, 0): handleProgram, model.ProgramOf(model.Update, 0): updateProgram,
		model.ProgramOf(model.Job, 0): secondProgram, model.ProgramOf(model.Request, 1): secondProgram,
		model.ProgramOf(model.Boot, 0): bootProgram, model.ProgramOf(model.Boot, 1): bootProgram,
	}
}

// drawRoles gives a setting jobs that interfere with its requests, or nodes with another
// program: the same with something changed, as in a rolling upgrade.
func drawRoles(t *rapid.T, s *setting) {
	s.programs = leasePrograms(t)
	s.programs[updateProgram] = updateProgramOf(t)
	s.small(t)
	s.nodes, s.requests, s.updates, s.patience = 1, 1, 0, -1
	if chance(t, 50) {
		s.others = 1
		other := mutate(t, append(program(nil), s.programs[handleProgram]...))
		s.programs = append(s.programs, mutate(t, other))
		return
	}
	s.jobs = 1
	if chance(t, 25) {
		s.nodes = 2
	}
	s.programs = append(s.programs, program{
		{verb: vCheckpoint, n: 1},
		{verb: vGet, key: keyLock, v: 2},
		{verb: vIf, code: oneOf(t, model.Missing, model.Missing, model.Cancelled), to: 5},
		{verb: vSleep, min: 0, max: oneOf(t, 0, 1, 2)},
		oneOf(t, instruction{verb: vDelEq, key: keyLock, v: 2}, instruction{verb: vDel, key: keyLock}, instruction{verb: vExpireEq, key: keyLock, v: 2, ttl: 1}, instruction{verb: vDel, key: keyCache}),
		oneOf(t, instruction{verb: vReturn}, instruction{verb: vGoto, to: 0}, instruction{verb: vAgain}),
	})
}

// drawEndless lets requests come without end.
func drawEndless(t *rapid.T, s *setting) {
	s.small(t)
	s.endless, s.window, s.patience = true, -1, -1
}

// roleOutcomes are cases of it.
func roleOutcomes() map[string]outcome {
	token, set, get := instruction{verb: vToken}, instruction{verb: vSet}, instruction{verb: vGet, v: 2}
	with := func(r staffing, window int, ps ...program) *setting {
		s := alone(ps...)
		s.staffing, s.window = r, window
		return s
	}
	return map[string]outcome{
		"a job comes at any time":        {true, 0, with(staffing{jobs: 1}, -1, seeing(model.Found, get), nil, nil, program{token, set})},
		"or never, also within a window": {true, 0, with(staffing{jobs: 1}, 0, seeing(model.Missing, instruction{verb: vSleep, min: 5, max: 5}, get), nil, nil, program{token, set})},
		"without one nothing is done":    {false, 0, with(staffing{}, -1, seeing(model.Found, get), nil, nil, program{token, set})},
		"other nodes do something else":  {true, 0, with(staffing{others: 1}, -1, seeing(model.Found, get), nil, nil, program{token, set})},
		"what a job has spawned is told from what a request has": {true, 0, with(staffing{jobs: 1}, -1,
			program{{verb: vPush, key: keyList}, {verb: vGo, n: firstChild}}, nil,
			seeing(model.Done, instruction{verb: vSleep, min: 1, max: 1}, instruction{verb: vPop, key: keyList}, instruction{verb: vIf, code: model.Missing, to: 6}, get, instruction{verb: vSetXX}),
			program{token, set, {verb: vGo, n: firstChild}})},
		"within a window they do so": {false, 0, with(staffing{others: 1}, 0, seeing(model.Missing, instruction{verb: vSleep, min: 5, max: 5}, get), nil, nil, program{token, set})},
	}
}
