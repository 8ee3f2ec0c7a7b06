package scheduler

import (
	"math"
	"slices"
	"time"

	"lockstep/model"
)

// Simulated is what came of a simulation.
type Simulated struct {
	Protocol   string                 `json:"protocol"`
	Parameters []model.ParameterValue `json:"parameters"`
	// RebuildBound is how many rebuilds are allowed for an expiry, 0 if nobody says.
	RebuildBound int `json:"rebuild_bound"`
	// Wanted is how many runs there were to be. Partial: it was stopped before all of them
	// were over; Runs are the first ones, or the first one until then.
	Wanted  int          `json:"runs_wanted"`
	Partial bool         `json:"partial"`
	Runs    []*RunResult `json:"runs"`
	// Worst is the run that went worst, nil if there was none.
	Worst *RunResult `json:"worst"`
	// Violations say in how many runs each property was violated, in the order of the
	// properties.
	Violations []PropertyCount `json:"violations"`
}

// PropertyCount says in how many runs a property was violated, and the seed of the first.
type PropertyCount struct {
	Property string `json:"property"`
	Runs     int    `json:"runs"`
	Seed     uint64 `json:"seed,omitempty"`
}

func newSimulated(c *prepared, runs []*RunResult) *Simulated {
	s := &Simulated{
		Protocol: c.Name, Parameters: c.Parameters(), RebuildBound: c.RebuildBound,
		Wanted: c.Runs, Partial: len(runs) < c.Runs || slices.ContainsFunc(runs, func(r *RunResult) bool { return r.Stopped }), Runs: runs, Violations: []PropertyCount{},
	}
	for _, r := range runs {
		if s.Worst == nil || r.worse(s.Worst) {
			s.Worst = r
		}
	}
	for _, p := range c.Properties {
		count := PropertyCount{Property: p.Name()}
		for _, r := range runs {
			if slices.ContainsFunc(r.Violations, func(b Breach) bool { return b.Property == p.Name() }) {
				if count.Runs++; count.Runs == 1 {
					count.Seed = r.Seed
				}
			}
		}
		s.Violations = append(s.Violations, count)
	}
	return s
}

// Summary says how a measurement is distributed over runs.
type Summary struct {
	Mean float64 `json:"mean"`
	// Margin is half of the width of the 95 % confidence interval of the mean, by
	// Student's t; 0 for one run, of which nothing can be said.
	Margin float64 `json:"margin"`
	Least  float64 `json:"least"`
	Median float64 `json:"median"`
	Most   float64 `json:"most"`
}

// Summarize summarizes a measurement of each run.
func (s *Simulated) Summarize(of func(*RunResult) float64) Summary {
	values := make([]float64, len(s.Runs))
	for i, r := range s.Runs {
		values[i] = of(r)
	}
	if len(values) == 0 {
		return Summary{}
	}
	slices.Sort(values)
	n := float64(len(values))
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean, squares := sum/n, 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	middle := len(values) / 2
	median := values[middle]
	if len(values)%2 == 0 {
		median = (values[middle-1] + values[middle]) / 2
	}
	result := Summary{Mean: mean, Least: values[0], Median: median, Most: values[len(values)-1]}
	if len(values) > 1 {
		result.Margin = float64(student95(len(values)-1) * math.Sqrt(squares/(n-1)/n))
	}
	return result
}

// MeanWait returns the measurement of a wait in seconds, for Summarize.
func MeanWait(of func(Waits) time.Duration) func(*RunResult) float64 {
	return func(r *RunResult) float64 { return of(r.Waits).Seconds() }
}

// student95 returns the 97.5th percentile of Student's t distribution with so many degrees
// of freedom; above 30 that of the next lower number in the table.
func student95(freedom int) float64 {
	table := [...]float64{
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	}
	switch {
	case freedom <= len(table):
		return table[freedom-1]
	case freedom < 60:
		return 2.021
	case freedom < 120:
		return 2.000
	case freedom < 1000:
		return 1.980
	}
	return 1.962
}
