package checks

import (
	"context"
	"time"

	"lockstep/model"
	"lockstep/scheduler"
)

// B is the part of *testing.B that Benchmark needs.
type B interface {
	Helper()
	Loop() bool
	Elapsed() time.Duration
	ReportAllocs()
	ReportMetric(n float64, unit string)
	Fatalf(format string, args ...any)
}

// Benchmark measures the search of a scenario: besides the time it reports how many states
// and transitions there are, and how many transitions a second were gone through. The
// verdicts do not matter, but it fails if the search is cut off: then there is nothing to
// compare. Without properties it checks all of them ([All]).
func Benchmark(b B, s Scenario, properties ...model.Property) {
	b.Helper()
	b.ReportAllocs()
	var last scheduler.Stats
	runs := 0
	for b.Loop() {
		r, err := Explore(context.Background(), s, properties...)
		if err != nil {
			b.Fatalf("lockstep: %v", err)
			return
		}
		if !r.Exhausted {
			b.Fatalf("lockstep: the search was cut off after %d states: %s", r.Stats.States, r.CutOff)
			return
		}
		last = r.Stats
		runs++
	}
	b.ReportMetric(float64(last.States), "states")
	b.ReportMetric(float64(last.Transitions), "transitions")
	if seconds := b.Elapsed().Seconds(); seconds > 0 {
		b.ReportMetric(float64(last.Transitions)*float64(runs)/seconds, "transitions/s")
	}
}
