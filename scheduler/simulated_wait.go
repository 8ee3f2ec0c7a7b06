package scheduler

import (
	"math/bits"

	"lockstep/model"
)

// timerOf says when the next step of a process of the state comes.
func (m *simulator) timerOf(i int) timer {
	p := &m.state.Processes[i]
	if p.Phase == model.Ended {
		return timer{kind: blockedTimer}
	}
	least, most, blocked := m.rules.Wait(&m.state, p)
	starts := p.Clock == model.Fresh
	switch {
	case p.Phase == model.Waiting:
		return timer{kind: keptTimer}
	case blocked:
		return timer{kind: blockedTimer, starts: starts}
	case most == 0:
		return timer{starts: starts}
	case !starts:
		return timer{kind: keptTimer}
	}
	op := m.rules.Automaton.Operation(p.Local)
	if p.Phase == model.Acting && (op.Kind == model.Lock || op.Kind == model.AwaitWatch) {
		// It waits for no longer.
		least = most
	}
	patience := model.Ticks(0)
	if p.Phase == model.Acting && op.Patience > 0 && p.Observed.Code() != model.Parked {
		least, most, patience = op.Min, op.Max, op.Patience
	}
	t := timer{least: int64(m.tick.Duration(least)), span: int64(m.tick.Duration(most - least)), starts: true, patience: int64(m.tick.Duration(patience)), by: m.meterOf(p)}
	if p.Phase == model.Sent && p.Observed != 0 {
		if t.fault = uint8(p.Observed - 1); m.config.Faults[t.fault].Lasts != nil {
			t.kind = lateTimer
		}
	}
	if p.Phase == model.Acting {
		switch {
		case op.Kind == model.Compute && m.config.Rebuild != nil:
			t.kind = computeTimer
		case op.Remote() && m.config.LatencyOf != nil:
			t.kind = latencyTimer
		}
	}
	return t
}

// dueBy draws when the next step of a process comes.
func (m *simulator) dueBy(a *actor, t *timer) int64 {
	if t.starts {
		a.start = m.now
	}
	due := m.drawn(a, t)
	if t.patience > 0 {
		due = min(due, m.now+t.patience)
	}
	return due
}

// drawn draws it but for the patience of the process.
func (m *simulator) drawn(a *actor, t *timer) int64 {
	switch t.kind {
	case blockedTimer:
		return notDue
	case keptTimer:
		return a.due
	case lateTimer:
		return m.now + int64(m.config.Faults[t.fault].Lasts.Sample(&a.random))
	case latencyTimer:
		return m.now + int64(m.config.LatencyOf.Sample(&a.random))
	case computeTimer:
		return m.now + int64(m.config.Rebuild.Sample(&a.random))
	}
	lasts := t.least
	if t.span != 0 {
		lasts += scaled(a.random.Uint64(), uint64(t.span)+1)
	}
	return m.now + m.metered(a, t.by, lasts)
}

// sentOn says when a request takes effect whose process has given it up: within its own time.
func (m *simulator) sentOn(a *actor, i int) *timer {
	p := &m.state.Processes[i]
	least, most, _ := m.rules.Wait(&m.state, p)
	if p.Clock == model.NoClock {
		return &timer{}
	}
	a.start = m.step.clocks[p.Clock]
	t := &timer{least: max(a.start+int64(m.tick.Duration(least))-m.now, 0)}
	t.span = max(a.start+int64(m.tick.Duration(most))-m.now-t.least, 0)
	return t
}

// scaled maps a random number to one below n.
func scaled(random, n uint64) int64 {
	high, _ := bits.Mul64(random, n)
	return int64(high)
}

// waitOn puts a process that waits for a flight or a mutex into the queue for that.
func (m *simulator) waitOn(process int32) {
	a := &m.actors[process]
	shape := &m.shapes.list[a.shape]
	op := shape.operation
	if a.waits || shape.process.Phase != model.Acting {
		return
	}
	switch op.Kind {
	case model.AwaitFlight:
		f := &m.flights[a.references[shape.process.Registers[op.Arg].N]]
		f.waiting, a.waits = append(f.waiting, process), true
	case model.Lock:
		queue := &m.places[m.families[a.root].node].waiting[op.Key]
		*queue, a.waits = append(*queue, process), true
	}
}

