package scheduler

import (
	"errors"
	"math"
	"math/bits"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// schedule bounds the instants of a run: instant i is later than instant k by at most
// most[i*n+k]. It is closed: no path of differences is shorter than the direct one.
type schedule struct {
	n    int
	most []time.Duration
}

// never is how much later an instant is that nothing bounds.
const never = time.Duration(math.MaxInt64 / 4)

// newSchedule returns that of a number of instants, which are not before the beginning.
func newSchedule(instants int) *schedule {
	s := &schedule{n: instants + 1}
	s.most = make([]time.Duration, s.n*s.n)
	for i := range s.most {
		if from, to := i/s.n, i%s.n; from != 0 && from != to {
			s.most[i] = never
		}
	}
	return s
}

// constrain adds that instant i is later than instant k by at most d, and reports whether
// that is possible.
func (s *schedule) constrain(i, k int, d time.Duration) bool {
	if s.most[i*s.n+k] <= d {
		return true
	}
	if back := s.most[k*s.n+i]; back < never && d+back < 0 {
		return false
	}
	for a := range s.n {
		to := s.most[a*s.n+i]
		if to >= never {
			continue
		}
		row := s.most[a*s.n : (a+1)*s.n]
		for b, from := range s.most[k*s.n : (k+1)*s.n] {
			if from < never && to+d+from < row[b] {
				row[b] = to + d + from
			}
		}
	}
	return true
}

// seconds are the lengths in true time of a second of each clock that drifts.
type seconds map[driftingClock]time.Duration

// of returns how long it takes until the clock has run for d. The lengths are such that
// this is a whole number of nanoseconds in the runs for which they were found.
func (s seconds) of(d time.Duration, by driftingClock) time.Duration {
	if by == (driftingClock{}) {
		return d
	}
	high, low := bits.Mul64(uint64(d), uint64(s[by]))
	quotient, _ := bits.Div64(high, low, uint64(time.Second))
	return time.Duration(quotient)
}

// length returns how long a second of the clock takes; a second if nothing in the run is
// measured by it.
func (s seconds) length(by driftingClock) time.Duration {
	if length, ok := s[by]; ok {
		return length
	}
	return time.Second
}

var errNoInstants = errors.New("scheduler: a stored run cannot happen at any times")

// instantsOf picks an instant for each move, from the beginning: as early as possible, and
// round where there is room. It is a shortest-path problem on the differences.
func instantsOf(path []pathMove, tick model.Tick, lengths seconds) ([]time.Duration, error) {
	s := newSchedule(len(path))
	for _, step := range path {
		for _, d := range step.constraints {
			if !s.constrain(d.k, d.i, -lengths.of(tick.Duration(model.Ticks(d.least)), d.by)) {
				return nil, errNoInstants
			}
			if d.most < zone.Infinity && !s.constrain(d.i, d.k, lengths.of(tick.Duration(model.Ticks(d.most)), d.by)) {
				return nil, errNoInstants
			}
		}
	}
	unit := tick.Size()
	if len(lengths) > 0 {
		unit = time.Nanosecond
	}
	result := make([]time.Duration, len(path))
	for n := range result {
		at := roundest(-s.most[n+1], s.most[(n+1)*s.n], unit)
		if !s.constrain(n+1, 0, at) || !s.constrain(0, n+1, -at) {
			return nil, errNoInstants
		}
		result[n] = at
	}
	return result, nil
}

// roundest returns the earliest of the roundest times from least to most: a whole second
// if there is one, or a tenth of a second, and so on, of those that are a whole number of
// units.
func roundest(least, most, unit time.Duration) time.Duration {
	for round := time.Second; round >= 1; round /= 10 {
		if round%unit != 0 {
			continue
		}
		if at := (least + round - 1) / round * round; at <= most {
			return at
		}
	}
	return least
}
