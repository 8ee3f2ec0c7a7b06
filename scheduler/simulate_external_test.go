package scheduler_test

import (
	"context"
	"testing"

	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// The speed that is asked for: 100,000 requests on 50 nodes within 3 s and 500 MB.
func BenchmarkSimulate(b *testing.B) {
	for _, e := range catalogue.All() {
		b.Run(e.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := scheduler.NewSimulation(e.New().(protocol.Protocol))
				r, err := scheduler.Simulate(context.Background(), c, scheduler.SimulateOptions{})
				if err != nil {
					b.Fatal(err)
				}
				b.Logf("%+v", *r.Runs[0])
			}
		})
	}
}
