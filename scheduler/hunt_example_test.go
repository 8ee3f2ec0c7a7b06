package scheduler_test

import (
	"context"
	"fmt"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// A lock on six nodes, with three requests on each, is too large to be explored. A violation
// of it needs two of them.
func ExampleHunt() {
	s := scheduler.NewScenario(&catalogue.Lease{})
	s.Nodes, s.Requests = 6, 3
	s.Faults = []model.Fault{faults.Pause(2, 12*time.Second), faults.Crash(1)}
	report, err := scheduler.Hunt(context.Background(), s, []model.Property{checks.MutualExclusion()},
		scheduler.HuntOptions{Runs: 10_000, Seed: 1, Budget: faults.WithBudget})
	if err != nil {
		fmt.Println(err)
		return
	}
	f := report.Find
	fmt.Println("nodes:", f.Bounds.Nodes, "requests:", f.Bounds.Requests, "faults:", f.Trace.Faults, "steps:", f.Trace.Weight, "minimal:", f.Minimal)
	fmt.Println(f.Trace.Explanation)
	// Output:
	// nodes: 2 requests: 1 faults: 1 steps: 6 minimal: true
	// n1/0 acquired lock:feed, but n0/0 still believed that it held it, since 0s; the lock expired at 10s
}
