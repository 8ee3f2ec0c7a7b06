package scheduler_test

import (
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/scheduler"
)

// Runs of a scenario that is too large to be explored, in which there is nothing to find.
func BenchmarkHunt(b *testing.B) {
	s := scenario(b, "lease", nodes(6), requests(3), pause(1, 6900*time.Millisecond), crash(1))
	r, err := scheduler.Hunt(context.Background(), s, []model.Property{checks.NoStaleOverwrite()}, scheduler.HuntOptions{Runs: b.N, Seed: 1, Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	if r.Find != nil {
		b.Fatal("something was found")
	}
	b.ReportMetric(float64(r.Steps)/float64(b.N), "steps/op")
}
