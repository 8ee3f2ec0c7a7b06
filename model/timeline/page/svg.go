package page

import (
	"html"
	"html/template"
	"strconv"
	"strings"
	"unicode/utf8"
)

// canvas collects the elements of an SVG image. Every attribute and every text is escaped here,
// and nowhere else.
type canvas struct{ b strings.Builder }

// open begins an element with attributes: pairs of a name, which must be a constant, and a value.
func (c *canvas) open(name string, attributes ...string) {
	c.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		c.b.WriteString(" " + attributes[i] + `="` + html.EscapeString(attributes[i+1]) + `"`)
	}
	c.b.WriteString(">")
}

// close ends an element and the line, so that pages can be compared line by line.
func (c *canvas) close(name string) { c.b.WriteString("</" + name + ">\n") }

// shape writes an element with nothing in it but, if there is one, what a pointer that rests on
// it is told.
func (c *canvas) shape(title, name string, attributes ...string) {
	c.open(name, attributes...)
	if title != "" {
		c.b.WriteString("<title>" + html.EscapeString(title) + "</title>")
	}
	c.close(name)
}

func (c *canvas) rect(class, title string, x, y, width, height float64, more ...string) {
	c.shape(title, "rect", append([]string{
		"class", class, "x", number(x), "y", number(y), "width", number(max(width, 0)), "height", number(max(height, 0)),
	}, more...)...)
}

func (c *canvas) path(class, title, d string) { c.shape(title, "path", "class", class, "d", d) }

func (c *canvas) text(class string, x, y float64, text string) {
	c.open("text", "class", class, "x", number(x), "y", number(y))
	c.b.WriteString(html.EscapeString(text))
	c.close("text")
}

// fit writes the first of the texts for which there is room, none if there is none, and again
// where the place is so wide that the first one may be out of sight.
func (c *canvas) fit(class string, x, y, width float64, texts ...string) {
	c.repeat(width, texts, func(after, _ float64, text string) { c.text(class, x+after, y, text) })
}

// plate writes as fit does, on a ground that makes a text legible on a pattern.
func (c *canvas) plate(x, y, width float64, texts ...string) {
	c.repeat(width, texts, func(after, long float64, text string) {
		c.rect("plate", "", x+after-4, y-12, long+8, 16, "rx", "3")
		c.text("bar-text", x+after, y, text)
	})
}

// repeat calls write for every place in which the first text that fits is to stand: so far after
// the beginning, and so long.
func (c *canvas) repeat(width float64, texts []string, write func(after, long float64, text string)) {
	const apart = 640
	for _, t := range texts {
		long := float64(utf8.RuneCountInString(t)) * letter
		if t == "" || long > width {
			continue
		}
		for after := 0.0; after+long <= width; after += apart {
			write(after, long, t)
		}
		return
	}
}

func (c *canvas) html() template.HTML { return template.HTML(c.b.String()) }

// letter is the width of a letter of a text in an image, in pixels, at most.
const letter = 7

// number writes a place with at most two digits after the point.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// polygon is a path through the points, closed.
func polygon(points ...float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + number(points[i]) + " " + number(points[i+1]))
	}
	return b.String() + "Z"
}

// shorten cuts a text to at most so many letters.
func shorten(text string, letters int) string {
	r := []rune(text)
	if len(r) <= letters {
		return text
	}
	return string(r[:max(letters-1, 0)]) + "…"
}
