package faults

import (
	"fmt"
	"time"

	"lockstep/model"
)

// Restart returns the fault that ends a node as a crash does, at most times times in a
// run, and starts it again after a time within the range: with an empty memory, and
// for the requests that have not arrived before. Those arrive once it is up; within a
// window ([scheduler.Scenario.ArriveWithin]) they are lost with the node. It may come while
// nothing is going on there, too.
//
// In the world it stands for a crash under a supervisor, a deployment without a
// graceful shutdown, a container that is moved.
func Restart(times int, after model.Range) model.Fault {
	return restart{counted: counted{"restart", times, model.OnNode}, after: after}
}

type restart struct {
	counted
	after       model.Range
	least, most model.Ticks
}

func (f restart) Value() string              { return fmt.Sprintf("%dx%s", f.times, f.after) }
func (f restart) Durations() []time.Duration { return []time.Duration{f.after.Min, f.after.Max} }

func (restart) Describe(k model.MoveKind) string {
	if k == model.MoveRecovery {
		return "is up again, with an empty memory"
	}
	return "crashes, to be started again"
}

func (f restart) Resolve(t model.Tick) (model.Fault, error) {
	if err := f.valid(); err != nil {
		return nil, err
	}
	if err := f.after.Validate(); err != nil {
		return nil, fmt.Errorf("restart: %w", err)
	}
	var err error
	if f.least, err = t.Ticks(f.after.Min); err == nil {
		f.most, err = t.Ticks(f.after.Max)
	}
	return f, err
}

// Offer lets a node go down as by a crash, and one that is down start again. A node on
// which nothing is going on may have something in its memory, or may do something when it
// starts again: other than a crash a restart does matter there.
func (f restart) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	nodes := busy(s)
	for n := range s.Nodes {
		if r.Renews(s, uint8(n)) {
			nodes |= 1 << n
		}
	}
	offerOn(nodes, m)
	for n := range s.Nodes {
		node := &s.Nodes[n]
		if node.Status != model.Down {
			continue
		}
		m.Begin()
		if f.least == 0 || m.Require(model.Guard{Clock: node.Clock, Lower: true, Bound: f.least}) {
			m.Add(model.Move{Kind: model.MoveRecovery, Index: uint8(n)})
		}
	}
}

func (f restart) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Node = int(m.Index)
	node := &s.Nodes[m.Index]
	if m.Kind == model.MoveRecovery {
		node.Status, node.Clock, node.Limit = model.Running, model.NoClock, 0
		return r.Reboot(s, m.Index, e)
	}
	node.Status, node.Clock, node.Limit = model.Down, model.Fresh, f.most
	if r.Window != nil {
		s.DropProcesses(int(m.Index))
	} else {
		r.DropBegun(s, int(m.Index))
	}
	return nil
}
