package scheduler

import (
	"fmt"
	"math/rand/v2"

	"lockstep/model"
	"lockstep/scheduler/distribution"
)

// nodeStrike is when a fault strikes a node, or ends there.
type nodeStrike struct {
	at    int64
	node  int32
	fault uint8
	ends  bool
}

// strikes are what faults are still to do, of which the earliest comes first.
type strikes struct {
	queue  queue
	of     []nodeStrike
	random []rand.PCG
	every  []distribution.Distribution
}

func (s *strikes) first() int64 {
	if len(s.queue) == 0 {
		return notDue
	}
	return s.queue[0].at
}

// plan says when each fault strikes each node for the first time. Each pair has a place and
// a stream of randomness of its own.
func (m *simulator) plan() {
	c, s := m.config, &m.strikes
	n := len(c.Faults) * c.Nodes
	s.queue, s.of, s.random, s.every = s.queue[:0], resized(s.of, n), resized(s.random, n), s.every[:0]
	for fault, f := range c.Faults {
		s.every = append(s.every, distribution.Exponential(f.Every))
		for node := range c.Nodes {
			k := fault*c.Nodes + node
			s.random[k].Seed(m.seed, seedOf(m.seed, faultStream, uint64(k)))
			s.of[k] = nodeStrike{node: int32(node), fault: uint8(fault)}
			m.planNext(k)
		}
	}
}

// planNext says when a fault strikes a node again.
func (m *simulator) planNext(k int) {
	s := &m.strikes
	at := m.now + 1 + int64(s.every[s.of[k].fault].Sample(&s.random[k]))
	s.of[k].at, s.of[k].ends = at, false
	s.queue.push(turn{at, int32(k)})
}

// strike lets a fault do what is first.
func (m *simulator) strike() error {
	s := &m.strikes
	k := int(s.queue[0].process)
	s.queue.pop()
	x := &s.of[k]
	m.now = x.at
	at := &m.places[x.node]
	switch {
	case at.node.Status == model.Crashed:
		return nil
	case !x.ends && at.node.Status != model.Running && m.rules.Faults[x.fault].Halts():
		// It stands still already.
		m.planNext(k)
		return nil
	}
	m.rouseOn(x.node, turn{m.now, -1})
	if m.log != nil {
		m.log.strike(m, x)
	}
	m.clear()
	local := m.visit(x.node)
	m.takesOwners(-1)
	if err := m.ready(); err != nil {
		return err
	}
	move := model.Move{Kind: model.MoveFault, Index: local, Fault: x.fault}
	if x.ends {
		move.Kind = model.MoveRecovery
	}
	m.state.Left[x.fault] = 1
	if err := m.apply(&move, -1); err != nil {
		return err
	}
	for n := range m.step.nodes {
		m.leave(n)
	}
	switch at.node.Status {
	case model.Halted:
		at.runsAgain = m.now + max(int64(m.config.Faults[x.fault].Lasts.Sample(&s.random[k])), 0)
		x.at, x.ends = at.runsAgain, true
		s.queue.push(turn{x.at, int32(k)})
		m.result.Strikes[x.fault]++
	case model.Running:
		m.planNext(k)
	default:
		m.result.Strikes[x.fault]++
		m.crash(x.node)
	}
	return nil
}

// crash forgets everybody on a node that has crashed.
func (m *simulator) crash(node int32) {
	for root := range m.families {
		f := &m.families[root]
		if f.node != node {
			continue
		}
		for process := f.first; process >= 0; process = m.actors[process].next {
			a := &m.actors[process]
			if m.shapes.list[a.shape].process.Rebuilding {
				m.rebuilding--
			}
			m.end(process)
		}
		f.first = -1
		if root < m.roots-m.config.Updates && !f.answered {
			m.result.Lost++
		}
	}
	at := &m.places[node]
	at.open = [model.MaxKeys]int32{}
	for key := range at.waiting {
		at.waiting[key] = at.waiting[key][:0]
	}
}

// tryFaults refuses faults of which a simulation does not know what they do to a node.
func (m *simulator) tryFaults() error {
	for i, f := range m.rules.Faults {
		s := model.State{Nodes: []model.Node{{}}}
		s.Left[i] = 1
		move := model.Move{Kind: model.MoveFault, Fault: uint8(i)}
		var e model.Event
		if err := m.rules.Apply(&s, &move, &e); err != nil {
			return err
		}
		if is := s.Nodes[0].Status; is != model.Halted && is != model.Crashed {
			return about(fmt.Errorf("a simulation does not follow the fault %s: it knows those alone that halt a node or end it", f.Name()), f.Name())
		}
	}
	return nil
}

// overdue reports whether a process is at its upper bound, or beyond it.
func (m *simulator) overdue(a *actor) bool {
	p := m.shapes.list[a.shape].process
	if p.Clock == model.NoClock {
		return false
	}
	m.clear()
	m.takesFamily(a.root)
	for i, process := range m.step.members {
		if a == &m.actors[process] {
			bound := m.rules.Bound(&m.state, &m.state.Processes[i])
			return bound != 0 && bound != model.Forever && m.step.AtLeast(m.state.Processes[i].Clock, bound)
		}
	}
	return false
}
