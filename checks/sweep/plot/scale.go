package plot

import (
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"lockstep/checks/sweep"
)

// scale is where the values of an axis are.
type scale struct {
	axis *sweep.Axis
	// numbers has the place of each value; named: the values stand in rows, each with its name.
	numbers []float64
	named   bool
	unit    string
}

// newScale returns the scale of an axis: in rows if that is wanted, or if the values have no
// magnitudes.
func newScale(a *sweep.Axis, rows bool) *scale {
	s := &scale{axis: a}
	numbers, unit, ok := a.Magnitudes()
	if ok && !rows {
		s.numbers, s.unit = numbers, unit
		return s
	}
	s.named = true
	for i := range a.Values {
		s.numbers = append(s.numbers, float64(i))
	}
	return s
}

func (s *scale) at(value string) float64 { return s.numbers[slices.Index(s.axis.Values, value)] }

// label is what is written at the axis.
func (s *scale) label() string {
	if s.unit == "" || s.named {
		return s.axis.Name
	}
	return s.axis.Name + " (" + s.unit + ")"
}

// apply sets up an axis of a plot that is so long; vertical labels need less room.
func (s *scale) apply(a *plot.Axis, long vg.Length, vertical bool) {
	low, high := slices.Min(s.numbers), slices.Max(s.numbers)
	pad := (high - low) * 0.05
	if s.named || pad == 0 {
		pad = 0.6
	}
	a.Min, a.Max = low-pad, high+pad
	if s.named {
		a.Tick.Marker = named(s.axis.Values, a.Tick.Label, long, vertical)
		return
	}
	a.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		return spaced(plot.DefaultTicks{}.Ticks(low, high), a.Tick.Label, long, vertical)
	})
}

// named are ticks with names, as many of them as do not touch each other.
func named(names []string, sty text.Style, long vg.Length, vertical bool) plot.ConstantTicks {
	room := long / (vg.Length(len(names)) + 0.2)
	widest := sty.Font.Size * 1.2
	if !vertical {
		for _, n := range names {
			widest = max(widest, sty.Width(n)+6)
		}
	}
	every := 1
	for vg.Length(every)*room < widest && every < len(names) {
		every++
	}
	var ticks plot.ConstantTicks
	for i, n := range names {
		if i%every != 0 {
			n = ""
		}
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: n})
	}
	return ticks
}

// spaced leaves out labels that would touch others, and writes numbers plainly.
func spaced(ticks []plot.Tick, sty text.Style, long vg.Length, vertical bool) []plot.Tick {
	major, widest := 0, sty.Font.Size*1.2
	for i := range ticks {
		if ticks[i].IsMinor() {
			continue
		}
		ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'g', 6, 64)
		major++
		if !vertical {
			widest = max(widest, sty.Width(ticks[i].Label)+6)
		}
	}
	every := 1
	for vg.Length(every)*long < widest*vg.Length(major) && every < major {
		every++
	}
	for i, n := 0, 0; i < len(ticks); i++ {
		if ticks[i].IsMinor() {
			continue
		}
		if n%every != 0 {
			ticks[i].Label = ""
		}
		n++
	}
	return ticks
}
