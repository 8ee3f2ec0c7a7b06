package checks_test

import (
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// What it costs to decide about a history: a property that looks at states only is the
// measure.
func BenchmarkLinearizable(b *testing.B) {
	for _, p := range []model.Property{checks.MutualExclusion(), checks.LinearizableLock(), checks.LinearizableRegister()} {
		b.Run(p.Name(), func(b *testing.B) {
			s := checks.NewScenario(catalogue.Lease{})
			s.Faults = []model.Fault{faults.Disconnect(1, 5*time.Second)}
			b.ReportAllocs()
			states := 0
			for b.Loop() {
				r, err := scheduler.Check(context.Background(), s, []model.Property{p}, scheduler.Options{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				states = r.Stats.States
			}
			b.ReportMetric(float64(states), "states")
		})
	}
}
