package faults

import (
	"fmt"
	"math"
	"strings"
	"time"

	"lockstep/model"
)

// FormatRate writes by how much a clock drifts each second: "1%", or "200ppm" where that
// is shorter. [ParseRate] reads it back.
func FormatRate(perSecond time.Duration) string {
	const percent, million = 10 * time.Millisecond, time.Microsecond
	if perSecond%(percent/100) == 0 {
		return decimal(perSecond, percent) + "%"
	}
	return decimal(perSecond, million) + "ppm"
}

// decimal writes d as a number of units, each a power of ten.
func decimal(d, unit time.Duration) string {
	text := fmt.Sprint(int64(d / unit))
	if rest := d % unit; rest != 0 {
		digits := len(fmt.Sprint(int64(unit))) - 1
		text += "." + strings.TrimRight(fmt.Sprintf("%0*d", digits, int64(rest)), "0")
	}
	return text
}

// ParseRate reads by how much a clock drifts, "1%" or "200ppm", as a duration each
// second. The error says what to write instead.
func ParseRate(text string) (perSecond time.Duration, err error) {
	number, found := strings.CutSuffix(text, "%")
	unit, times := "ms", time.Duration(10)
	if !found {
		number, found = strings.CutSuffix(text, "ppm")
		unit, times = "us", 1
	}
	if found {
		perSecond, err = model.ParseDuration(number + unit)
	}
	if !found || err != nil || strings.ContainsAny(number, "hnuµμms+-") {
		return 0, fmt.Errorf(`rate %q cannot be read; write a number with the unit %% or ppm, such as "1%%" or "200ppm"`, text)
	}
	if perSecond > math.MaxInt64/times {
		return 0, fmt.Errorf(`rate %q is too large to be counted; write at most "50%%"`, text)
	}
	return perSecond * times, nil
}
