package scheduler_test

import (
	"slices"

	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// How long a process of the oracle waits for an operation of a store or of the source: a
// time of its own, after which it goes on. What it has asked for does so, too.

// within runs fn with the ticks that operations are waited for, 0 for ever.
func within(c *protocol.Client, most int, fn func()) {
	if most == 0 {
		fn()
		return
	}
	c.Within(ticks(most), fn)
}

// giving is what the oracle knows of a process that will not wait for ever.
type giving struct {
	// within holds for its operations that say nothing of their own.
	within int
	// overdue: its operation was due while it could not act.
	overdue bool
	// late: how long it has waited is not told: perhaps for as long as it would.
	late bool
}

// limit returns how long a process waits for the operation that it has issued, 0 for ever.
func (w *world) limit(p *process) int {
	in := w.set.programs[p.program]
	if p.phase != acting || !in[p.pc].remote() || w.givesUp(p) {
		return 0
	}
	if own := in[p.pc].within; own > 0 {
		return own
	}
	return p.within
}

// remoteBounds is bounds for an operation that goes to a store or to the source.
func (w *world) remoteBounds(p *process) (least, most int) {
	switch limit := w.limit(p); {
	case limit == 0:
		return w.set.latMin, w.set.latMax
	case w.cutOff(p):
		return w.set.latMin, limit
	default:
		return w.set.latMin, min(limit, w.set.latMax)
	}
}

// lapses adds how a process goes on that has waited for long enough.
func (w *world) lapses(i int, in instruction, add adder) {
	p := &w.processes[i]
	limit := w.limit(p)
	if limit == 0 || p.age < limit && !p.late {
		return
	}
	add(1, false, func(n *world, _ *successor) {
		if in.requests() {
			n.send(i, in, false)
		}
		n.processes[i].new = false
		n.step(i, func(q *process) { n.set.programs.observe(q, seen{code: model.TimedOut}) })
	})
}

// due calls do with each way in which the processes, one or more, may have become due
// while they could not act: at the very instant of its bound each has or has not. stood
// says which of them took no step of whatever kind.
func (w *world) due(concerns, stood func(p *process) bool, do func(change func(n *world))) {
	var certain, perhaps []int
	for i := range w.processes {
		p := &w.processes[i]
		_, most := w.remoteBounds(p)
		switch {
		case w.limit(p) == 0 || !concerns(p):
		case p.overdue || p.age > most:
			certain = append(certain, i)
		case p.age == most:
			perhaps = append(perhaps, i)
		}
	}
	all := slices.Concat(perhaps, certain)
	for subset := range 1 << len(perhaps) {
		do(func(n *world) {
			for k, i := range all {
				if p := &n.processes[i]; k >= len(perhaps) || subset&(1<<k) != 0 {
					p.overdue, p.late = true, p.late || stood(p)
				}
			}
		})
	}
}

// resumes calls do with the ways in which processes go on that took no step.
func (w *world) resumes(which func(p *process) bool, do func(change func(n *world))) {
	// What takes no time at all was due before, and how long it has waited is known.
	timed := func(p *process) bool {
		_, most := w.remoteBounds(p)
		return which(p) && (most > 0 || p.overdue)
	}
	w.due(timed, func(*process) bool { return true }, do)
}

// reconnects calls do with the ways in which an outage ends.
func (w *world) reconnects(do func(change func(n *world))) {
	after := w.clone()
	after.blackout = blackout{}
	stands := func(p *process) bool { return w.nodes[p.node].status != running || p.starved }
	after.due(w.cutOff, stands, do)
}

// begin lets an outage begin. How long the processes have waited that are due, and which
// it keeps back, is not known any more.
func (b blackout) begin(n *world) {
	n.blackout = b
	for i := range n.processes {
		if p := &n.processes[i]; p.overdue && n.limit(p) > 0 && n.cutOff(p) {
			p.overdue, p.late, p.age = false, true, 0
		}
	}
}

// limits reports whether a program says how long it waits.
func (s *setting) limits() bool {
	for _, p := range s.programs {
		for _, in := range p {
			if in.within > 0 {
				return true
			}
		}
	}
	return false
}

// drawWithin lets programs wait for operations for some time only, which is told from
// waiting for ever if something keeps them back.
func drawWithin(t *rapid.T, s *setting) {
	limit := oneOf(t, 1, 1, 2, 2, 3)
	for _, p := range s.programs {
		for i := range p {
			if (p[i].remote() || p[i].verb == vGo) && chance(t, 50) {
				p[i].within = limit
			}
		}
	}
	s.small(t)
	s.replyMax, s.patience = 0, -1
	if s.nodes == 1 && s.requests == 1 {
		s.latMin, s.latMax = span(t, 0, limit+1)
	} else {
		s.latMin, s.latMax = span(t, 0, 1)
	}
	s.budget, s.crashes, s.pauses = [troubles]int{}, 0, 0
	s.outage, s.pauseMax, s.timeout = between(t, 1, limit+1), between(t, 1, 3), 1
	if chance(t, 65) {
		s.budget[oneOf(t, storePause, partition, partition, starve, cancel)] = 1
	} else {
		s.pauses = 1
	}
	if s.nodes*s.requests == 1 && chance(t, 40) {
		s.budget[oneOf(t, storePause, partition, starve, cancel, duplicate, resend)], s.late = 1, 1
	}
}

// withinOutcomes are cases of it.
func withinOutcomes() map[string]outcome {
	token, get := instruction{verb: vToken}, instruction{verb: vGet, v: 2}
	set := func(most int) instruction { return instruction{verb: vSet, within: most} }
	// taking is a setting in which operations take from least to most.
	taking := func(least, most int, s *setting) *setting {
		s.latMin, s.latMax = least, most
		return s
	}
	paused := alone(seeing(model.TimedOut, token, set(2)), nil)
	paused.pauses, paused.pauseMax = 1, 1
	return map[string]outcome{
		"what takes as long as it is waited for may be given up": {true, 0, taking(1, 1, alone(seeing(model.TimedOut, token, set(1)), nil))},
		"or not":                             {true, 0, taking(1, 1, alone(seeing(model.Done, token, set(1)), nil))},
		"what takes less is not given up":    {false, 0, taking(0, 1, alone(seeing(model.TimedOut, token, set(2)), nil))},
		"what takes more is always given up": {false, 0, taking(2, 2, alone(seeing(model.Done, token, set(1)), nil))},
		"what is given up takes effect":      {true, 0, taking(2, 2, alone(seeing(model.Found, token, set(1), get), nil))},
		"in its time":                        {false, 0, taking(2, 2, alone(seeing(model.Missing, token, set(1), get), nil))},
		"an outage for as long as an operation is waited for": {true, 1, struck(storePause, seeing(model.TimedOut, token, set(1)), nil)},
		"a shorter one": {false, 0, struck(storePause, seeing(model.TimedOut, token, set(2)), nil)},
		"after a pause, however short, an operation may be given up": {true, 1, taking(0, 1, paused)},
		"a short outage makes no operation faster":                   {false, 0, taking(2, 2, struck(storePause, seeing(model.Done, token, set(1)), nil))},
	}
}