// unlocked lets the one that has waited longest for a mutex try to take it: whoever comes
// first gets it, and any order is possible.
func (m *simulator) unlocked(node int32, key int) {
	queue := &m.places[node].waiting[key]
	for len(*queue) > 0 {
		process := (*queue)[0]
		*queue = append((*queue)[:0], (*queue)[1:]...)
		a := &m.actors[process]
		op := m.shapes.list[a.shape].operation
		if a.gone || !a.waits || op.Kind != model.Lock || int(op.Key) != key || m.families[a.root].node != node {
			// It has waited for as long as it would.
			continue
		}
		a.waits, a.due = false, m.now
		m.queue.push(turn{m.now, process})
		return
	}
}

// tooLate lets a process wait for a mutex again that another has taken at the same instant.
func (m *simulator) tooLate(process int32, op *model.Operation) {
	a := &m.actors[process]
	m.waitOn(process)
	if op.Max < model.Forever {
		a.due = a.start + m.metered(a, m.ownMeter(), int64(m.tick.Duration(op.Max)))
		m.queue.push(turn{a.due, process})
	}
}

// double is a process to which the same happens in a step as to another that takes part,
// and what that refers to before the step.
type double struct {
	process, like int32
	references    [model.MaxRegisters]uint64
}

// takesWaiting puts those into the state who wait for the flight that a process resolves:
// one of each shape, unless it refers to something of others.
func (m *simulator) takesWaiting(process int32, op *model.Operation) {
	a := &m.actors[process]
	flight := &m.flights[a.references[m.shapes.list[a.shape].process.Registers[op.Arg].N]]
	first := len(m.step.members)
	for _, waiting := range flight.waiting {
		w := &m.actors[waiting]
		w.waits = false
		if w.root == a.root {
			continue
		}
		like := int32(-1)
		for _, member := range m.step.members[first:] {
			if other := &m.actors[member]; other.shape == w.shape && !other.entangled && !w.entangled {
				like = member
			}
		}
		if like < 0 {
			m.takesAlone(waiting)
			continue
		}
		m.step.like = append(m.step.like, double{waiting, like, m.actors[like].references})
	}
	flight.waiting = flight.waiting[:0]
}

// settleLike lets happen to those who are not in the state what has happened to those who
// are like them.
func (m *simulator) settleLike() {
	for i := range m.step.like {
		l := &m.step.like[i]
		a, like := &m.actors[l.process], &m.actors[l.like]
		own := a.references
		for n := range m.shapes.list[like.shape].references {
			a.references[n] = like.references[n]
			for k, was := range l.references[:m.shapes.list[a.shape].references] {
				if was == like.references[n] {
					a.references[n] = own[k]
				}
			}
		}
		a.shape, a.start, a.due = like.shape, like.start, like.due
		if a.due != notDue {
			m.queue.push(turn{a.due, l.process})
		}
	}
}

// openAndClose notes which flights there are after a step and which of them can be joined.
func (m *simulator) openAndClose() {
	s := &m.step
	var open [model.MaxFlights]bool
	for i := range m.state.Processes {
		p := &m.state.Processes[i]
		for k := range p.Held() {
			r := &p.Registers[k]
			if r.Kind != model.KindFlight {
				continue
			}
			key, opened, _ := r.Flight()
			if int(r.N) == len(s.flights) {
				s.flights = append(s.flights, m.newFlight(s.members[i], key))
			}
			open[r.N] = open[r.N] || opened
		}
	}
	for local, number := range s.flights {
		f := &m.flights[number]
		if f.open == open[local] {
			continue
		}
		f.open = open[local]
		at := &m.places[f.node].open[f.key]
		switch {
		case f.open:
			*at = number + 1
		case *at == number+1:
			*at = 0
		}
	}
}

// newFlight returns the number of a flight that a process has started.
func (m *simulator) newFlight(leader int32, key model.KeyID) int32 {
	n := len(m.flights)
	if n < cap(m.flights) {
		m.flights = m.flights[:n+1]
		m.flights[n] = flight{waiting: m.flights[n].waiting[:0]}
	} else {
		m.flights = append(m.flights, flight{})
	}
	f := &m.flights[n]
	f.node, f.key, f.leader = m.families[m.actors[leader].root].node, key, leader
	return int32(n)
}
