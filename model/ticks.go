package model

import (
	"fmt"
	"time"
)

// Ticks is a duration as a whole number of ticks. The tick of a search is the
// greatest common divisor of all durations that occur in it.
type Ticks int32

const (
	// Forever bounds nothing.
	Forever Ticks = 1 << 30
	// MaxTicks is the longest finite duration.
	MaxTicks Ticks = 1 << 24
)

// Tick converts between durations and ticks. The zero value has seen no
// duration yet.
type Tick struct{ size time.Duration }

// Size returns the length of a tick.
func (t Tick) Size() time.Duration {
	if t.size == 0 {
		return time.Nanosecond
	}
	return t.size
}

// With returns the tick refined so that each of the durations is a whole number
// of ticks.
func (t Tick) With(durations ...time.Duration) Tick {
	for _, d := range durations {
		a, b := t.size, d
		for b != 0 {
			a, b = b, a%b
		}
		t.size = a
	}
	return t
}

// Fits reports whether d is a whole number of ticks. Only 0 is as long as no
// duration is known.
func (t Tick) Fits(d time.Duration) bool {
	if t.size == 0 {
		return d == 0
	}
	return d%t.size == 0
}

// Ticks converts d, which must fit. It is an error if d has more than MaxTicks
// ticks.
func (t Tick) Ticks(d time.Duration) (Ticks, error) {
	n := d / t.Size()
	if n > time.Duration(MaxTicks) {
		return 0, fmt.Errorf("the duration %s is too long to be counted exactly: the durations of this scenario have the greatest common divisor %s, and a duration may have at most %d of these; round the durations to coarser units",
			FormatDuration(d), FormatDuration(t.Size()), MaxTicks)
	}
	return Ticks(n), nil
}

// Duration converts back.
func (t Tick) Duration(n Ticks) time.Duration { return time.Duration(n) * t.Size() }
