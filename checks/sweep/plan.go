package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/model"
)

// Plan is what a sweep is about. Two sweeps with equal plans have equal results.
type Plan struct {
	Protocol string `json:"protocol"`
	Axes     []Axis `json:"axes"`
	Design   Design `json:"design"`
	// Seed is that of a random design, 0 for a grid.
	Seed uint64 `json:"seed,omitempty"`
	// Check and Simulate say what is done at each point.
	Check    bool `json:"check"`
	Simulate bool `json:"simulate"`
	// Properties are those that are checked, as they are named, in that order; none for the
	// usual ones.
	Properties []string `json:"properties"`
	// Settings are all others that decide results, by name.
	Settings []model.ParameterValue `json:"settings"`
	// Files has digests of the files from which settings and values are read, by path.
	Files []File `json:"files,omitempty"`
}

// File is a file that a plan depends on: its path, and the SHA-256 of its contents in
// hexadecimal digits.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Points returns the values of the axes at each point, in the order of the axes.
func (p *Plan) Points() ([][]string, error) {
	if len(p.Axes) == 0 {
		return nil, errors.New("a sweep has at least one axis; write --axis ttl=1s,2s,5s")
	}
	if !p.Check && !p.Simulate {
		return nil, errors.New("a sweep checks, or simulates, or both; leave out --no-check or --no-simulate")
	}
	seen := map[string]bool{}
	sizes := make([]int, len(p.Axes))
	for i := range p.Axes {
		a := &p.Axes[i]
		if err := a.check(); err != nil {
			return nil, err
		}
		for _, name := range a.Names() {
			if seen[name] {
				return nil, fmt.Errorf("two axes are about %s; write all its values as one", name)
			}
			seen[name] = true
		}
		if sizes[i] = len(a.Values); sizes[i] == 0 {
			return nil, fmt.Errorf("axis %s has no values; write it as %s=1s,2s,5s", a.Name, a.Name)
		}
	}
	chosen, err := p.Design.choose(sizes, p.Seed)
	if err != nil {
		return nil, err
	}
	points := make([][]string, len(chosen))
	for i, numbers := range chosen {
		for axis, k := range numbers {
			points[i] = append(points[i], p.Axes[axis].Values[k])
		}
	}
	return points, nil
}

// Axis returns the axis of the name.
func (p *Plan) Axis(name string) (number int, ok bool) {
	number = slices.IndexFunc(p.Axes, func(a Axis) bool { return a.Name == name })
	return number, number >= 0
}

// difference says what is different about q, empty if nothing is.
func (p *Plan) difference(q *Plan) string {
	axes := func(p *Plan) (words []string) {
		for _, a := range p.Axes {
			words = append(words, a.Name+"="+strings.Join(a.Values, ","))
		}
		return words
	}
	for _, d := range []struct{ what, mine, other string }{
		{"the protocol", p.Protocol, q.Protocol},
		{"the axes", strings.Join(axes(p), " "), strings.Join(axes(q), " ")},
		{"the design", string(p.Design), string(q.Design)},
		{"the seed of the design", fmt.Sprint(p.Seed), fmt.Sprint(q.Seed)},
		{"what is done", p.does(), q.does()},
		{"the properties", strings.Join(p.Properties, ", "), strings.Join(q.Properties, ", ")},
	} {
		if d.mine != d.other {
			return fmt.Sprintf("%s: %s, not %s", d.what, orNone(d.other), orNone(d.mine))
		}
	}
	settings := map[string]string{}
	for _, s := range p.Settings {
		settings[s.Name] = s.Value
	}
	for _, s := range q.Settings {
		if mine, ok := settings[s.Name]; !ok || mine != s.Value {
			return fmt.Sprintf("%s: %s, not %s", s.Name, orNone(s.Value), orNone(mine))
		}
	}
	for _, f := range q.Files {
		if !slices.Contains(p.Files, f) {
			return "the contents of " + f.Path
		}
	}
	mine, _ := json.Marshal(p)
	other, _ := json.Marshal(q)
	if string(mine) != string(other) {
		return "the settings that there are"
	}
	return ""
}

func (p *Plan) does() string {
	switch {
	case !p.Simulate:
		return "checks"
	case !p.Check:
		return "simulations"
	}
	return "checks and simulations"
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
