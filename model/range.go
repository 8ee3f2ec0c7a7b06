package model

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

// Range bounds a duration that is not known exactly: it is at least Min and at
// most Max, both included. The zero value is exactly zero. A literal can hold
// ends that make no sense; see [Range.Validate].
type Range struct{ Min, Max time.Duration }

// Unbounded as the upper end of a range says that there is none. Only operations can
// have it, no parameters.
const Unbounded = time.Duration(math.MaxInt64)

// Exactly returns the range that contains d alone.
func Exactly(d time.Duration) Range { return Range{d, d} }

// Between returns the range from min to max, both included.
func Between(min, max time.Duration) Range { return Range{min, max} }

// ParseRange reads what [Range.String] prints: two durations as in "2s..25s" or
// "0..5ms", or one as in "50ms" for exactly that long. The durations are those
// of [ParseDuration]. The error is one sentence that says what is wrong with s
// and what to write instead.
func ParseRange(s string) (Range, error) {
	low, high, two := strings.Cut(s, "..")
	if !two {
		d, err := ParseDuration(s)
		if err != nil {
			return Range{}, fmt.Errorf(`%w, or a range such as "2s..25s"`, err)
		}
		return Exactly(d), nil
	}
	// "0...5ms" would otherwise be read as 0 to .5ms.
	if strings.Contains(s, "...") {
		return Range{}, fmt.Errorf(`range %q has too many dots; write two, as in "2s..25s"`, s)
	}
	if low == "" || high == "" {
		return Range{}, fmt.Errorf(`range %q lacks an end; write both, as in "2s..25s"`, s)
	}
	var r Range
	var err error
	if r.Min, err = ParseDuration(low); err == nil {
		r.Max, err = ParseDuration(high)
	}
	if err != nil {
		return Range{}, fmt.Errorf("range %q cannot be read: %w", s, err)
	}
	if err := r.validate(s); err != nil {
		return Range{}, err
	}
	return r, nil
}

// String returns the shortest form: "2s..25s", or "50ms" if both ends are
// equal. Durations are printed as by [FormatDuration].
func (r Range) String() string {
	if r.Min == r.Max {
		return FormatDuration(r.Min)
	}
	return FormatDuration(r.Min) + ".." + FormatDuration(r.Max)
}

// Describe is String, but "2s.." if the upper end is [Unbounded].
func (r Range) Describe() string {
	if r.Max == Unbounded {
		return FormatDuration(r.Min) + ".."
	}
	return r.String()
}

// Validate reports whether 0 <= Min <= Max. The error is one sentence that says
// which rule is broken and what to write instead.
func (r Range) Validate() error { return r.validate(r.String()) }

// validate calls the range by the text that its author wrote.
func (r Range) validate(text string) error {
	if r.Min < 0 || r.Max < 0 {
		return fmt.Errorf(`range %q is negative; write durations of "0s" or longer, as in "2s..25s"`, text)
	}
	if r.Min > r.Max {
		return fmt.Errorf("range %q runs the wrong way round; write %q", text, Between(r.Max, r.Min))
	}
	return nil
}

// MarshalText returns [Range.String], so that a range in JSON is a string such
// as "2s..25s". It fails for a range that UnmarshalText would refuse.
func (r Range) MarshalText() ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads the range as [ParseRange] does. After an error r is as it
// was.
func (r *Range) UnmarshalText(text []byte) error {
	parsed, err := ParseRange(string(text))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}

// FormatDuration prints d exactly and without zero parts: "5m" for what
// [time.Duration.String] prints as "5m0s". Zero is "0s". [ParseDuration] reads
// it back unless d is negative.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return strings.Replace(s, "h0m", "h", 1)
}

var (
	durationSyntax = regexp.MustCompile(`^[-+]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$`)
	bareNumber     = regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)$`)
)

// ParseDuration reads a duration as [time.ParseDuration] does: numbers with the
// units ns, us, ms, s, m and h, as in "1m30s" or "0.5s", or a plain "0"; what is
// finer than a nanosecond is dropped. A negative duration is an error, and so is
// one over 2562047h. The error is one sentence that says what is wrong with s
// and what to write instead.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil && d >= 0 {
		return d, nil
	}
	switch {
	case s == "":
		return 0, fmt.Errorf(`duration %q is empty; write a number with a unit, such as "10s"`, s)
	case bareNumber.MatchString(s):
		n := strings.TrimLeft(s, "+-")
		return 0, fmt.Errorf("duration %q has no unit; write %q or %q", s, n+"s", n+"ms")
	case !durationSyntax.MatchString(s):
		return 0, fmt.Errorf(`duration %q cannot be read; write numbers with the units ns, us, ms, s, m or h, such as "10s" or "1m30s"`, s)
	case s[0] == '-':
		return 0, fmt.Errorf(`duration %q is negative; write "0s" or longer`, s)
	default:
		return 0, fmt.Errorf(`duration %q is too long to be counted; write at most "2562047h"`, s)
	}
}
