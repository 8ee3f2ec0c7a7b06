// Package distribution has the distributions of durations from which a simulation draws,
// and the times at which requests arrive.
//
//	d, err := distribution.Parse("lognormal:2s..25s")  // p50 and p99
//	d.Sample(rand.NewPCG(1, 2))
//
// A draw depends on the source of randomness and on nothing else, on every machine: whole
// numbers are drawn exactly, and what needs logarithms uses those of this package, whose
// products are never fused with sums, and is rounded to whole microseconds.
//
// The package imports model for the syntax of durations. It must never import another
// package of this module.
package distribution

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"lockstep/model"
)

// Distribution is a distribution of durations, which are not negative.
type Distribution interface {
	// Sample draws a duration.
	Sample(r rand.Source) time.Duration
	// Range returns the shortest and the longest duration that can be drawn.
	Range() model.Range
	// String is the distribution as [Parse] reads it.
	String() string
}

// Longest is the longest duration that a simulation knows.
const Longest = 10_000 * time.Hour

// valid refuses a duration that is too long.
func valid(d time.Duration) error {
	if d > Longest {
		return fmt.Errorf("the duration %s is too long for a simulation; write at most %s", model.FormatDuration(d), model.FormatDuration(Longest))
	}
	return nil
}

// Syntax says how distributions are written.
const Syntax = "2s, 2s..25s, lognormal:P50..P99 or file:PATH"

// Parse reads a distribution: a duration for always that long, a range as 2s..25s for any
// time within it, each as likely as any other, lognormal:2s..25s with the median and the
// 99th percentile, or file:PATH for a file of durations, one a line, of which each is as
// likely as any other. No duration may be longer than [Longest]. The error says what to
// write instead.
func Parse(text string) (Distribution, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	return d, valid(d.Range().Max)
}

func parse(text string) (Distribution, error) {
	kind, rest, named := strings.Cut(text, ":")
	if !named {
		r, err := model.ParseRange(text)
		if err != nil {
			return nil, fmt.Errorf("%w; a distribution is %s", err, Syntax)
		}
		if r.Min == r.Max {
			return Constant(r.Min), nil
		}
		return Uniform(r), nil
	}
	switch kind {
	case "constant":
		d, err := model.ParseDuration(rest)
		return Constant(d), err
	case "uniform":
		r, err := model.ParseRange(rest)
		return Uniform(r), err
	case "lognormal":
		r, err := model.ParseRange(rest)
		if err != nil {
			return nil, err
		}
		return LogNormal(r.Min, r.Max)
	case "file":
		f, err := os.Open(rest)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return ReadEmpirical(rest, f)
	}
	return nil, fmt.Errorf("there is no distribution %q; write %s", kind, Syntax)
}

// below draws a number from 0 to n-1.
func below(r rand.Source, n uint64) uint64 {
	high, _ := bits.Mul64(r.Uint64(), n)
	return high
}
