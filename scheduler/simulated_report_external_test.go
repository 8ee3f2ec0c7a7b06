package scheduler_test

import (
	"math"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// Requests that have not arrived when a run is cut short do not wait, and are not lost with a
// node that they would have come to.
func TestRequestsThatHaveNotArrivedAreNotUnanswered(t *testing.T) {
	times := []time.Duration{0, 0, time.Second, time.Second, time.Hour, time.Hour}
	c := simulation(t, "direct", func(c *scheduler.Simulation) {
		c.Nodes, c.Duration, c.Latency.Max = 2, 30*time.Second, 0
		c.Rebuild = distribution.Constant(time.Minute)
		c.Arrivals = distribution.Recorded("times", times)
	})
	if r := simulate(t, c, 1).Runs[0]; r.Unanswered != 4 || r.NotArrived != 2 || r.Answered+r.Lost != 0 {
		t.Errorf("without crashes: %+v", r)
	}
	c.Faults = []scheduler.SimulatedFault{{Fault: faults.Crash(8), Every: 20 * time.Second}}
	c.Runs = 20
	for _, r := range simulate(t, c, 1).Runs {
		if !r.CutShort {
			continue // both nodes have crashed, and nothing goes on
		}
		if r.NotArrived != 2 || r.Lost != 2*r.Strikes[0] || r.Unanswered != 4-r.Lost {
			t.Errorf("with crashes: %+v", r)
		}
	}
}

// Runs in which nobody is answered have no waits; they do not count as waits of nothing.
func TestRunsWithoutAnswersHaveNoWaits(t *testing.T) {
	wait := scheduler.MeanWait(func(w scheduler.Waits) time.Duration { return w.P50 })
	answered := &scheduler.RunResult{Answered: 1, Waits: scheduler.Waits{P50: 2 * time.Second}}
	nobody := &scheduler.RunResult{}
	s := &scheduler.Simulated{Runs: []*scheduler.RunResult{nobody, answered, nobody, answered}}
	if sum, ok := s.Summarize(wait); !ok || sum != (scheduler.Summary{Mean: 2, Least: 2, Median: 2, Most: 2}) {
		t.Errorf("of two runs with answers: %+v, %v", sum, ok)
	}
	s.Runs = []*scheduler.RunResult{nobody}
	if sum, ok := s.Summarize(wait); ok {
		t.Errorf("of none: %+v", sum)
	}
}

// The interval of a share is that of Wilson's score: values from Newcombe, "Two-sided confidence
// intervals for the single proportion" (1998), table I, and two that follow from the formula.
func TestSharesHaveConfidenceIntervals(t *testing.T) {
	c := simulation(t, "direct", func(c *scheduler.Simulation) {
		c.Nodes, c.Requests = 1, 2
		c.Properties = []model.Property{checks.RebuildBound(1), checks.MutualExclusion()}
		c.RebuildBound = 1
	})
	for runs, always := range map[int]float64{1: 0.2065, 20: 0.8389} {
		c.Runs = runs
		v := simulate(t, c, 0).Violations
		if v[0].Runs != runs || v[0].High != 1 || math.Abs(v[0].Low-always) > 0.0001 {
			t.Errorf("violated in %d of %d runs: %+v, want %v to 1", v[0].Runs, runs, v[0], always)
		}
		if v[1].Runs != 0 || v[1].Low != 0 || math.Abs(v[1].High-(1-always)) > 0.0001 {
			t.Errorf("never violated in %d runs: %+v", runs, v[1])
		}
	}
	for _, known := range []struct {
		seen, of  int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {29, 29, 0.8830, 1}} {
		low, high := scheduler.Wilson95(known.seen, known.of)
		if math.Abs(low-known.low) > 0.0001 || math.Abs(high-known.high) > 0.0001 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", known.seen, known.of, low, high, known.low, known.high)
		}
	}
}
