package sweep

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/model"
)

// Axis is a setting that varies, or several that vary together: their names are then joined
// with + and so are their values, as in pause+pause-for=1x5s+0s..5s.
type Axis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// MaxValues is how many values an axis can have.
const MaxValues = 10_000

// Names returns the settings that the axis is about.
func (a *Axis) Names() []string { return strings.Split(a.Name, "+") }

// ParseAxis reads an axis: a name, an equals sign and values with commas between them. A
// value LO..HI/N, where LO and HI are durations, counts, or budgets of as many faults, stands
// for N of them from LO to HI at equal distances, rounded to about a thousandth of the distance.
func ParseAxis(text string) (Axis, error) {
	name, list, ok := strings.Cut(text, "=")
	if !ok || name == "" || list == "" {
		return Axis{}, fmt.Errorf("axis %q is no setting with values; write it as ttl=1s,2s,5s or ttl=1s..30s/8", text)
	}
	a := Axis{Name: name}
	for item := range strings.SplitSeq(list, ",") {
		if item == "" {
			return Axis{}, fmt.Errorf("axis %q has an empty value; write one comma between two values", text)
		}
		values, err := spread(item)
		if err != nil {
			return Axis{}, fmt.Errorf("axis %s: %w", name, err)
		}
		a.Values = append(a.Values, values...)
	}
	return a, a.check()
}

// check reports whether the values are such that each can be a coordinate.
func (a *Axis) check() error {
	if len(a.Values) > MaxValues {
		return fmt.Errorf("axis %s has %d values: it must be at most %d", a.Name, len(a.Values), MaxValues)
	}
	names := len(a.Names())
	seen := map[string]bool{}
	for _, v := range a.Values {
		if seen[v] {
			return fmt.Errorf("axis %s has the value %s twice; leave one out", a.Name, v)
		}
		seen[v] = true
		if names > 1 && len(strings.Split(v, "+")) != names {
			return fmt.Errorf("axis %s is about %d settings and the value %q about %d; write a value of each, with + between them", a.Name, names, v, len(strings.Split(v, "+")))
		}
	}
	return nil
}

var spreadSyntax = regexp.MustCompile(`^(.+?)\.\.(.+)/(\d+)$`)

// spread returns the values that an item of a list stands for: itself unless it is a spread.
func spread(item string) ([]string, error) {
	parts := spreadSyntax.FindStringSubmatch(item)
	if parts == nil {
		return []string{item}, nil
	}
	low, lowOK := quantityOf(parts[1])
	high, highOK := quantityOf(parts[2])
	if !lowOK || !highOK {
		return []string{item}, nil
	}
	n, err := strconv.Atoi(parts[3])
	switch {
	case low.times != high.times || low.count != high.count:
		return nil, fmt.Errorf("the ends of %s are of two kinds; write them alike, as in 1s..30s/8, 1..8/8 or 1x1s..1x12s/12", item)
	case err != nil || n < 2 || n > MaxValues:
		return nil, fmt.Errorf("%s stands for %s values: it must be 2 to %d", item, parts[3], MaxValues)
	case low.value >= high.value:
		return nil, fmt.Errorf("%s does not rise; write the lower end first", item)
	}
	values := make([]string, n)
	for i := range values {
		q := low
		q.value = between(low.value, high.value, int64(i), int64(n-1), low.count)
		values[i] = q.String()
		if i > 0 && values[i] == values[i-1] {
			return nil, fmt.Errorf("there are no %d different values from %s to %s", n, parts[1], parts[2])
		}
	}
	return values, nil
}

// between returns the value at i of n steps from low to high, of a duration rounded to a power
// of ten of nanoseconds that is about a thousandth of a step.
func between(low, high, i, n int64, count bool) int64 {
	if i == 0 || i == n {
		return []int64{low, high}[min(i, 1)]
	}
	unit := int64(1)
	for !count && unit*1000 <= (high-low)/n {
		unit *= 10
	}
	exact := float64(low) + float64(float64(high-low)*float64(i)/float64(n))
	return int64(math.Round(exact/float64(unit))) * unit
}

// quantity is a value that has a magnitude: a count, a duration, or a budget of so many faults
// of up to a duration.
type quantity struct {
	value int64
	count bool
	times string
}

func quantityOf(text string) (quantity, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 && n < 1<<40 {
		return quantity{value: n, count: true}, true
	}
	times := ""
	if number, rest, ok := strings.Cut(text, "x"); ok {
		if _, err := strconv.ParseUint(number, 10, 31); err != nil {
			return quantity{}, false
		}
		times, text = number+"x", rest
	}
	d, err := model.ParseDuration(text)
	return quantity{value: int64(d), times: times}, err == nil
}

func (q quantity) String() string {
	if q.count {
		return strconv.FormatInt(q.value, 10)
	}
	return q.times + model.FormatDuration(time.Duration(q.value))
}

// Magnitudes returns how large the values of the axis are, and in which unit: "s", or "" for
// counts. Of an axis of several settings the first one counts; no fault at all is one of 0.
// ok is false if the values have no magnitudes that can be compared, as those of ranges and
// of names.
func (a *Axis) Magnitudes() (sizes []float64, unit string, ok bool) {
	counts := 0
	for _, v := range a.Values {
		v, _, _ = strings.Cut(v, "+")
		q, ok := quantityOf(v)
		if !ok {
			return nil, "", false
		}
		size := float64(q.value)
		switch {
		case q.count && q.value != 0:
			counts++
		case !q.count:
			size /= float64(time.Second)
		}
		sizes = append(sizes, size)
	}
	zeros := len(slices.DeleteFunc(slices.Clone(sizes), func(s float64) bool { return s != 0 }))
	switch counts {
	case 0:
		return sizes, "s", true
	case len(sizes) - zeros:
		return sizes, "", true
	}
	return nil, "", false
}
