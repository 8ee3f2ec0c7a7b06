package scheduler_test

import (
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
