package scheduler_test

import (
	"context"
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

// third claims to have been reached by the third request of a run, on one node where no two
// are there at once.
func third(c *protocol.Client, reached func()) {
	if ok, _ := c.Store.SetNX("first", c.NewToken(), time.Hour); ok {
		return
	}
	if ok, _ := c.Store.SetNX("second", c.NewToken(), time.Hour); ok {
		return
	}
	reached()
}

// Where requests are endless another comes after each one that has returned, as often as it
// takes; the trace tells them apart, and replays.
func TestEndlessRequestsComeAgain(t *testing.T) {
	s := scheduler.NewScenario(orphan{third})
	s.Nodes, s.Updates = 1, 0
	if violated(t, s, checks.NoOrphanedLock()) {
		t.Error("a third request comes without being asked for")
	}
	s.Endless = true
	v := only(t, s, checks.NoOrphanedLock(), scheduler.Options{})
	if v.Verdict != scheduler.Violated {
		t.Fatalf("%s: no third request comes", v.Verdict)
	}
	seen := map[string]bool{}
	for _, step := range v.Trace.Steps {
		seen[step.Process] = true
	}
	for _, process := range []string{"n0/0", "n0/1", "n0/2"} {
		if !seen[process] {
			t.Errorf("no step of %s in the trace", process)
		}
	}
}

// However many there are, no more are there at once than the scenario says.
func TestEndlessRequestsAreNoMoreAtOnce(t *testing.T) {
	alone := func(requests int) scheduler.Scenario {
		s := scheduler.NewScenario(&catalogue.Direct{})
		s.Nodes, s.Requests, s.Endless = 1, requests, true
		return s
	}
	for requests, most := range map[int]int{1: 1, 2: 2} {
		if p := checks.ConcurrentRebuilds(most); violated(t, alone(requests), p) {
			t.Errorf("%d at once: more than %d rebuild at once", requests, most)
		}
		if p := checks.ConcurrentRebuilds(most - 1); most > 1 && !violated(t, alone(requests), p) {
			t.Errorf("%d at once: no more than %d rebuild at once", requests, most-1)
		}
	}
}

// A request that is gone with its node is asked again once the node has started again; after
// a crash for good nothing comes.
func TestEndlessRequestsAreAskedAgainAfterARestart(t *testing.T) {
	for _, x := range []struct {
		fault   model.Fault
		reaches bool
	}{{faults.Restart(1, protocol.Range{Max: time.Second}), true}, {faults.Crash(1), false}} {
		s := scheduler.NewScenario(orphan{func(c *protocol.Client, reached func()) {
			if ok, _ := c.Store.SetNX("first", c.NewToken(), time.Hour); ok {
				for {
					c.Checkpoint()
					c.Sleep(time.Minute)
				}
			}
			reached()
		}})
		s.Nodes, s.Endless, s.Updates, s.Faults, s.Latency = 1, true, 0, []model.Fault{x.fault}, protocol.Range{}
		if got := violated(t, s, checks.NoOrphanedLock()); got != x.reaches {
			t.Errorf("%s: a second request comes: %t", x.fault.Name(), got)
		}
	}
}

// What makes no sense with endless requests is refused, with what to write instead.
func TestWhatEndlessRequestsExclude(t *testing.T) {
	s := scheduler.NewScenario(&catalogue.Lease{})
	s.Nodes, s.Endless = 1, true
	_, err := scheduler.Check(context.Background(), s, []model.Property{checks.LinearizableLock()}, scheduler.Options{})
	if err == nil || !strings.Contains(err.Error(), "without endless") {
		t.Errorf("a history without end: %v", err)
	}
	within := time.Duration(0)
	s.ArriveWithin = &within
	if _, err = s.Check(); err == nil || !strings.Contains(err.Error(), "leave one of the two out") {
		t.Errorf("arrivals within a time: %v", err)
	}
}
