package faults

import (
	"time"

	"lockstep/model"
)

// ClockForward returns the fault by which the wall clock of a node steps forward by so
// much, at most times times in a run: times that others have stored look older to it.
// Sleeps, timeouts and deadlines follow a monotonic clock and are not concerned. A clock
// that has stepped before it is read for the first time is one that was wrong all along.
//
// In the world it stands for clocks that are not synchronised, NTP that corrects the
// time, a manual change.
func ClockForward(times int, by time.Duration) model.Fault {
	return nodeClock{stepping{lasting: lasting{counted: counted{"clock-forward", times, model.OnNode}, longest: by}}}
}

// ClockBack is [ClockForward] in the other direction.
func ClockBack(times int, by time.Duration) model.Fault {
	return nodeClock{stepping{lasting: lasting{counted: counted{"clock-back", times, model.OnNode}, longest: by}, back: true}}
}

type nodeClock struct{ stepping }

func (f nodeClock) Resolve(t model.Tick) (model.Fault, error) {
	var err error
	f.lasting, err = f.resolve(t)
	return f, err
}

// Steps returns by how much the clock steps.
func (f nodeClock) Steps() model.Ticks { return f.step() }

// SeesPending is true: it happens where the clock is about to be read; before that
// nothing can tell.
func (nodeClock) SeesPending() bool { return true }

// Offer lets the clock of each node step that a process is about to read.
func (nodeClock) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	offered := uint64(0)
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.Phase != model.Acting || offered&(1<<p.Node) != 0 || !r.Automaton.Operation(p.Local).UsesWallClock() {
			continue
		}
		offered |= 1 << p.Node
		m.Begin()
		m.Add(model.Move{Kind: model.MoveFault, Index: p.Node})
	}
}

func (f nodeClock) Apply(_ *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Node = int(m.Index)
	s.StepNode(m.Index, !f.back)
	return nil
}
