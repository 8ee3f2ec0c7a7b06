package plot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/checks/sweep"
	"lockstep/model"
)

// maxLines is how many lines can still be told apart.
const maxLines = 6

// curve is a line with a name, and around each of its points a confidence interval.
type curve struct {
	name           string
	x, y, low, top []float64
	// plain: it has neither markers nor intervals.
	plain bool
}

func (c *curve) add(x, y, margin float64) {
	c.x, c.y, c.low, c.top = append(c.x, x), append(c.y, y), append(c.low, y-margin), append(c.top, y+margin)
}

// Rebuilds draws how many rebuilds there were for one expiry, at most, over an axis.
func Rebuilds(w io.Writer, s *sweep.Sweep, v View, size Size) error {
	c, x, err := curvesOf(s, v)
	if err != nil {
		return err
	}
	var curves []*curve
	title := "the most rebuilds for one expiry"
	if c.y >= 0 {
		curves = c.lines(x, sweep.MostRebuilds)
		title += ", mean over runs"
	} else {
		curves = []*curve{
			c.line(x, "mean over runs, with 95 % interval", sweep.MostRebuilds),
			c.values(x, "most in any run", func(p *sweep.Point) float64 {
				m, _ := p.Simulation.Measure(sweep.MostRebuilds)
				return m.Most
			}),
		}
	}
	if line := c.claims(x); line != nil {
		curves = append(curves, line)
	}
	return c.draw(w, x, curves, title, "rebuilds for one expiry", size)
}

// Waits draws how long requests waited, over an axis: the median and the 99th percentile, or
// that percentile alone for each value of a second axis.
func Waits(w io.Writer, s *sweep.Sweep, v View, size Size) error {
	c, x, err := curvesOf(s, v)
	if err != nil {
		return err
	}
	if c.y >= 0 {
		return c.draw(w, x, c.lines(x, sweep.WaitP99), "the 99th percentile of waits, mean over runs with 95 % interval", "wait (s)", size)
	}
	return c.draw(w, x, []*curve{c.line(x, "p99", sweep.WaitP99), c.line(x, "p50", sweep.WaitP50), c.line(x, "longest", sweep.WaitMax)},
		"waits of requests, means over runs with 95 % intervals", "wait (s)", size)
}

// claims is a line of how many rebuilds are claimed, nil if nobody says, or if there is no one
// line: for each value of a second axis another one.
func (c *selection) claims(x *scale) *curve {
	of := func(p *sweep.Point) int { return p.Simulation.Claimed }
	least, most := c.bounds(of)
	switch {
	case least == 0, least < most && c.y >= 0:
		return nil
	case least < most:
		line := c.values(x, "claimed", func(p *sweep.Point) float64 { return float64(of(p)) })
		line.plain = true
		return line
	}
	line := &curve{name: fmt.Sprintf("claimed: %d", least), plain: true}
	for _, at := range []float64{slices.Min(x.numbers), slices.Max(x.numbers)} {
		line.add(at, float64(least), 0)
	}
	return line
}

// bounds are the least and the most of a number of the points.
func (c *selection) bounds(of func(*sweep.Point) int) (least, most int) {
	least, most = math.MaxInt, 0
	for _, p := range c.points {
		least, most = min(least, of(p)), max(most, of(p))
	}
	return least, most
}

func curvesOf(s *sweep.Sweep, v View) (*selection, *scale, error) {
	if !s.Plan.Simulate {
		return nil, nil, errors.New("the sweep has no numbers, for a curve to show; it was made with --no-simulate")
	}
	c, err := choose(s, v)
	if err != nil {
		return nil, nil, err
	}
	if c.y >= 0 && len(s.Plan.Axes[c.y].Values) > maxLines {
		return nil, nil, fmt.Errorf("the axis %s has %d values, and %d lines at most can be told apart; leave out --y, and choose one with --at %s=%s",
			v.Y, len(s.Plan.Axes[c.y].Values), maxLines, v.Y, s.Plan.Axes[c.y].Values[0])
	}
	x := newScale(&s.Plan.Axes[c.x], false)
	slices.SortStableFunc(c.points, func(a, b *sweep.Point) int {
		return int(math.Copysign(1, x.at(a.Values[c.x])-x.at(b.Values[c.x])))
	})
	return c, x, nil
}

// line is a measurement with its intervals, where there is one.
func (c *selection) line(x *scale, name, measure string) *curve {
	line := &curve{name: name}
	for _, p := range c.points {
		if m, ok := p.Simulation.Measure(measure); ok {
			line.add(x.at(p.Values[c.x]), m.Mean, m.Margin)
		}
	}
	return line
}

// lines has one for each value of the second axis.
func (c *selection) lines(x *scale, measure string) []*curve {
	var curves []*curve
	for _, value := range c.sweep.Plan.Axes[c.y].Values {
		one := *c
		one.points = slices.DeleteFunc(slices.Clone(c.points), func(p *sweep.Point) bool { return p.Values[c.y] != value })
		if len(one.points) > 0 {
			curves = append(curves, one.line(x, c.view.Y+" "+value, measure))
		}
	}
	return curves
}

