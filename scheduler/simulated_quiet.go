package scheduler

import (
	"slices"

	"lockstep/model"
)

// learnQuiet notes what the step was that a process has just taken, which has changed
// nothing else, for others of the shape that it had. created is how many tokens its family
// had created, own what it referred to.
func (m *simulator) learnQuiet(process int32, was shapeID, created uint32, own *[model.MaxRegisters]uint64) {
	s, from := &m.step, &m.shapes.list[was]
	e := &s.event
	on, ok := quietOn(&from.process, from.operation)
	a := &m.actors[process]
	believes := uint16(0)
	if !a.gone {
		believes = m.shapes.list[a.shape].process.Believes
	}
	if !ok || m.stale>>on&1 != 0 || !from.tokensOnly || len(e.Begun) > 0 || from.process.Believes != believes {
		return
	}
	q := quiet{
		version: m.versions[on], on: on, move: e.Move.Kind, observation: e.Observation, answer: e.Answer,
		ended: a.gone, arrives: e.Move.Kind == model.MoveArrive,
		command: m.isCommand(e), reads: isRebuild(e), rebuilding: m.step.rebuilding,
	}
	if e.Operation != nil {
		q.kind = e.Operation.Kind
	}
	if q.command {
		q.uses = 1 << e.Operation.Store
	}
	for k := range e.Marks {
		q.restarts = q.restarts || e.Marks[k].Kind == model.MarkRestart
		q.loops = q.restarts || q.loops || e.Marks[k].Kind == model.MarkKeep
	}
	if !a.gone {
		to := &m.shapes.list[a.shape]
		if a.entangled || !to.tokensOnly || a.root != process || a.next >= 0 || to.process.Phase == model.Ended {
			return
		}
		q.next, q.timer, q.count = a.shape, m.timerOf(m.member(process)), to.references
		if q.timer.kind == blockedTimer || q.timer.kind == keptTimer {
			return
		}
		for n, token := range a.references[:q.count] {
			k := slices.Index(own[:from.references], token)
			if k < 0 && uint32(token) <= created {
				return
			}
			q.references[n] = int8(k)
		}
	}
	if q.news() != int(m.families[a.root].created-created) {
		return
	}
	from.quiet = q
}

// news is how many tokens are created.
func (q *quiet) news() int {
	n := 0
	for _, from := range q.references[:q.count] {
		if from < 0 {
			n++
		}
	}
	return n
}

// quietOn returns on what the next step of a process depends besides the process, if
// only on what has versions.
func quietOn(p *model.Process, op *model.Operation) (on uint8, ok bool) {
	if p.Phase == model.Waiting || p.Phase == model.Replying {
		return dependencies, true
	}
	switch op.Kind {
	case model.Sleep, model.Compute:
		return dependencies, true
	case model.SourceRead:
		return model.MaxKeys, true
	case model.RunScript:
		return model.MaxKeys + 1, true
	case model.Get, model.Set, model.Delete, model.PExpire, model.DeleteIfEqual, model.ExpireIfEqual:
		return uint8(op.Key), !op.Local
	}
	return 0, false
}

// knows reports whether it is known what the next step of a process is.
func (m *simulator) knows(q *quiet) bool { return q.version != 0 && q.version == m.versions[q.on] }

// goOn lets a process take a step that concerns nobody else.
func (m *simulator) goOn(process int32, a *actor, q *quiet) {
	if q.restarts {
		f := &m.families[process]
		f.lost = f.created
	}
	if q.count > 0 {
		m.carry(process, a, q)
	}
	if q.command {
		m.result.Commands++
		m.used |= q.uses
	}
	if q.ended {
		// What it has sent may still be under way.
		m.families[process].first = a.next
		m.end(process)
		return
	}
	a.shape = q.next
	a.due = m.dueBy(a, &q.timer)
}

// carry says what a process refers to after a step.
func (m *simulator) carry(process int32, a *actor, q *quiet) {
	own := a.references
	for n, from := range q.references[:q.count] {
		if from >= 0 {
			a.references[n] = own[from]
			continue
		}
		f := &m.families[process]
		f.created++
		a.references[n] = tokenOf(process, f.created)
	}
}
