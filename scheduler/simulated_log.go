package scheduler

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockstep/model"
)

// simulatedLog has what happened in a run, for tests and traces.
type simulatedLog struct {
	steps []simulatedStep
	// changes counts the steps for which those who poll have caught up, and caughtUp says
	// that the next one is such a step.
	changes  int
	caughtUp bool
	// fell are those who were due when a fault was over that had kept them, as far as a run is
	// taken again.
	fell map[string]bool
}

// simulatedStep is a step in a log.
type simulatedStep struct {
	at      int64
	process int32
	label   uint32
	key     model.KeyID
	node    int32
	fault   uint8
	overdue []string
	// deserted: a fault strikes a node on which nothing is going on. anytime: in a check it
	// begins only where it can be noticed.
	deserted, anytime bool
	// stale: a replica that lags has served it.
	stale bool
	// reached: an operation that is given up has taken effect all the same; goesOn: it may yet.
	reached, goesOn bool
	// second and drift say how a clock drifts from then on.
	second time.Duration
	drift  model.Drift
	// arguments are what a fault says that strikes a store.
	arguments []string

	kind        model.MoveKind
	operation   model.OperationKind
	observation model.Observation
	// changes is how often those who poll had caught up before, and idle says that it is a
	// step in which one did: these come in between the others only afterwards.
	// last: it is the one for which they do.
	changes    int
	idle, last bool
}

// quiet notes the step of a process that is known.
func (l *simulatedLog) quiet(m *simulator, process int32, q *quiet, idle bool) {
	l.steps = append(l.steps, simulatedStep{
		at: m.now, process: process, kind: q.move, operation: q.kind, observation: q.observation, changes: l.changes, idle: idle,
	})
}

// note notes the step that has just been taken by the rules.
func (m *simulator) note(process int32) {
	if m.log == nil {
		return
	}
	e := &m.step.event
	s := simulatedStep{at: m.now, process: process, kind: e.Move.Kind, observation: e.Observation, changes: m.log.changes, node: anyNode}
	if e.Operation != nil {
		s.operation = e.Operation.Kind
	}
	s.reached, s.goesOn, s.stale = e.Reached, e.GoesOn, e.Stale
	if e.Move.Kind == model.MoveFailure {
		s.fault = e.Move.Fault
	}
	if process >= 0 {
		s.label = m.actors[process].label
		s.process = m.actors[process].root
	} else {
		s.key = model.KeyID(e.Move.Index)
	}
	m.log.add(s)
}

// add notes a step.
func (l *simulatedLog) add(s simulatedStep) {
	s.last = l.caughtUp
	l.steps = append(l.steps, s)
	if l.caughtUp {
		l.changes++
		l.caughtUp = false
	}
}

// noteStrike notes what a fault has just done.
func (m *simulator) noteStrike(s simulatedStep) {
	if m.log == nil {
		return
	}
	e := &m.step.event
	s.at, s.kind, s.fault, s.changes = m.now, e.Move.Kind, e.Move.Fault, m.log.changes
	switch f := m.rules.Faults[s.fault]; f.Strikes() {
	case model.OnKey:
		s.key = e.Changes[0].Key
	case model.OnStore:
		s.arguments = append([]string{storeName(e.Store)}, m.overKeys(e)...)
	}
	m.log.add(s)
}

// overKeys names what is gone since a clock has stepped, or a replica has taken over in which
// its TTL was over.
func (m *simulator) overKeys(e *model.Event) (names []string) {
	for i := range e.Changes {
		if c := &e.Changes[i]; c.ByClock && !c.After.Present() {
			k := m.learner.keys[c.Key]
			names = append(names, k.store+"/"+k.key)
		}
	}
	return names
}

// overdueOf names the processes of which something is so and that are due, or have been.
func (m *simulator) overdueOf(is func(process int32, a *actor) bool) (names []string) {
	for process := range m.actors {
		if a := &m.actors[process]; !a.gone && is(int32(process), a) && m.overdue(a) {
			names = append(names, m.name(int32(process)))
		}
	}
	return names
}

