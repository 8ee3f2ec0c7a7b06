package scheduler

// circles reports whether a process of the shape takes quiet steps for ever, as long as the
// world stays as it is: one that polls. Then what it does may wait until the world
// changes.
func (m *simulator) circles(process int32, id shapeID) bool {
	if m.halts && m.restless(process) {
		return false
	}
	from := &m.shapes.list[id]
	if from.cycles && from.checked == m.changes {
		return true
	}
	from.checked, from.cycles, from.seen = m.changes, false, 0
	lasts := false
	for at, steps := id, 0; steps < 64; steps++ {
		shape := &m.shapes.list[at]
		q := &shape.quiet
		if m.stale>>q.on&1 != 0 || !m.knows(q) || q.ended || q.reads || q.rebuilding != 0 {
			return false
		}
		lasts = lasts || q.timer.kind == anyTimeWithin && q.timer.least+q.timer.span > 0
		from.seen |= 1 << q.on
		if at = q.next; at == id {
			from.cycles = lasts
			return lasts
		}
	}
	return false
}

// restless reports whether a process may have to wait for something else than time, or see
// something else than what is in the stores, as long as a fault lasts.
func (m *simulator) restless(process int32) bool {
	if _, starved := m.starved[process]; starved {
		return true
	}
	node := m.families[m.actors[process].root].node
	for i := range m.outages {
		if at := m.outages[i].node; at == anyNode || at == node {
			return true
		}
	}
	return false
}

// rest lets a process wait that polls. Where a fault may strike what it does, it wakes when
// one does.
func (m *simulator) rest(process int32, a *actor) {
	a.idle, a.place = true, int32(len(m.idle))
	m.idle = append(m.idle, process)
	m.idleOn |= m.shapes.list[a.shape].seen
	if a.wakes = notDue; m.intercepts {
		a.wakes = m.foreseen(*a)
		m.queue.push(turn{a.wakes, process})
	}
}

// foreseen returns when a fault will strike a process that polls, or how far this was looked at.
func (m *simulator) foreseen(a actor) int64 {
	const far = 256
	now := m.now
	for range far {
		s := &m.shapes.list[a.shape]
		if s.intercepted != 0 && m.struckBy(&a, s) != unstruck {
			break
		}
		m.now = a.due
		a.due = m.dueBy(&a, &s.quiet.timer)
		a.shape = s.quiet.next
	}
	m.now = now
	return a.due
}

// wake lets a process catch up that polls, since a fault may strike what it does now.
func (m *simulator) wake(process int32, a *actor) {
	m.dropIdle(a)
	m.catchUp(process, a, turn{m.now, process})
}

// wakeRoot lets the root of the family of a process that is about to take a step catch up with
// that if it polls: it takes part.
func (m *simulator) wakeRoot(process int32) {
	root := m.actors[process].root
	a := &m.actors[root]
	switch until := (turn{m.now, process}); {
	case !a.idle:
	case m.log != nil:
		m.rouse(until)
	default:
		m.dropIdle(a)
		m.catchUp(root, a, until)
		m.queue.push(turn{a.due, root})
	}
}

// dropIdle takes a process out of those who poll.
func (m *simulator) dropIdle(a *actor) {
	last := len(m.idle) - 1
	other := m.idle[last]
	m.idle[a.place], m.actors[other].place = other, a.place
	m.idle = m.idle[:last]
	a.idle = false
}

// catchUp lets a process take the steps that come before a turn.
func (m *simulator) catchUp(process int32, a *actor, until turn) {
	now := m.now
	for a.due < until.at || a.due == until.at && process < until.process {
		s := &m.shapes.list[a.shape]
		if s.intercepted != 0 {
			if before := a.random; m.struckBy(a, s) != unstruck {
				a.random = before
				break
			}
		}
		m.now = a.due
		if m.log != nil {
			m.log.quiet(m, process, &s.quiet, true)
		}
		m.goOn(process, a, &s.quiet)
	}
	m.now = now
}

// rouse lets those who poll catch up with a turn, which changes the world.
func (m *simulator) rouse(until turn) { m.rouseOn(anyNode, until) }

// anyNode stands for all nodes.
const anyNode = -1

// rouseOn lets those who poll on a node catch up with a turn, which changes something there.
func (m *simulator) rouseOn(node int32, until turn) {
	m.turns = m.turns[:0]
	if m.log != nil {
		// What the log has of the others must not be older.
		m.log.caughtUp, node = true, anyNode
	}
	kept := m.idle[:0]
	for _, process := range m.idle {
		a := &m.actors[process]
		if node != anyNode && m.families[process].node != node {
			a.place = int32(len(kept))
			kept = append(kept, process)
			continue
		}
		a.idle = false
		m.catchUp(process, a, until)
		m.turns = append(m.turns, turn{a.due, process})
	}
	if m.idle = kept; len(kept) == 0 {
		m.idleOn = 0
	}
	m.queue.add(m.turns)
}
