package scheduler_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// fragile panics where it is told to.
type fragile struct{ at string }

func (fragile) Name() string    { return "fragile" }
func (fragile) Rule() string    { return "it does not panic" }
func (fragile) Vacuous() string { return "it was never asked" }
func (fragile) Memory() int     { return 0 }

func (p fragile) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	switch {
	case p.at == "deep" && len(e.Changes) > 0 && s.Source == 2:
		return model.Outcome(s.Processes[len(s.Processes)].Phase) // out of range
	case p.at == "explain":
		return model.Violated
	}
	return model.Exercised
}

func (p fragile) Explain(*model.Trace) string { panic("no words") }

// stuck is about dead ends, and panics.
type stuck struct{}

func (stuck) Name() string                { return "fragile" }
func (stuck) Rule() string                { return "it does not panic" }
func (stuck) Vacuous() string             { return "it was never asked" }
func (stuck) Explain(*model.Trace) string { return "" }
func (stuck) Settled(*model.State) bool   { panic("not settled") }
func (stuck) Pending(*model.State) bool   { return true }

// A property is the user's code, too: that it panics is told with its name and the line,
// the same for every number of workers, and ends no program.
func TestAPropertyThatPanicsIsAnError(t *testing.T) {
	for _, c := range []struct {
		p    model.Property
		says string
	}{
		{fragile{"deep"}, "index out of range"}, {fragile{"explain"}, "no words"}, {stuck{}, "not settled"},
	} {
		var first string
		for _, workers := range []int{1, 3} {
			s := scheduler.NewScenario(catalogue.Lease{})
			s.Nodes = 3
			o := scheduler.Options{Workers: workers}
			o.Together()
			_, err := scheduler.Check(context.Background(), s, []model.Property{c.p}, o)
			var broken *scheduler.PropertyError
			if !errors.As(err, &broken) || broken.Property != "fragile" || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "property_external_test.go:") {
				t.Fatalf("%d workers: %v", workers, err)
			}
			if first == "" {
				first = err.Error()
			}
			if err.Error() != first {
				t.Errorf("with one worker %q, with %d %q", first, workers, err)
			}
		}
	}
}
