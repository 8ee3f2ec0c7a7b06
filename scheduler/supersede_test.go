package scheduler

import (
	"context"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
)

// settles is a property about dead ends, so that a search keeps its edges.
type settles struct{}

func (settles) Name() string                { return "settles" }
func (settles) Rule() string                { return "" }
func (settles) Vacuous() string             { return "" }
func (settles) Explain(*model.Trace) string { return "" }
func (settles) Settled(*model.State) bool   { return true }
func (settles) Pending(*model.State) bool   { return false }

// A state is spared only because of one that costs no more: no more steps, and just as
// many faults of each kind.
func TestASparedStateHasAnotherThatCostsNoMore(t *testing.T) {
	spared := 0
	for _, name := range []string{"nottl", "setnx", "stacked", "lease"} {
		for _, latency := range []time.Duration{0, 5 * time.Millisecond} {
			e, _ := catalogue.Find(name)
			s := NewScenario(e.New())
			s.Latency = protocol.Range{Max: latency}
			s.Faults = []model.Fault{faults.Crash(1), faults.Pause(1, 12*time.Second)}
			s, err := s.Check()
			if err != nil {
				t.Fatal(err)
			}
			x, err := search(context.Background(), s, s.tick().With(50*time.Millisecond, time.Second), []model.Property{settles{}}, Options{Patience: time.Minute}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint32(x.edges.len()) {
				edge := x.edges.at(i)
				from, to := x.states.at(edge.from), x.states.at(edge.to)
				if from.flags&flagSuperseded == 0 || from.key != to.key {
					continue
				}
				spared++
				if to.steps > from.steps || to.left != from.left {
					t.Fatalf("%s: a state after %d steps, %v left, is spared for one after %d, %v left", name, from.steps, from.left, to.steps, to.left)
				}
			}
		}
	}
	if spared == 0 {
		t.Error("no state is spared")
	}
	t.Logf("%d states are spared", spared)
}
