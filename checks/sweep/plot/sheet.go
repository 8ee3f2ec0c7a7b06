package plot

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size is that of a picture, in centimetres.
type Size struct{ Width, Height float64 }

// Limits on sizes, in centimetres: below there is no room for labels.
const (
	MinWidth, MinHeight = 8, 6
	MaxSide             = 200
)

// Validate reports whether a picture can have the size.
func (s Size) Validate() error {
	// Written so that what is no number is refused.
	if !(s.Width >= MinWidth && s.Height >= MinHeight && s.Width <= MaxSide && s.Height <= MaxSide) {
		return fmt.Errorf("a picture of %g x %g cm: it must be at least %d x %d and at most %d x %d", s.Width, s.Height, MinWidth, MinHeight, MaxSide, MaxSide)
	}
	return nil
}

// Colours that differ in brightness, too, for those who see none (Okabe and Ito 2008).
var (
	black     = color.Gray{0}
	grey      = color.Gray{110}
	pale      = color.Gray{225}
	blue      = color.RGBA{0, 114, 178, 255}
	vermilion = color.RGBA{170, 60, 0, 255}
)

// margin is the room around a picture.
const margin = vg.Length(8)

// style is how text is written.
func style(size float64, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = 2 // font.WeightBold is of the package that this one names its weights after
	}
	return text.Style{Color: black, Font: f, Handler: plot.DefaultTextHandler}
}

// entry is a line of a legend: a sample and what it stands for.
type entry struct {
	text string
	// draw draws the sample, at the middle of its room.
	draw func(c *draw.Canvas, at vg.Point)
}

const sample = vg.Length(26)

// sheet is a picture: a heading, a plot, and a legend below it.
type sheet struct {
	title, subtitle string
	plot            *plot.Plot
	legend          []entry
}

// newPlot returns a plot with the fonts and the frame of all pictures.
func newPlot(xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		rotation, xAlign, yAlign := a.Label.TextStyle.Rotation, a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		a.Label.TextStyle = style(10, false)
		a.Label.TextStyle.Rotation, a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = rotation, xAlign, yAlign
		xAlign, yAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = style(9, false)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = xAlign, yAlign
		a.Label.Padding = 3
	}
	p.X.Label.Text, p.Y.Label.Text = xLabel, yLabel
	return p
}

// write draws the sheet.
func (s *sheet) write(w io.Writer, size Size) error {
	if err := size.Validate(); err != nil {
		return err
	}
	canvas := vgsvg.New(vg.Length(size.Width)*vg.Centimeter, vg.Length(size.Height)*vg.Centimeter)
	c := draw.New(canvas)
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	inner := draw.Crop(c, margin, -margin, margin, -margin)
	top := s.heading(inner)
	bottom := s.drawLegend(inner)
	area := draw.Crop(inner, 0, -margin, bottom, -top)
	if area.Size().X < 60 || area.Size().Y < 40 {
		return errors.New("the legend leaves no room for the picture; make it larger with --size")
	}
	s.plot.Draw(area)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, s.finish(b.String()))
	return err
}

// finish gives the picture a title for those who hear it, and names fonts that are as wide for
// viewers without that of the program.
func (s *sheet) finish(svg string) string {
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif;")
	end := strings.Index(svg, "xlink\">") + len("xlink\">")
	var words []string
	if s.subtitle != "" {
		words = append(words, s.subtitle)
	}
	for _, e := range s.legend {
		words = append(words, e.text)
	}
	return svg[:end] + fmt.Sprintf("\n<title>%s</title>\n<desc>%s</desc>", html.EscapeString(s.title), html.EscapeString(strings.Join(words, ". "))) + svg[end:]
}

// heading draws the title and what is below it, and returns how high they are.
func (s *sheet) heading(c draw.Canvas) vg.Length {
	y := c.Max.Y
	for i, part := range []string{s.title, s.subtitle} {
		sty := style([]float64{12, 9}[i], i == 0)
		sty.YAlign = text.YTop
		for _, line := range broken(sty, part, c.Size().X) {
			c.FillText(sty, vg.Point{X: c.Min.X, Y: y}, line)
			y -= sty.Font.Size * 1.3
		}
	}
	return c.Max.Y - y + 4
}

// drawLegend draws the legend at the bottom, several entries in a line where they have room, and
// returns how high it is.
func (s *sheet) drawLegend(c draw.Canvas) vg.Length {
	sty := style(9, false)
	sty.YAlign = text.YCenter
	high := sty.Font.Size * 1.6
	type placed struct {
		entry
		x    vg.Length
		line int
	}
	var all []placed
	x, line := vg.Length(0), 0
	for _, e := range s.legend {
		wide := sample + 4 + sty.Width(e.text) + 14
		if x > 0 && x+wide > c.Size().X {
			x, line = 0, line+1
		}
		all = append(all, placed{e, x, line})
		x += wide
	}
	for _, e := range all {
		at := vg.Point{X: c.Min.X + e.x, Y: c.Min.Y + high*(vg.Length(line-e.line)+0.5)}
		e.draw(&c, vg.Point{X: at.X + sample/2, Y: at.Y})
		c.FillText(sty, vg.Point{X: at.X + sample + 4, Y: at.Y}, e.text)
	}
	if len(all) == 0 {
		return 0
	}
	return high*vg.Length(line+1) + 4
}

// broken breaks a text into lines of the width, at words.
func broken(sty text.Style, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if next := strings.TrimSpace(line + " " + word); line == "" || sty.Width(next) <= width {
			line = next
			continue
		}
		lines, line = append(lines, line), word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
