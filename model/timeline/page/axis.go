package page

import (
	"math"
	"time"

	"lockstep/model"
)

// Widths in pixels. A step has a column of its own; between instants there is a gap.
const (
	narrowColumn = 34
	wideColumn   = 76
	// gapLeast is the least width of a gap, gapMost the greatest.
	gapLeast = 40
	gapMost  = 460
	// room is what a chart fills if it can, less the labels and the tail, on a wide screen.
	room = 1100
	// tail is what follows the last step.
	tail = 92
)

// axis maps steps and times to places. Time is piecewise linear: it stands still in the columns
// of steps of one instant and passes in the gaps between instants. As many gaps as possible have
// one scale; a gap that would be too narrow or too wide has one of its own and is marked.
type axis struct {
	column float64
	// left is the left edge of the column of each step.
	left     []float64
	instants []instant
	gaps     []gap
	end      float64
}

// instant is a maximal run of steps, first to last, at one time.
type instant struct {
	first, last int
	at          time.Duration
	from, to    float64
}

// gap is what lies between two instants.
type gap struct {
	// since and until are the times, from and to the places.
	since, until time.Duration
	from, to     float64
	// scaled: it has the scale of the other gaps that are scaled.
	scaled bool
}

// passes is the time that passes in the gap in nanoseconds. It is negative only in a trace that
// was edited.
func (g *gap) passes() float64 { return float64(g.until) - float64(g.since) }

func newAxis(steps []model.TraceStep) *axis {
	a := &axis{left: make([]float64, len(steps))}
	for i := range steps {
		if n := len(a.instants); n > 0 && a.instants[n-1].at == steps[i].Time {
			a.instants[n-1].last = i
			continue
		} else if n > 0 {
			a.gaps = append(a.gaps, gap{since: a.instants[n-1].at, until: steps[i].Time})
		}
		a.instants = append(a.instants, instant{first: i, last: i, at: steps[i].Time})
	}
	gaps := float64(len(a.gaps))
	a.column = narrowColumn
	if n := len(steps); n > 0 {
		a.column = math.Floor(min(wideColumn, max(narrowColumn, (room-gaps*110)/float64(n))))
	}
	widths := a.widths(max(gaps*gapLeast*1.5, room-float64(len(steps))*a.column))
	x := 0.0
	for k := range a.instants {
		in := &a.instants[k]
		in.from = x
		for i := in.first; i <= in.last; i++ {
			a.left[i] = x
			x += a.column
		}
		in.to = x
		if k < len(a.gaps) {
			g := &a.gaps[k]
			g.from, g.to = x, x+widths[k]
			x = g.to
		}
	}
	a.end = x + tail
	return a
}

// widths returns the width of each gap, a whole number, so that all together are about as wide as
// budget, and notes which have one scale.
func (a *axis) widths(budget float64) []float64 {
	widths := make([]float64, len(a.gaps))
	fill := func(scale float64) float64 {
		sum := 0.0
		for k := range a.gaps {
			wish := float64(a.gaps[k].passes() * scale)
			widths[k] = math.Round(min(gapMost, max(gapLeast, wish)))
			a.gaps[k].scaled = wish >= gapLeast && wish <= gapMost
			sum += widths[k]
		}
		return sum
	}
	// The scale, in pixels a nanosecond, is 2 to the power of something in between.
	low, high := -70.0, 10.0
	for range 50 {
		middle := (low + high) / 2
		if fill(math.Exp2(middle)) < budget {
			low = middle
		} else {
			high = middle
		}
	}
	fill(math.Exp2(low))
	if len(a.gaps) == 1 && a.gaps[0].passes() > 0 {
		a.gaps[0].scaled = true
	}
	return widths
}

// center is the place of the marker of step i.
func (a *axis) center(i int) float64 { return a.left[i] + math.Floor(a.column/2) }

// reach is the place up to which what is so after step i lasts, if step j changes it; it lasts to
// the end if j is no step.
func (a *axis) reach(j int) float64 {
	if j >= len(a.left) {
		return a.end
	}
	return a.center(j)
}

// within returns the times that divide the gap evenly, at whole numbers of a unit and at least 64
// pixels from each other, and their places. There are none in a gap that is not to scale.
func (g *gap) within() (times []time.Duration, places []float64) {
	const apart = 64
	if !g.scaled || g.to-g.from < 2*apart {
		return nil, nil
	}
	perPixel := g.passes() / (g.to - g.from)
	unit := round(perPixel * apart)
	if unit <= 0 {
		return nil, nil
	}
	first := g.since - g.since%unit
	for range 20 {
		first += unit
		if first >= g.until {
			break
		}
		x := math.Round(g.from + float64(float64(first-g.since)/perPixel))
		if x > g.from && x < g.to {
			times, places = append(times, first), append(places, x)
		}
	}
	return times, places
}

// round returns the least round duration of at least so many nanoseconds; 0 if it would be over
// 1000 hours.
func round(least float64) time.Duration {
	for _, unit := range []time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond} {
		for _, n := range []time.Duration{1, 2, 5, 10, 20, 50, 100, 200, 500} {
			if float64(n*unit) >= least {
				return n * unit
			}
		}
	}
	for _, n := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800, 3600000} {
		if float64(n*time.Second) >= least {
			return n * time.Second
		}
	}
	return 0
}
