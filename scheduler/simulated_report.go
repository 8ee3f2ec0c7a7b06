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

// PropertyCount says in how many runs a property was violated, and the seed of the first, 0 if
// there is none.
type PropertyCount struct {
	Property string `json:"property"`
	Runs     int    `json:"runs"`
	Seed     uint64 `json:"seed"`
	// Low and High are the ends of the 95 % confidence interval of the share of runs that violate
	// the property, from 0 to 1, by the score of Wilson ("Probable inference, the law of
	// succession, and statistical inference", 1927).
	Low  float64 `json:"low"`
	High float64 `json:"high"`
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
		count.Low, count.High = wilson95(count.Runs, len(runs))
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

// Summarize summarizes a measurement of each run, but for those that do not have it, for which
// it is NaN. ok is false if none has it.
func (s *Simulated) Summarize(of func(*RunResult) float64) (sum Summary, ok bool) {
	values := make([]float64, 0, len(s.Runs))
	for _, r := range s.Runs {
		if v := of(r); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Summary{}, false
	}
	slices.Sort(values)
	n := float64(len(values))
	total := 0.0
	for _, v := range values {
		total += v
	}
	mean, squares := total/n, 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	middle := len(values) / 2
	median := values[middle]
	if len(values)%2 == 0 {
		median = (values[middle-1] + values[middle]) / 2
	}
	sum = Summary{Mean: mean, Least: values[0], Median: median, Most: values[len(values)-1]}
	if len(values) > 1 {
		sum.Margin = float64(student95(len(values)-1) * math.Sqrt(squares/(n-1)/n))
	}
	return sum, true
}

// MeanWait returns the measurement of a wait in seconds, for Summarize. Runs without an answer
// do not have it.
func MeanWait(of func(Waits) time.Duration) func(*RunResult) float64 {
	return OfAnswers(func(r *RunResult) float64 { return of(r.Waits).Seconds() })
}

// OfAnswers returns a measurement of the requests that were answered: runs without an answer
// do not have it.
func OfAnswers(of func(*RunResult) float64) func(*RunResult) float64 {
	return func(r *RunResult) float64 {
		if r.Answered == 0 {
			return math.NaN()
		}
		return of(r)
	}
}

// wilson95 returns the 95 % confidence interval of a share of which so many of n were seen.
func wilson95(seen, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	of, share := float64(n), float64(seen)/float64(n)
	middle := share + z*z/(2*of)
	half := float64(z * math.Sqrt(float64(share*(1-share))/of+z*z/(4*of*of)))
	scale := 1 + z*z/of
	return max((middle-half)/scale, 0), min((middle+half)/scale, 1)
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
	case freedom < 40:
		return 2.042
	case freedom < 60:
		return 2.021
	case freedom < 120:
		return 2.000
	case freedom < 1000:
		return 1.980
	}
	return 1.962
}