// overdueOn names those who are due on the node of a fault that is over.
func (m *simulator) overdueOn(x *plannedStrike) []string {
	if !x.ends {
		return nil
	}
	return m.overdueOf(func(process int32, a *actor) bool {
		_, starved := m.starved[process]
		return m.families[a.root].node == x.node && !starved && m.shapes.list[a.shape].process.Phase != model.Sent
	})
}

// inhabitedBy reports whether something is going on on a node.
func (m *simulator) inhabitedBy(node int32) bool {
	return slices.ContainsFunc(m.actors, func(a actor) bool {
		return !a.gone && m.families[a.root].node == node && m.shapes.list[a.shape].process.Active()
	})
}

// overdue reports whether a process is at its upper bound, or beyond it.
func (m *simulator) overdue(a *actor) bool {
	p := m.shapes.list[a.shape].process
	if p.Clock == model.NoClock {
		return false
	}
	m.clear()
	m.takesFamily(a.root)
	if m.drifts {
		m.rules.Meters(&m.state, m.step.meters[:])
	}
	for i, process := range m.step.members {
		if a == &m.actors[process] {
			bound := m.rules.Bound(&m.state, &m.state.Processes[i])
			return bound != 0 && bound != model.Forever && m.step.AtLeast(m.state.Processes[i].Clock, bound)
		}
	}
	return false
}

// sorted returns the steps in the order in which they happened.
func (l *simulatedLog) sorted() []simulatedStep {
	rank := func(s *simulatedStep) int {
		switch {
		case s.last:
			return 2
		case s.idle:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(l.steps, func(a, b simulatedStep) int {
		return cmp.Or(cmp.Compare(a.changes, b.changes), cmp.Compare(a.at, b.at), rank(&a)-rank(&b))
	})
	return l.steps
}

// inhabited returns the steps of the log so that faults strike nodes where something is going
// on, as they do in a check: what strikes another has no effect until a request arrives there.
func (m *simulator) inhabited() []simulatedStep {
	var steps []simulatedStep
	held := map[int32]simulatedStep{}
	for _, s := range m.log.sorted() {
		switch {
		case s.node == anyNode || s.anytime:
		case s.kind == model.MoveFault && s.deserted:
			if m.rules.Faults[s.fault].Halts() {
				held[s.node] = s
			}
			continue
		case s.kind == model.MoveRecovery:
			if _, ok := held[s.node]; ok {
				delete(held, s.node)
				continue
			}
		}
		steps = append(steps, s)
		if s.kind != model.MoveArrive {
			continue
		}
		node := m.families[s.process].node
		if fault, ok := held[node]; ok {
			delete(held, node)
			fault.at = s.at
			steps = append(steps, fault)
		}
	}
	return steps
}

// name returns what a process is called in a trace.
func (m *simulator) name(process int32) string {
	if process < 0 || int(process) >= len(m.actors) {
		return "nobody"
	}
	a := &m.actors[process]
	if m.shapes.list[a.shape].process.Phase == model.Timing {
		return m.timerNameOf(a.root, a.label)
	}
	return m.nameOf(a.root, a.label)
}

// timerNameOf returns what the timer of a context is called.
func (m *simulator) timerNameOf(root int32, label uint32) string {
	return fmt.Sprintf("context %d of %s", label&0xff, m.nameOf(root, label>>8))
}

// nameOf returns what the process with the label is called in the family of a root.
func (m *simulator) nameOf(root int32, label uint32) string {
	role, node, number := m.roleOf(root)
	class := "n"
	if role == model.Update {
		class = "u"
	}
	name := fmt.Sprintf("%s%d/%s%d", class, node, roleNames[role], number)
	for shift := 24; shift >= 0; shift -= 8 {
		if n := label >> shift & 0xff; n != 0 {
			name += fmt.Sprintf(".%d", n)
		}
	}
	return name
}
