package checks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"

	"github.com/anishathalye/porcupine"
)

// light is an object of one's own: a light that requests switch on, and never off.
func light(observe func(t *checks.Turn, h *checks.History)) checks.Object {
	return checks.Object{
		Name: "linearizable-light", Rule: "the light is linearizable", Vacuous: "nobody looked at the light",
		Model: porcupine.Model{
			Init: func() any { return false },
			Step: func(state, input, output any) (bool, any) {
				if input == "switch on" {
					return true, true
				}
				return output == state, state
			},
		},
		Outputs: func(state, _ any) []any { return []any{state} },
		Observe: observe,
	}
}

func switchedOrSeen(t *checks.Turn, h *checks.History) {
	if !t.Somebody() {
		return
	}
	switch of, code, _ := t.Learned(); {
	case of.Key != "light":
	case code == model.Done:
		h.Return(true)
	case code == model.Found, code == model.Missing:
		h.Return(code == model.Found)
	}
	switch next := t.Issued(); {
	case next.Key != "light":
	case next.Kind == model.Get:
		h.Call("look")
	default:
		h.Call("switch on")
	}
}

func switches(c *protocol.Client) protocol.Answer {
	if v, err := c.Source.Read(); err == nil {
		c.Cache.Set("light", v)
	}
	c.Cache.Get("light")
	return protocol.Empty()
}

func ExampleLinearizable() {
	s := checks.NewScenario(handler(switches))
	s.Faults = []model.Fault{faults.Evict(1)}
	report, err := scheduler.Check(context.Background(), s, []model.Property{checks.Linearizable(light(switchedOrSeen))}, scheduler.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Verdicts[0].Trace.Explanation)
	for _, o := range report.Verdicts[0].Trace.History {
		fmt.Println(o.Process, o.Input, "->", o.Output)
	}
	// Output:
	// n0/0: look, called at 0s, returned false at 0s, which it cannot at any instant in between, whatever the order of the other operations
	// n0/0 switch on -> true
	// n0/0 look -> false
}

// An object that makes no sense is refused with what it lacks, and one whose code panics
// with the line.
func TestObjectsThatMakeNoSense(t *testing.T) {
	partitioned := light(switchedOrSeen)
	partitioned.Model.Partition = func(h []porcupine.Operation) [][]porcupine.Operation { return [][]porcupine.Operation{h} }
	blind := light(switchedOrSeen)
	blind.Outputs = nil
	nameless := light(switchedOrSeen)
	nameless.Name = ""
	stepless := light(switchedOrSeen)
	stepless.Model.Step = nil
	unobserved := light(nil)
	panics := light(func(t *checks.Turn, _ *checks.History) { panic("dark") })
	nobody := light(func(t *checks.Turn, h *checks.History) {
		if !t.Somebody() {
			h.Call("switch on")
		}
	})
	for _, c := range []struct {
		properties []model.Property
		says       string
	}{
		{[]model.Property{checks.Linearizable(partitioned)}, "has partitions"},
		{[]model.Property{checks.Linearizable(blind)}, "needs Outputs"},
		{[]model.Property{checks.Linearizable(nameless)}, "without a name"},
		{[]model.Property{checks.Linearizable(stepless)}, "needs Init and Step"},
		{[]model.Property{checks.Linearizable(unobserved)}, "lacks its Rule, Vacuous or Observe"},
		{[]model.Property{checks.LinearizableLock(), checks.LinearizableReads()}, "at most one property of a check can be about the history of an object"},
		{[]model.Property{checks.Linearizable(panics)}, "object_external_test.go:"},
		{[]model.Property{checks.Linearizable(nobody)}, "in a turn of nobody"},
	} {
		s := checks.NewScenario(handler(switches))
		s.Faults = []model.Fault{faults.Evict(1)}
		_, err := scheduler.Check(context.Background(), s, c.properties, scheduler.Options{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want an error that says %q", err, c.says)
		}
	}
	// The two kinds of mistakes are told apart.
	var broken *scheduler.PropertyError
	if _, err := scheduler.Check(context.Background(), checks.NewScenario(handler(switches)), []model.Property{checks.Linearizable(panics)}, scheduler.Options{}); !errors.As(err, &broken) {
		t.Errorf("%v is not a PropertyError", err)
	}
}
