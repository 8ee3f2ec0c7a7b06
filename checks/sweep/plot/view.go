package plot

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/checks/sweep"
)

// View says what of a sweep is drawn.
type View struct {
	// X is the axis from left to right, Y the one from below to above; of curves Y has a line for
	// each value. Y may be empty: a map then has a row for each property.
	X, Y string
	// At gives a value to each of the other axes.
	At map[string]string
	// Property is the one whose verdicts a map shows, all together if it is empty: the worst.
	Property string
}

// selection is what a view shows of a sweep.
type selection struct {
	sweep  *sweep.Sweep
	view   View
	x, y   int // the numbers of the axes, y -1 without one
	points []*sweep.Point
}

// choose selects the points of a view. Its errors say what to write instead.
func choose(s *sweep.Sweep, v View) (*selection, error) {
	c := &selection{sweep: s, view: v, y: -1}
	var ok bool
	if c.x, ok = s.Plan.Axis(v.X); !ok {
		return nil, noAxis(s.Plan, "x", v.X)
	}
	if v.Y != "" {
		if c.y, ok = s.Plan.Axis(v.Y); !ok || c.y == c.x {
			return nil, noAxis(s.Plan, "y", v.Y)
		}
	}
	for name := range v.At {
		if i, ok := s.Plan.Axis(name); !ok || i == c.x || i == c.y {
			return nil, noAxis(s.Plan, "at", name)
		}
	}
	fixed := make([]string, len(s.Plan.Axes))
	for i := range s.Plan.Axes {
		a := &s.Plan.Axes[i]
		if i == c.x || i == c.y {
			continue
		}
		value, given := v.At[a.Name]
		switch {
		case !given && len(a.Values) == 1:
			value = a.Values[0]
		case !given:
			return nil, fmt.Errorf("the sweep has the axis %s, too; give it a value, as in --at %s=%s (its values are %s)", a.Name, a.Name, a.Values[0], strings.Join(a.Values, ", "))
		case !slices.Contains(a.Values, value):
			return nil, fmt.Errorf("the axis %s has no value %s; its values are %s", a.Name, value, strings.Join(a.Values, ", "))
		}
		fixed[i] = value
	}
	for _, p := range s.Points {
		if there := func(i int) bool { return fixed[i] == "" || fixed[i] == p.Values[i] }; all(len(fixed), there) {
			c.points = append(c.points, p)
		}
	}
	if len(c.points) == 0 {
		return nil, fmt.Errorf("no point that is done is in this picture; choose other values with --at, or let the sweep go on")
	}
	return c, nil
}

func all(n int, is func(int) bool) bool {
	for i := range n {
		if !is(i) {
			return false
		}
	}
	return true
}

func noAxis(p *sweep.Plan, flag, name string) error {
	var names []string
	for _, a := range p.Axes {
		names = append(names, a.Name)
	}
	return fmt.Errorf("%q cannot be --%s; the axes of the sweep are %s, and each is used once", name, flag, strings.Join(names, ", "))
}

// fixedText says which values the other axes have, and which part of the sweep is drawn.
func (c *selection) fixedText() string {
	var parts []string
	for i, a := range c.sweep.Plan.Axes {
		if i != c.x && i != c.y {
			parts = append(parts, a.Name+" "+c.points[0].Values[i])
		}
	}
	if c.sweep.Partial {
		parts = append(parts, fmt.Sprintf("PARTIAL: %d of %d points", len(c.sweep.Points), c.sweep.Wanted))
	}
	return strings.Join(parts, ", ")
}
