package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"lockstep/scheduler"
)

// The scenarios that speed is measured on; see docs/performance.md.
func BenchmarkCheck(b *testing.B) {
	for name, s := range map[string]scheduler.Scenario{
		"lease/nodes=3/pause=6.9s": scenario(b, "lease", nodes(3), pause(1, 6900*time.Millisecond)),
		"lease/nodes=3/pause=12s":  scenario(b, "lease", nodes(3), pause(1, 12*time.Second)),
		"fixedttl/nodes=4":         scenario(b, "fixedttl", nodes(4)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			transitions := int64(0)
			for b.Loop() {
				transitions += check(b, s, scheduler.Options{}).Stats.Transitions
			}
			b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
			b.ReportMetric(float64(transitions)/float64(b.N), "transitions")
		})
	}
}

// A search of some seconds, by the number of workers.
func BenchmarkWorkers(b *testing.B) {
	s := scenario(b, "lease", nodes(3), crash(1), pause(2, 12*time.Second))
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				check(b, s, scheduler.Options{Workers: workers})
			}
		})
	}
}
