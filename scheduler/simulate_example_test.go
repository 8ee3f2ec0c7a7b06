package scheduler_test

import (
	"context"
	"fmt"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// 100,000 requests meet an expired value. Their flight lets one of each node rebuild it.
func ExampleSimulate() {
	c := scheduler.NewSimulation(&catalogue.SingleFlight{})
	c.Properties = []model.Property{checks.RebuildBound(50)}
	report, err := scheduler.Simulate(context.Background(), c, scheduler.SimulateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	run := report.Runs[0]
	fmt.Println(run.Answered, "requests are answered by", run.Rebuilds, "rebuilds; claimed are", report.RebuildBound)
	// Output: 100000 requests are answered by 50 rebuilds; claimed are 50
}
