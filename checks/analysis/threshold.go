package analysis

import (
	"context"
	"slices"

	"lockstep/model"
	"lockstep/scheduler"
)

// Axis is a quantity that varies: a duration in nanoseconds, or a count.
type Axis struct {
	// From and To are the ends of what is looked at, Resolution the distance at
	// which two values count as next to each other.
	From, To, Resolution int64
	// Scenario returns the scenario with the value.
	Scenario func(value int64) (scheduler.Scenario, error)
}

// Probe is a value at which the property was checked.
type Probe struct {
	Value  int64
	Breaks bool
}

// Threshold is where a property breaks along an axis.
type Threshold struct {
	// Probes are all values that were checked, in ascending order.
	Probes []Probe
	// Changes are the pairs of probes next to each other between which the
	// verdict changes: one, if it is monotone; none, if it is everywhere the same.
	// Of several the first has been narrowed down to the resolution.
	Changes [][2]Probe
	// Holds and Breaks are the reports on both sides of the first change, Breaks
	// with a minimal counterexample; nil without a change.
	Holds, Breaks *scheduler.Report
}

// gridPoints is how many values are probed, evenly over the axis, before the border
// is narrowed down: a verdict that is not monotone shows itself there.
const gridPoints = 9

// FindThreshold finds where the verdict on the property changes along the axis: it
// checks a grid of values and narrows the first change down by bisection. Each check
// is exhaustive.
//
// The errors are those of [scheduler.Check], and a *CutOffError.
func FindThreshold(ctx context.Context, a Axis, property func(scheduler.Scenario) (model.Property, error), o scheduler.Options) (*Threshold, error) {
	t := &Threshold{}
	probe := func(value int64) (bool, error) {
		s, p, err := a.at(value, property)
		if err != nil {
			return false, err
		}
		broken, _, err := breaks(ctx, s, p, o)
		if err != nil {
			return false, err
		}
		t.Probes = append(t.Probes, Probe{value, broken})
		return broken, nil
	}
	for _, value := range a.grid() {
		if _, err := probe(value); err != nil {
			return nil, err
		}
	}
	t.change()
	if len(t.Changes) == 0 {
		return t, nil
	}
	low, high := t.Changes[0][0], t.Changes[0][1]
	for high.Value-low.Value > a.Resolution {
		middle := low.Value + (high.Value-low.Value)/2/a.Resolution*a.Resolution
		if middle == low.Value {
			middle += a.Resolution
		}
		broken, err := probe(middle)
		if err != nil {
			return nil, err
		}
		if broken == low.Breaks {
			low.Value = middle
		} else {
			high.Value = middle
		}
	}
	t.change()
	for _, side := range []Probe{low, high} {
		s, p, err := a.at(side.Value, property)
		if err != nil {
			return nil, err
		}
		r, _, err := search(ctx, s, p, o)
		if err != nil {
			return nil, err
		}
		if side.Breaks {
			t.Breaks = r
		} else {
			t.Holds = r
		}
	}
	return t, nil
}

func (a *Axis) at(value int64, property func(scheduler.Scenario) (model.Property, error)) (scheduler.Scenario, model.Property, error) {
	s, err := a.Scenario(value)
	if err != nil {
		return s, nil, err
	}
	if s, err = s.Check(); err != nil {
		return s, nil, err
	}
	p, err := property(s)
	return s, p, err
}

// grid returns the values that are probed first.
func (a *Axis) grid() []int64 {
	var values []int64
	for k := range int64(gridPoints) {
		value := a.To
		if k < gridPoints-1 {
			value = a.From + (a.To-a.From)/(gridPoints-1)*k/a.Resolution*a.Resolution
		}
		if n := len(values); n == 0 || values[n-1] != value {
			values = append(values, value)
		}
	}
	return values
}

// change sorts the probes and finds the changes among them.
func (t *Threshold) change() {
	slices.SortFunc(t.Probes, func(a, b Probe) int { return int(min(max(a.Value-b.Value, -1), 1)) })
	t.Changes = nil
	for i := 1; i < len(t.Probes); i++ {
		if t.Probes[i-1].Breaks != t.Probes[i].Breaks {
			t.Changes = append(t.Changes, [2]Probe{t.Probes[i-1], t.Probes[i]})
		}
	}
}
