package faults

import (
	"math/bits"

	"lockstep/model"
)

// Crash returns the fault that ends a node for good, at most times times in a
// run: its processes and its memory are gone, deferred calls do not run, requests
// that have not arrived never will. What the node did to the stores stays.
//
// In the world it stands for a killed process, a lost machine, an out-of-memory
// kill.
func Crash(times int) model.Fault { return crash{counted{"crash", times, model.OnNode}} }

type crash struct{ counted }

func (crash) Describe(model.MoveKind) string            { return "crashes" }
func (f crash) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }

// Offer lets every node crash on which something is going on. A node on which
// nothing has begun may as well never be asked.
func (crash) Offer(_ *model.Rules, s *model.State, m *model.Moves) { offerOn(busy(s), m) }

// offerOn offers the fault on the nodes of a set.
func offerOn(nodes uint64, m *model.Moves) {
	for ; nodes != 0; nodes &= nodes - 1 {
		m.Begin()
		m.Add(model.Move{Kind: model.MoveFault, Index: uint8(bits.TrailingZeros64(nodes))})
	}
}

// busy returns the nodes on which something is going on, each as a bit.
func busy(s *model.State) (nodes uint64) {
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Active() {
			nodes |= 1 << p.Node
		}
	}
	return nodes
}

func (crash) Apply(_ *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Node = int(m.Index)
	endNode(s, e.Node)
	return nil
}

// endNode lets a node end for good.
func endNode(s *model.State, n int) {
	node := &s.Nodes[n]
	node.Status, node.Clock, node.Limit = model.Crashed, model.NoClock, 0
	s.DropProcesses(n)
}