func (c *selection) values(x *scale, name string, of func(*sweep.Point) float64) *curve {
	line := &curve{name: name}
	for _, p := range c.points {
		line.add(x.at(p.Values[c.x]), of(p), 0)
	}
	return line
}

// draw draws curves. Values that lie far apart are on a logarithmic scale.
func (c *selection) draw(w io.Writer, x *scale, curves []*curve, title, yLabel string, size Size) error {
	if err := size.Validate(); err != nil {
		return err
	}
	low, high := math.Inf(1), 0.0
	for _, line := range curves {
		for i, y := range line.y {
			high = max(high, y, line.top[i])
			if y > 0 {
				low = min(low, y)
			}
		}
	}
	logarithmic := low < high/50
	if logarithmic {
		yLabel = strings.Replace(yLabel, "(s)", "(s, logarithmic)", 1)
	}
	p := newPlot(x.label(), yLabel)
	x.apply(&p.X, vg.Length(size.Width-3)*vg.Centimeter, false)
	tall := vg.Length(size.Height-4) * vg.Centimeter
	if logarithmic {
		low = math.Pow(10, math.Floor(math.Log10(low)))
		p.Y.Min, p.Y.Max = low, high*1.2
		p.Y.Scale = plot.LogScale{}
		p.Y.Tick.Marker = plot.TickerFunc(powers)
	} else {
		low = 0
		p.Y.Min, p.Y.Max = 0, max(high*1.08, 1e-9)
		p.Y.Tick.Marker = plot.TickerFunc(func(a, b float64) []plot.Tick {
			return spaced(plot.DefaultTicks{}.Ticks(a, b), p.Y.Tick.Label, tall, true)
		})
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, nil
	p.Add(grid)
	sh := &sheet{title: c.sweep.Plan.Protocol + ": " + title, subtitle: c.subtitle(), plot: p}
	for i, line := range curves {
		look := lookOf(i)
		if err := line.put(p, look, low); err != nil {
			return err
		}
		name := line.name
		if len(line.x) == 0 {
			name += ": none"
		}
		sh.legend = append(sh.legend, entry{name, func(canvas *draw.Canvas, at vg.Point) {
			canvas.StrokeLine2(look.line, at.X-sample/2, at.Y, at.X+sample/2, at.Y)
			if !line.plain {
				canvas.DrawGlyphNoClip(look.glyph, at)
			}
		}})
	}
	return sh.write(w, size)
}

// subtitle says how many runs there were, and the values of the other axes.
func (c *selection) subtitle() string {
	least, most := c.bounds(func(p *sweep.Point) int { return p.Simulation.Runs })
	text := model.Count(most, "run", "runs") + " a point"
	if least < most {
		text = fmt.Sprintf("%d to %d runs a point", least, most)
	}
	if fixed := c.fixedText(); fixed != "" {
		text += ", " + fixed
	}
	return text
}

// powers are ticks at powers of ten, with minor ones between.
func powers(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for exponent := math.Floor(math.Log10(low)); exponent <= math.Log10(high)+1e-9; exponent++ {
		power := math.Pow(10, exponent)
		for k := 1.0; k < 10; k++ {
			if k*power < low*0.999 || k*power > high {
				continue
			}
			t := plot.Tick{Value: k * power}
			if k == 1 {
				t.Label = fmt.Sprintf("%g", power)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// look is how a line is drawn.
type look struct {
	line  draw.LineStyle
	glyph draw.GlyphStyle
}

// lookOf returns one of looks that differ in dashes and in markers.
func lookOf(i int) look {
	dashes := [][]vg.Length{nil, {6, 3}, {1.5, 2.5}, {8, 2, 2, 2}, {3, 3}, {10, 4}}
	glyphs := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}, draw.BoxGlyph{}}
	colors := []color.Color{blue, vermilion, black, color.RGBA{0, 120, 90, 255}, grey, color.RGBA{120, 60, 120, 255}}
	n := i % maxLines
	return look{
		draw.LineStyle{Color: colors[n], Width: 1.3, Dashes: dashes[n]},
		draw.GlyphStyle{Color: colors[n], Radius: 3.2, Shape: glyphs[n]},
	}
}

// put adds the line to a plot, whose values begin at low.
func (c *curve) put(p *plot.Plot, l look, low float64) error {
	if len(c.x) == 0 {
		return nil
	}
	points := make(plotter.XYs, len(c.x))
	intervals := struct {
		plotter.XYs
		plotter.YErrors
	}{points, make(plotter.YErrors, len(c.x))}
	for i := range points {
		points[i] = plotter.XY{X: c.x[i], Y: max(c.y[i], low)}
		intervals.YErrors[i].Low, intervals.YErrors[i].High = points[i].Y-max(c.low[i], low), c.top[i]-points[i].Y
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = l.line
	p.Add(line)
	if c.plain {
		return nil
	}
	bars, err := plotter.NewYErrorBars(intervals)
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: l.line.Color, Width: 0.8}
	bars.CapWidth = 5
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.GlyphStyle = l.glyph
	p.Add(bars, marks)
	return nil
}

func unknownProperty(name string, names []string) error {
	return fmt.Errorf("the sweep has no verdicts on %q; it has those on %s", name, strings.Join(names, ", "))
}
