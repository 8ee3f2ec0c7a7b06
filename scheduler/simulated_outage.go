package scheduler

import (
	"math/bits"

	"lockstep/model"
)

// simulatedOutage is an outage that is under way: of all nodes, or of one. The fault that
// has made it says by its place when it is over.
type simulatedOutage struct {
	outage model.Outage
	node   int32
	until  int64
	strike int32
}

// strikeStore lets a store stand still, or be cut off from a node, or that be over.
func (m *simulator) strikeStore(k int) error {
	x := &m.strikes.of[k]
	if x.ends {
		return m.endOutage(k)
	}
	store, ok := m.anyStore(k, false)
	if !ok || m.config.whole != nil && len(m.outages) > 0 || x.node != anyNode && m.places[x.node].node.Status == model.Crashed {
		m.planNext(k)
		return nil
	}
	m.rouse(turn{m.now, -1})
	if err := m.aloneOn(x.node); err != nil {
		return err
	}
	move := model.Move{Kind: model.MoveFault, Index: uint8(store), Fault: x.fault}
	if x.node != anyNode {
		move.Choice = uint32(m.visit(x.node)) << 8
	}
	if err := m.applyStrike(&move, simulatedStep{process: -1, node: x.node, anytime: true}); err != nil {
		return err
	}
	outage := m.state.Outage
	outage.Node = 0
	m.result.Strikes[x.fault]++
	m.outages = append(m.outages, simulatedOutage{outage, x.node, m.planEnd(k), int32(k)})
	return m.settleOthers()
}

// aloneOn is alone with a node there, if it is one.
func (m *simulator) aloneOn(node int32) error {
	m.clear()
	if node != anyNode {
		m.visit(node)
	}
	if m.config.whole != nil {
		m.everyone(-1)
	} else {
		m.takesOwners(-1)
	}
	return m.ready()
}

func (m *simulator) endOutage(k int) error {
	x := &m.strikes.of[k]
	for i := range m.outages {
		o := &m.outages[i]
		if int(o.strike) != k {
			continue
		}
		m.rouse(turn{m.now, -1})
		as := simulatedStep{process: -1, node: x.node, anytime: true}
		if m.log != nil && !o.outage.Refuses {
			as.overdue = m.overdueOf(func(process int32, a *actor) bool { return m.waitsFor(o, process, &m.shapes.list[a.shape]) })
		}
		if err := m.aloneOn(x.node); err != nil {
			return err
		}
		m.state.Outage = o.outage
		if x.node != anyNode {
			m.state.Outage.Node = m.visit(x.node)
		}
		move := model.Move{Kind: model.MoveRecovery, Index: uint8(o.outage.Store), Fault: x.fault}
		if err := m.applyStrike(&move, as); err != nil {
			return err
		}
		m.outages = append(m.outages[:i], m.outages[i+1:]...)
		if err := m.settleOthers(); err != nil {
			return err
		}
		break
	}
	m.planNext(k)
	return nil
}

// anyStore draws one of the stores that were used in the run; ok is false if there is none.
// The source is one of them, too, if it may be.
func (m *simulator) anyStore(k int, source bool) (store model.StoreID, ok bool) {
	used := m.used
	if source {
		used |= 1 << model.SourceStore
	}
	n := bits.OnesCount16(used)
	if n == 0 {
		return 0, false
	}
	for skip := within(&m.strikes.random[k], 0, int64(n-1)); skip > 0; skip-- {
		used &= used - 1
	}
	return model.StoreID(bits.TrailingZeros16(used)), true
}

// concerns reports whether the outage is between a process and what it asks for.
func (m *simulator) concerns(o *simulatedOutage, process int32, s *shape) bool {
	if o.node != anyNode && o.node != m.families[m.actors[process].root].node {
		return false
	}
	// The process of a shape is on node 0, and so is what the outage is about.
	return s.operation != nil && o.outage.Keeps(&s.process, s.operation)
}

// waitsFor reports whether a process has to wait for the end of the outage.
func (m *simulator) waitsFor(o *simulatedOutage, process int32, s *shape) bool {
	return !o.outage.Refuses && m.concerns(o, process, s) && !s.process.GivesUp(s.operation)
}

// refused returns the outage by which what a process asks for is refused, nil if there is
// none.
func (m *simulator) refused(process int32, s *shape) *model.Outage {
	for i := range m.outages {
		if o := &m.outages[i]; o.outage.Refuses && m.concerns(o, process, s) {
			return &o.outage
		}
	}
	return nil
}

// heldUntil returns when a process can go on, 0 if it can: its node stands still, it is
// starved, or it cannot reach a store. A request may arrive all the same.
func (m *simulator) heldUntil(process int32, a *actor, s *shape) int64 {
	until := int64(0)
	if s.process.Phase == model.Waiting {
		return until
	}
	if s.process.Phase != model.Sent {
		if at := &m.places[m.families[a.root].node]; at.node.Status == model.Halted {
			until = at.runsAgain
		}
		if at, starved := m.starved[process]; starved {
			until = max(until, at)
		}
	}
	for i := range m.outages {
		if o := &m.outages[i]; m.waitsFor(o, process, s) {
			ends := o.until
			if s.process.Phase == model.Acting && s.operation.Patience > 0 {
				ends = min(ends, a.start+int64(m.tick.Duration(s.operation.Patience)))
			}
			until = max(until, ends)
		}
	}
	return until
}
