package scheduler

import (
	"time"

	"lockstep/model"
)

// isCommand reports whether a step is a command of a request to a store.
func (m *simulator) isCommand(e *model.Event) bool {
	return e.Reached && e.Operation.OnStore() && m.state.Nodes[e.Node].Class == model.Service
}

// isRebuild reports whether a rebuild starts in a step: see the property rebuild-bound.
func isRebuild(e *model.Event) bool { return e.Reached && e.Operation.Kind == model.SourceRead }

// countEvent counts what has happened in a step.
func (m *simulator) countEvent(process int32) {
	s, r := &m.step, m.result
	e := &s.event
	for i := range e.Changes {
		if c := &e.Changes[i]; c.Before.Value.Kind == model.KindVersion && !c.After.Present() {
			r.RebuildsPerExpiry = append(r.RebuildsPerExpiry, 0)
		}
	}
	if e.Reached && m.isCommand(e) {
		m.used |= 1 << e.Operation.Store
		r.Commands++
	}
	if isRebuild(e) {
		m.rebuildStarts()
	}
	s.rebuilding = 0
	for i := range m.state.Processes {
		if m.state.Processes[i].Rebuilding {
			s.rebuilding++
		}
	}
	for i := range s.before {
		if s.before[i].Rebuilding {
			s.rebuilding--
		}
	}
	if e.Move.Kind != model.MoveFault {
		m.rebuildsMore(s.rebuilding)
	}
	if e.Ended && process >= 0 {
		m.answered(process, e.Answer)
	}
}

// countQuiet counts what happens in a step that is known.
func (m *simulator) countQuiet(process int32, q *quiet) {
	if q.reads {
		m.rebuildStarts()
	}
	if q.rebuilding != 0 {
		m.rebuildsMore(q.rebuilding)
	}
	if q.ended {
		m.answered(process, q.answer)
	}
}

func (m *simulator) rebuildStarts() {
	r := m.result
	last := len(r.RebuildsPerExpiry) - 1
	r.Rebuilds++
	r.RebuildsPerExpiry[last]++
	if n := r.RebuildsPerExpiry[last]; m.config.RebuildBound > 0 && n == m.config.RebuildBound+1 && m.config.bounds {
		m.violated(rebuildBound)
	}
}

func (m *simulator) rebuildsMore(by int8) {
	m.rebuilding += int(by)
	m.result.ConcurrentRebuilds = max(m.result.ConcurrentRebuilds, m.rebuilding)
}

// answered counts the answer of a request.
func (m *simulator) answered(process int32, a model.Answer) {
	if int(process) >= m.others.asked || a.Kind == model.NoAnswer {
		return
	}
	f := &m.families[process]
	f.answered = true
	r := m.result
	r.Answered++
	r.Answers.count(a.Kind)
	if a.Kind == model.AnsweredFresh && a.Value.Kind == model.KindVersion && a.Value.N < m.state.Source {
		r.Outdated++
	}
	m.waitsOf = append(m.waitsOf, time.Duration(m.now-f.arrives))
}

// violated notes that a property is violated, if it is for the first time.
func (m *simulator) violated(property string) {
	for i := range m.result.Violations {
		if m.result.Violations[i].Property == property {
			return
		}
	}
	m.result.Violations = append(m.result.Violations, Breach{property, m.time()})
}

// watch shows a step to the monitors. Those who believe that they hold a lock are there,
// too.
func (m *simulator) watch(process int32) {
	if len(m.monitors) == 0 {
		return
	}
	here := len(m.state.Processes)
	if process >= 0 {
		m.takesBelievers(process)
	}
	at := 0
	for i, monitor := range m.monitors {
		size := monitor.Memory()
		if !m.broken[i] && monitor.Check(&m.state, &m.step.event, m.state.Memory[at:at+size])&model.Violated != 0 {
			m.broken[i], m.step.silent = true, false
			m.violated(monitor.Name())
		}
		at += size
	}
	m.state.Processes = m.state.Processes[:here]
}

// takesBelievers puts others into the state who believe that they hold a lock that somebody
// there believes to hold: some are enough for any property to see that they are not alone.
func (m *simulator) takesBelievers(but int32) {
	const enough = 8
	believed, root := uint16(0), m.actors[but].root
	for i := range m.state.Processes {
		believed |= m.state.Processes[i].Believes
	}
	if believed == 0 {
		return
	}
	taken := 0
	for _, process := range m.believers {
		a := &m.actors[process]
		p := &m.shapes.list[a.shape].process
		if a.root == root || p.Believes&believed == 0 || m.member(process) >= 0 || taken == enough {
			continue
		}
		taken++
		believer := model.Process{Phase: p.Phase, Local: p.Local, Believes: p.Believes, Family: m.newFamily(), Node: m.visit(m.families[a.root].node)}
		m.state.Processes = append(m.state.Processes, believer)
	}
}

// believes notes whether a process believes that it holds a lock.
func (m *simulator) believes(process int32, does bool) {
	m.actors[process].believes = does
	if does {
		m.believers = append(m.believers, process)
		return
	}
	for i, other := range m.believers {
		if other == process {
			m.believers = append(m.believers[:i], m.believers[i+1:]...)
			return
		}
	}
}
