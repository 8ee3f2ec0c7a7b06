package scheduler

import (
	"fmt"

	"lockstep/model"
	"lockstep/scheduler/distribution"
)

// strikeKind says what a fault does as far as a simulation has to know: who stands still, or
// is gone, and for how long. What else it does it does itself.
type strikeKind uint8

const (
	// halting: a node stands still, ending: it is gone, rebooting: for some time.
	halting strikeKind = iota
	ending
	rebooting
	// stepping: the wall clock of a node steps.
	stepping
	// changing: entries change, or the clock of a store.
	changing
	// cutting: a node cannot reach a store for some time. stopping: nobody can.
	cutting
	stopping
	// lagging: a replica lags for some time.
	lagging
	// starving: one process stands still for some time.
	starving
	// cancelling: a request is given up.
	cancelling
	// intercepting: an operation fails.
	intercepting
	// drifting: clocks are wrong all the time.
	drifting
)

// onNodes reports whether it strikes each node for itself.
func (k strikeKind) onNodes() bool {
	return k == halting || k == ending || k == rebooting || k == cutting || k == stepping
}

// lasts reports whether it is over at some time.
func (k strikeKind) lasts() bool {
	return k == halting || k == rebooting || k == cutting || k == stopping || k == lagging || k == starving
}

// classify finds out what the faults do, by letting them do it.
func (m *simulator) classify() error {
	m.kinds = nil
	for i, f := range m.rules.Faults {
		kind, err := m.kindOf(i, f)
		if err != nil {
			return err
		}
		m.kinds = append(m.kinds, kind)
		m.drifts = m.drifts || kind == drifting
		m.halts = m.halts || kind.lasts()
		m.intercepts = m.intercepts || kind == intercepting
		m.hopes = m.hopes || kind != halting && kind != ending
		if kind.lasts() && m.config.Faults[i].Lasts == nil {
			return about(fmt.Errorf("nothing says for how long the fault %s lasts", f.Name()), "fault")
		}
	}
	return nil
}

func (m *simulator) kindOf(i int, f model.Fault) (strikeKind, error) {
	if drift, ok := f.(model.Drifting); ok {
		return drifting, m.canDrift(drift)
	}
	switch f.Strikes() {
	case model.OnOperation:
		return intercepting, nil
	case model.OnKey:
		return changing, nil
	case model.OnRequest:
		if f.Halts() {
			return starving, nil
		}
		return cancelling, nil
	}
	s := model.State{Nodes: []model.Node{{}}}
	s.Left[i] = 1
	move := model.Move{Kind: model.MoveFault, Fault: uint8(i)}
	var e model.Event
	if err := m.rules.Apply(&s, &move, &e); err != nil {
		return 0, err
	}
	switch {
	case s.Nodes[0].Status == model.Halted:
		return halting, nil
	case s.Nodes[0].Status == model.Crashed:
		return ending, nil
	case s.Nodes[0].Status == model.Down:
		return rebooting, nil
	case s.Outage.On && s.Outage.Everywhere:
		return stopping, nil
	case s.Outage.On:
		return cutting, nil
	case s.Replica.Lags:
		return lagging, nil
	case s.Nodes[0].Steps != 0:
		return stepping, nil
	case f.Strikes() == model.OnStore:
		return changing, nil
	}
	return 0, about(fmt.Errorf("a simulation does not know what the fault %s does; lockstep check follows it", f.Name()), "fault")
}

// check reports whether it makes sense.
func (f *SimulatedFault) check() error {
	name := f.Fault.Name()
	_, drifts := f.Fault.(model.Drifting)
	switch {
	case drifts && (f.Share != 0 || f.Every != 0):
		return about(fmt.Errorf("the fault %s is there all the time: it has no mean time until it strikes, and no share", name), "fault")
	case drifts:
	case f.Fault.Strikes() == model.OnOperation:
		if !(f.Share > 0 && f.Share <= 1) || f.Every != 0 {
			return about(fmt.Errorf("the fault %s strikes operations: it has a share of these, more than 0 and at most 1, and no time", name), "fault")
		}
	case f.Share != 0:
		return about(fmt.Errorf("the fault %s strikes no operations: it has a mean time until it strikes, and no share", name), "fault")
	case f.Every <= 0 || f.Every > distribution.Longest:
		return about(fmt.Errorf("the fault %s every %s: the time must be positive, and %s at most", name, model.FormatDuration(f.Every), model.FormatDuration(distribution.Longest)), f.Fault.Name()+"-every")
	}
	return nil
}
