package distribution

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"lockstep/model"
)

// normal99 is the 99th percentile of the standard normal distribution.
const normal99 = 2.3263478740408408

// The longest duration that is drawn is so many times a percentile or a mean; what would be
// longer is that. For a log-normal distribution this is one of 4,000 draws where the 99th
// percentile is a hundred times the median, one of 200,000 where it is twelve times.
const (
	percentiles = 10
	means       = 50
)

// LogNormal returns the distribution whose logarithm is normal, with the median p50 and the
// 99th percentile p99: 0 < p50 <= p99. Draws are rounded to microseconds, and are ten times
// p99 at most.
func LogNormal(p50, p99 time.Duration) (Distribution, error) {
	if p50 <= 0 || p99 < p50 {
		return nil, fmt.Errorf("a log-normal distribution with the median %s and the 99th percentile %s: the median must be positive and not above the percentile, as in lognormal:2s..25s",
			model.FormatDuration(p50), model.FormatDuration(p99))
	}
	if err := valid(p99); err != nil {
		return nil, err
	}
	return lognormal{p50, p99, logarithm(float64(p99)/float64(p50)) / normal99}, nil
}

type lognormal struct {
	p50, p99 time.Duration
	sigma    float64
}

func (l lognormal) Sample(r rand.Source) time.Duration {
	return rounded(float64(float64(l.p50)*exponential(float64(l.sigma*normal(r)))), l.Range().Max)
}

func (l lognormal) String() string {
	return "lognormal:" + model.FormatDuration(l.p50) + ".." + model.FormatDuration(l.p99)
}

func (l lognormal) Range() model.Range {
	return model.Range{Max: min(percentiles*l.p99, Longest)}
}

// rounded returns nanoseconds as a duration of whole microseconds, and the longest at most.
func rounded(ns float64, longest time.Duration) time.Duration {
	if ns >= float64(longest) {
		return longest
	}
	return time.Duration(math.Floor(ns/1000+0.5)) * time.Microsecond
}

// Exponential returns the distribution of the time between events that come independently
// of each other, with the mean, which is positive and Longest at
// most. Draws are rounded to microseconds, and
// are fifty times the mean at most, and Longest.
func Exponential(mean time.Duration) Distribution { return exponentially(mean) }

type exponentially time.Duration

func (e exponentially) Sample(r rand.Source) time.Duration {
	return rounded(float64(float64(e)*-logarithm(unit(r))), e.Range().Max)
}

func (e exponentially) Range() model.Range {
	return model.Range{Max: min(means*time.Duration(e), Longest)}
}

func (e exponentially) String() string { return model.FormatDuration(time.Duration(e)) }
