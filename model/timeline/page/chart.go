package page

import (
	"fmt"
	"html/template"
	"strconv"
	"time"

	"lockstep/model"
)

// Heights in pixels of the parts of a chart.
const (
	headHeight  = 34
	labelWidth  = 126
	labelLength = 17
)

// row is a row of the chart: a label, and what is drawn from y downwards.
type row struct {
	label, detail string
	height        float64
	// heading: the row has nothing but the label of a group.
	heading bool
	draw    func(c *canvas, y float64)
}

// chart is the image of a story in two parts: labels that stay, and lanes that can be scrolled.
type chart struct {
	*story
	// id sets the names of its patterns apart from those of other charts on the page.
	id string
	// violates: the last step violates the property.
	violates bool
	rows     []row
}

// draw returns both parts.
func (c *chart) draw() (labels, lanes template.HTML) {
	c.rows = c.layout()
	height := float64(headHeight)
	for _, r := range c.rows {
		height += r.height
	}
	height += 6
	return c.labels(height), c.lanes(height)
}

func (c *chart) labels(height float64) template.HTML {
	var v canvas
	v.open("svg", "class", "labels", "width", strconv.Itoa(labelWidth), "height", number(height), "aria-hidden", "true", "focusable", "false")
	v.text("label", 0, 16, "time")
	y := float64(headHeight)
	for _, r := range c.rows {
		v.open("g")
		v.shape(r.label+" "+r.detail, "rect", "class", "hit", "x", "0", "y", number(y), "width", strconv.Itoa(labelWidth), "height", number(r.height))
		switch {
		case r.heading:
			v.text("group", 0, y+r.height-8, r.label)
		case r.detail == "" || r.height < 32:
			v.text("label", 6, y+r.height/2+4, shorten(r.label, labelLength))
		default:
			v.text("label", 6, y+r.height/2-2, shorten(r.label, labelLength))
			v.text("detail", 6, y+r.height/2+12, shorten(r.detail, labelLength+2))
		}
		v.close("g")
		y += r.height
	}
	v.close("svg")
	return v.html()
}

func (c *chart) lanes(height float64) template.HTML {
	var v canvas
	v.open("svg", "class", "lanes", "width", number(c.axis.end), "height", number(height), "role", "img", "aria-labelledby", "chart-"+c.id+"-name", "focusable", "false")
	v.shapeText("title", "chart-"+c.id+"-name", fmt.Sprintf("Chart of the %d steps of the run; all of it is in the table of steps.", len(c.trace.Steps)))
	c.patterns(&v)
	c.grid(&v, height)
	c.last(&v, height)
	y := float64(headHeight)
	for _, r := range c.rows {
		if r.heading {
			v.path("divider", "", fmt.Sprintf("M0 %sH%s", number(y+r.height-1.5), number(c.axis.end)))
		} else {
			r.draw(&v, y)
		}
		y += r.height
	}
	for i := range c.trace.Steps {
		v.rect("hit", c.tip(i), c.axis.left[i], 0, c.axis.column, height, "data-step", strconv.Itoa(i))
	}
	v.close("svg")
	return v.html()
}

// shapeText writes an element that has a name and a text.
func (c *canvas) shapeText(name, id, text string) {
	c.open(name, "id", id)
	c.b.WriteString(template.HTMLEscapeString(text))
	c.close(name)
}

// patterns are what tells areas apart without colour.
func (c *chart) patterns(v *canvas) {
	v.open("defs")
	pattern := func(name, d string) {
		v.open("pattern", "id", name+"-"+c.id, "width", "8", "height", "8", "patternUnits", "userSpaceOnUse")
		v.shape("", "path", "class", "stroke-"+name, "d", d)
		v.close("pattern")
	}
	pattern("hatch", "M-2 2L2 -2M0 8L8 0M6 10L10 6")
	pattern("cross", "M0 8L8 0M0 0L8 8")
	v.close("defs")
}

func (c *chart) fill(pattern string) []string {
	return []string{"fill", "url(#" + pattern + "-" + c.id + ")"}
}

// grid draws the axis: instants as bands, and what lies between them.
func (c *chart) grid(v *canvas, height float64) {
	a := c.axis
	for k := range a.instants {
		in := &a.instants[k]
		v.rect("instant", "", in.from, headHeight-8, in.to-in.from, height-headHeight+8, "rx", "4")
		for i := in.first + 1; i <= in.last; i++ {
			v.path("between", "", fmt.Sprintf("M%s %dV%s", number(a.left[i]), headHeight, number(height)))
		}
		width := in.to - in.from
		if k < len(a.gaps) {
			width += gapLeast - 6
		} else {
			width = a.end - in.from
		}
		name := model.FormatDuration(in.at)
		v.text("time", in.from+1, 16, shorten(name, max(int(width/8), 4)))
	}
	for k := range a.gaps {
		g := &a.gaps[k]
		middle := (g.from + g.to) / 2
		passes := passed(g.since, g.until)
		if g.scaled {
			v.path("axis", passes, fmt.Sprintf("M%s %dH%s", number(g.from), headHeight-8, number(g.to)))
		} else {
			v.path("break", passes+", not to scale", fmt.Sprintf("M%s %dH%sm-3 5l3 -10m3 10l3 -10M%s %dH%s",
				number(g.from), headHeight-8, number(middle-3), number(middle+5), headHeight-8, number(g.to)))
		}
		times, places := g.within()
		for n, x := range places {
			v.path("tick", "", fmt.Sprintf("M%s %dV%s", number(x), headHeight-12, number(height)))
			if room := g.to - x; room > 40 && x-g.from > 24 {
				name := model.FormatDuration(times[n])
				v.text("minor", x-float64(len(name))*letter/2, 16, name)
			}
		}
	}
	v.rect("cursor", "", 0, 0, 0, height, "rx", "4")
}

// passed says how much time passes between two instants.
func passed(since, until time.Duration) string {
	if until < since {
		return "the time goes back"
	}
	if d := until - since; d >= 0 {
		return model.FormatDuration(d) + " pass"
	}
	return "more than 292 years pass"
}

// last marks the last step.
func (c *chart) last(v *canvas, height float64) {
	n := len(c.trace.Steps)
	if n == 0 {
		return
	}
	x := c.axis.left[n-1]
	class, name := "final", "■ end"
	if c.violates {
		class, name = "violation", "✗ violated"
	}
	v.rect(class, "", x+1, headHeight-8, c.axis.column-2, height-headHeight+7, "rx", "4")
	v.text(class+"-name", x+c.axis.column+5, headHeight+12, name)
}

// tip is what a step says to a pointer that rests on it.
func (c *chart) tip(i int) string {
	s := &c.trace.Steps[i]
	return fmt.Sprintf("%d · %s · %s", i+1, model.FormatDuration(s.Time), s.Text)
}
