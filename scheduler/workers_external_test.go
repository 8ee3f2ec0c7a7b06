package scheduler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// told is everything that a check says that is not a measurement.
func told(t *testing.T, s scheduler.Scenario, o scheduler.Options) string {
	t.Helper()
	r, err := scheduler.Check(context.Background(), s, checks.All(1), o)
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %d states, %d transitions, %d steps, %d runs", text, r.Stats.States, r.Stats.Transitions, r.Stats.Steps, r.Stats.Runs)
}

// The result of a search is the same for every number of workers, to the byte, also
// where it is cut off.
func TestWorkersChangeNothing(t *testing.T) {
	for _, e := range catalogue.All() {
		for name, f := range map[string][]model.Fault{
			"no faults": nil,
			"faults":    {faults.Crash(1), faults.Pause(1, 6*time.Second)},
		} {
			t.Run(e.Name+"/"+name, func(t *testing.T) {
				s := scheduler.NewScenario(e.New())
				s.Faults = f
				for _, limit := range []int{0, 1000} {
					if limit == 0 && len(f) > 0 && s.Requests > 1 {
						continue
					}
					want := told(t, s, scheduler.Options{Workers: 1, MaxStates: limit})
					for _, workers := range []int{2, 3, 8} {
						o := scheduler.Options{Workers: workers, MaxStates: limit}
						o.Together()
						if got := told(t, s, o); got != want {
							t.Fatalf("with %d workers and at most %d states\n%.2000s\nand with one\n%.2000s", workers, limit, got, want)
						}
					}
				}
			})
		}
	}
}

// Code that breaks a rule is refused with the same words.
func TestWorkersFindTheSameErrors(t *testing.T) {
	broken := code(func(c *protocol.Client) protocol.Answer {
		for n := 0; ; n++ {
			if free, _ := c.Store.SetNX("x", c.NewToken(), time.Second); free {
				c.Source.Update()
			}
			c.Sleep(time.Second)
		}
	})
	s := scheduler.NewScenario(broken)
	want := told(t, s, scheduler.Options{Workers: 1})
	o := scheduler.Options{Workers: 4}
	o.Together()
	if got := told(t, s, o); got != want || !strings.Contains(want, "more than 12 values") {
		t.Errorf("with 4 workers %q, with one %q", got, want)
	}
}

// A search that is interrupted says so and leaves nobody behind.
func TestWorkersGoHome(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	s := scheduler.NewScenario(&catalogue.Lease{})
	s.Nodes, s.Requests = 3, 2
	s.Faults = []model.Fault{faults.Pause(1, 12*time.Second)}
	o := scheduler.Options{Workers: 2, Progress: func(p scheduler.Progress) {
		if p.States > 5000 {
			cancel()
		}
	}}
	r, err := scheduler.Check(ctx, s, checks.All(1), o)
	if err != nil || r.Exhausted {
		t.Fatalf("%v %+v", err, r)
	}
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		var stacks [1 << 16]byte
		t.Errorf("%d goroutines before, %d after\n%s", before, n, bytes.TrimSpace(stacks[:runtime.Stack(stacks[:], true)]))
	}
}
