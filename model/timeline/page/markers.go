package page

import (
	"cmp"
	"strconv"
	"strings"

	"lockstep/model"
)

// markers draws the steps for which is holds, with captions below them if they have room there.
func (c *chart) markers(v *canvas, y float64, caption func(*model.TraceStep) string, is func(*model.TraceStep) bool) {
	for i := range c.trace.Steps {
		s := &c.trace.Steps[i]
		if !is(s) {
			continue
		}
		x := c.axis.center(i)
		class := "marker " + kindOf(s)
		if kindOf(s) == "effect" {
			class += " " + c.color(s.Node)
		}
		if c.violates && i == len(c.trace.Steps)-1 {
			class += " violates"
		}
		v.open("g", "class", class)
		marker(v, kindOf(s), x, y)
		size := "mark"
		if i+1 >= 1000 {
			size = "mark small"
		}
		v.text(size, x, y+4, strconv.Itoa(i+1))
		if text := caption(s); text != "" {
			v.text("whose", x, y+25, shorten(text, int(c.axis.column/captionLetter)))
		}
		v.close("g")
	}
}

// captionLetter is the width of a letter of a caption, in pixels, at most.
const captionLetter = 6.5

// caption says below a marker what a step does, if columns are wide enough, and whose it is, if
// that is not the first request of the node.
func (c *chart) caption(s *model.TraceStep) string {
	_, whose, _ := strings.Cut(s.Process, "/")
	if whose == "0" {
		whose = ""
	} else if whose != "" {
		whose = "/" + whose
	}
	return strings.TrimSpace(whose + " " + c.what(s))
}

// none is no caption.
func none(*model.TraceStep) string { return "" }

// what says in a word what a step does, if columns are wide enough.
func (c *chart) what(s *model.TraceStep) string {
	if c.axis.column < 52 {
		return ""
	}
	what := cmp.Or(s.Operation, s.Fault)
	switch s.Kind {
	case "arrive":
		what = "arrives"
	case "expire":
		what = "expires"
	case "recovery":
		what = "ends"
	}
	return strings.TrimPrefix(strings.TrimPrefix(what, "Source."), "store-")
}

// kindOf is the kind of a step if it is one that is known, else other.
func kindOf(s *model.TraceStep) string {
	switch s.Kind {
	case "arrive", "effect", "reply", "expire", "fault", "recovery", "late", "timeout":
		return s.Kind
	}
	return "other"
}

// marker draws the shape that stands for a kind of step, around a place.
func marker(v *canvas, kind string, x, y float64) {
	switch kind {
	case "arrive":
		v.path("shape", "", polygon(x-12, y-10, x+5, y-10, x+13, y, x+5, y+10, x-12, y+10))
	case "expire":
		v.path("shape", "", polygon(x, y-14, x+14, y, x, y+14, x-14, y))
	case "fault":
		v.path("shape", "", polygon(x-12, y-7, x-7, y-12, x+7, y-12, x+12, y-7, x+12, y+7, x+7, y+12, x-7, y+12, x-12, y+7))
	case "recovery":
		v.rect("shape", "", x-11, y-11, 22, 22, "rx", "2")
	case "late", "timeout":
		v.path("shape", "", polygon(x-13, y, x-7, y-11, x+7, y-11, x+13, y, x+7, y+11, x-7, y+11))
	case "reply":
		v.shape("", "circle", "class", "shape", "cx", number(x), "cy", number(y), "r", "11", "stroke-dasharray", "3 2")
	default:
		v.shape("", "circle", "class", "shape", "cx", number(x), "cy", number(y), "r", "11")
	}
}
