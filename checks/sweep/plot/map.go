package plot

import (
	"errors"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/checks/sweep"
	"lockstep/scheduler"
)

// mark is how a verdict is drawn.
type mark struct {
	text  string
	glyph draw.GlyphDrawer
	color color.Color
}

// mark tells verdicts apart by shape: a ring, a filled square, a triangle, a dot.
func markOf(r scheduler.Result) mark {
	switch r {
	case scheduler.Holds:
		return mark{"holds: no run breaks it", ring{}, blue}
	case scheduler.Violated:
		return mark{"violated: some run breaks it", filled{}, vermilion}
	case scheduler.Inconclusive:
		return mark{"inconclusive: cut off", triangle{}, grey}
	}
	return mark{"not done", draw.CircleGlyph{}, grey}
}

// undone is the result of a point that is not there.
const undone = scheduler.Result("")

// spot is a place of a map.
type spot struct {
	x, y   float64
	result scheduler.Result
}

// Map draws verdicts over two axes, or over one and the properties.
func Map(w io.Writer, s *sweep.Sweep, v View, size Size) error {
	if !s.Plan.Check {
		return errors.New("the sweep has no verdicts, for a map to show; it was made with --no-check")
	}
	if err := size.Validate(); err != nil {
		return err
	}
	c, err := choose(s, v)
	if err != nil {
		return err
	}
	properties := s.Properties()
	if v.Property != "" && !slices.Contains(properties, v.Property) {
		return unknownProperty(v.Property, properties)
	}
	if v.Property != "" {
		properties = []string{v.Property}
	}
	grid := s.Plan.Design == sweep.Grid
	x := newScale(&s.Plan.Axes[c.x], grid)
	rows := &sweep.Axis{Name: "property", Values: properties}
	y := newScale(rows, true)
	if c.y >= 0 {
		y = newScale(&s.Plan.Axes[c.y], grid)
	}
	yLabel := y.label()
	if c.y < 0 {
		yLabel = ""
	}
	p := newPlot(x.label(), yLabel)
	wide, high := vg.Length(size.Width-3)*vg.Centimeter, vg.Length(size.Height-3.5)*vg.Centimeter
	x.apply(&p.X, wide, false)
	y.apply(&p.Y, high, true)
	layer := &marks{spots: c.spots(x, y, grid), columns: len(x.numbers), rows: len(y.numbers)}
	p.Add(layer)
	about := "all properties together"
	if len(properties) == 1 {
		about = properties[0]
	} else if c.y < 0 {
		about = "each property"
	}
	sh := &sheet{title: s.Plan.Protocol + ": where it is safe (" + about + ")", subtitle: c.fixedText(), plot: p}
	for _, r := range []scheduler.Result{scheduler.Holds, scheduler.Violated, scheduler.Inconclusive, undone} {
		if slices.ContainsFunc(layer.spots, func(s spot) bool { return s.result == r }) {
			sh.legend = append(sh.legend, entry{markOf(r).text, func(canvas *draw.Canvas, at vg.Point) {
				markOf(r).draw(canvas, at, 4.5)
			}})
		}
	}
	return sh.write(w, size)
}

// spots are the places of all points; of a grid those that are not done, too.
func (c *selection) spots(x, y *scale, grid bool) []spot {
	var spots []spot
	if grid {
		for _, a := range x.numbers {
			for _, b := range y.numbers {
				spots = append(spots, spot{a, b, undone})
			}
		}
	}
	put := func(one spot) {
		if i := slices.IndexFunc(spots, func(s spot) bool { return s.x == one.x && s.y == one.y }); i >= 0 {
			spots[i] = one
			return
		}
		spots = append(spots, one)
	}
	for _, p := range c.points {
		at := x.at(p.Values[c.x])
		if c.y >= 0 {
			put(spot{at, y.at(p.Values[c.y]), p.Check.Worse(c.view.Property)})
			continue
		}
		for i, property := range y.axis.Values {
			put(spot{at, float64(i), p.Check.Worse(property)})
		}
	}
	return spots
}

// marks is the layer of a map.
type marks struct {
	spots         []spot
	columns, rows int
}

// Plot draws all spots, as large as they have room.
func (m *marks) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	columns, rows := m.columns, m.rows
	radius := min(c.Size().X/vg.Length(columns), c.Size().Y/vg.Length(rows)) * 0.34
	radius = max(min(radius, 8), 2.2)
	for _, s := range m.spots {
		markOf(s.result).draw(&c, vg.Point{X: toX(s.x), Y: toY(s.y)}, radius)
	}
}

func (m mark) draw(c *draw.Canvas, at vg.Point, radius vg.Length) {
	if m.text == markOf(undone).text {
		radius = 1.2
	}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: m.color, Radius: radius, Shape: m.glyph}, at)
}

// ring, filled and triangle are glyphs with lines that are wide enough to be seen from afar.
type ring struct{}

func (ring) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 1.4})
	var p vg.Path
	p.Move(vg.Point{X: at.X + sty.Radius, Y: at.Y})
	p.Arc(at, sty.Radius, 0, 6.283185307179586)
	p.Close()
	c.Stroke(p)
}

type filled struct{}

func (filled) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius * 0.95
	c.FillPolygon(sty.Color, []vg.Point{{X: at.X - r, Y: at.Y - r}, {X: at.X + r, Y: at.Y - r}, {X: at.X + r, Y: at.Y + r}, {X: at.X - r, Y: at.Y + r}})
}

type triangle struct{}

func (triangle) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius
	c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: 1.4}, []vg.Point{
		{X: at.X - r, Y: at.Y - r*0.7}, {X: at.X + r, Y: at.Y - r*0.7}, {X: at.X, Y: at.Y + r}, {X: at.X - r, Y: at.Y - r*0.7}, {X: at.X + r, Y: at.Y - r*0.7},
	})
}
