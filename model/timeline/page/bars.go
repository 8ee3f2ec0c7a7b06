package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

func version(n int) string { return "v" + strconv.Itoa(n) }

func (c *chart) baseline(v *canvas, y float64) {
	v.path("baseline", "", fmt.Sprintf("M0 %sH%s", number(y), number(c.axis.end)))
}

// extent is the place and the width of a span.
func (c *chart) extent(s span) (x, width float64) {
	x = c.axis.center(s.first)
	return x, c.axis.reach(s.last) - x
}

// color is the class for the node of a process.
func (c *chart) color(process string) string {
	node, _, _ := strings.Cut(process, "/")
	if k := slices.Index(c.nodes, node); k >= 0 {
		return "c" + strconv.Itoa(k%6)
	}
	return "c-none"
}

// held draws that a token is under a key, and its TTL.
func (c *chart) held(v *canvas, k int, s span, y, height float64) {
	e := &c.moments[s.first].entries[k]
	who := e.owner
	title := fmt.Sprintf("%s holds %s", c.keys[k], e.value)
	if who != "" {
		title += " of " + who
	}
	x, width := c.bar(v, "held "+c.color(who), title, k, s, y, height)
	again := s.first > 0 && c.moments[s.first-1].entries[k].value == e.value
	text := strings.TrimSpace(e.value + " " + who)
	if again {
		v.path("renewed", "", fmt.Sprintf("M%s %sv%s", number(x), number(y), number(height)))
		v.fit("bar-text", x+7, y+height/2+4, width-10, text+" again", "again")
		return
	}
	v.fit("bar-text", x+7, y+height/2+4, width-10, text+ttlText(e), text, who, e.value)
}

// cached draws that a value is under a key, and its TTL.
func (c *chart) cached(v *canvas, k int, s span, y, height float64) {
	e := &c.moments[s.first].entries[k]
	title := c.keys[k] + " holds " + e.value
	n, ok := versionOf(e.value)
	since := s.first
	for since < s.last && !(ok && n < c.moments[since].source) {
		since++
	}
	stale := since < s.last
	if stale {
		title += ", older than the source"
	}
	x, width := c.bar(v, "value", title, k, s, y, height)
	if stale {
		from := c.axis.center(since)
		v.rect("stale", title, from, y, x+width-from, height, append([]string{"rx", "3"}, c.fill("hatch")...)...)
	}
	text := e.value
	if stale {
		text += " stale"
	}
	v.plate(x+7, y+height/2+4, width-10, text, e.value)
}

func ttlText(e *entry) string {
	if e.ttl <= 0 {
		return ", no TTL"
	}
	return ", " + model.FormatDuration(e.ttl)
}

// bar draws a span of an entry with what is left of its TTL as a wedge.
func (c *chart) bar(v *canvas, class, title string, k int, s span, y, height float64) (x, width float64) {
	x, width = c.extent(s)
	if e := &c.moments[s.first].entries[k]; e.ttl > 0 {
		title += ", for " + model.FormatDuration(e.ttl)
	}
	v.open("g", "class", class)
	v.rect("ground", title, x, y, width, height, "rx", "3")
	if most := c.longest[k]; most > 0 && c.moments[s.first].entries[k].ttl > 0 {
		top := func(left time.Duration) float64 {
			return y + height - float64(height*min(1, float64(left)/float64(most)))
		}
		points := []float64{x, y + height}
		for i := s.first; i < s.last; i++ {
			e := &c.moments[i].entries[k]
			points = append(points, c.axis.center(i), top(e.left), c.axis.left[i]+c.axis.column, top(e.left))
			if i+1 < len(c.moments) {
				points = append(points, c.axis.left[i+1], top(e.before))
			}
		}
		end := c.axis.reach(s.last)
		points = append(points, end, points[len(points)-1], end, y+height)
		v.path("wedge", title, polygon(points...))
	} else {
		v.rect("wedge", title, x, y, width, height, "rx", "3")
	}
	v.rect("frame", "", x, y, width, height, "rx", "3")
	v.close("g")
	return x, width
}

// belief draws that a process believes to hold a lock.
func (c *chart) belief(v *canvas, who, lock string, s span, y, height float64) {
	x, width := c.extent(s)
	title := who + " believes that it holds " + lock
	v.open("g", "class", "belief "+c.color(who))
	if s.text == agreed {
		v.rect("wedge", title, x, y, width, height, "rx", "3")
		v.rect("frame", "", x, y, width, height, "rx", "3")
		v.fit("bar-text", x+7, y+14, width-10, "believes", "✓")
	} else {
		v.rect("ground", title, x, y, width, height, "rx", "3")
		v.rect("wrong", title+"; "+s.text, x, y, width, height, append([]string{"rx", "3"}, c.fill("cross")...)...)
		v.plate(x+9, y+14, width-14, "wrongly: "+s.text, "wrongly", "✗")
	}
	v.close("g")
}

// active draws when one of some processes of a node is active.
func (c *chart) active(v *canvas, node string, y float64, is func(p int) bool) {
	for _, s := range c.spans(func(i int) string {
		for p := range c.processes {
			if is(p) && c.moments[i].processes[p].status.alive() {
				return "active"
			}
		}
		return ""
	}) {
		x, width := c.extent(s)
		v.rect("active "+c.color(node), "", x, y-3, width, 6)
	}
}

// halted draws when a node is paused or gone.
func (c *chart) halted(v *canvas, n int, y float64) {
	name := c.nodes[n]
	for _, s := range c.spans(func(i int) string {
		return map[run.Status]string{run.Paused: "paused", run.Crashed: "crashed"}[c.moments[i].status[n]]
	}) {
		x, width := c.extent(s)
		title := name + " is " + s.text
		v.rect("veil", "", x, y-14, width, 28)
		if s.text == "paused" {
			v.rect("paused", title, x, y-14, width, 28, c.fill("hatch")...)
		} else {
			v.rect("crashed", title, x, y-14, width, 28, c.fill("cross")...)
		}
		v.plate(x+c.axis.column/2+6, y+4, width-c.axis.column/2-8, s.text)
	}
}

// struck draws how long a fault lasts.
func (c *chart) struck(v *canvas, s span, y float64) {
	x, width := c.extent(s)
	v.rect("struck", s.text, x, y, width, 16, append([]string{"rx", "3"}, c.fill("hatch")...)...)
	v.plate(x+7, y+12, width-12, s.text)
}
