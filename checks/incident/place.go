package incident

import (
	"cmp"
	"fmt"
	"slices"
)

// Place is a line of a file.
type Place struct {
	// File is empty if there is only one.
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
}

// place is where an event stands.
type place struct {
	// number is that of the event among all.
	number int
	Place
	// step: it is a step of a trace rather than a line.
	step bool
}

// String names the place: as FILE:LINE if there are several files.
func (p place) String() string {
	switch {
	case p.File != "":
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.step:
		return fmt.Sprintf("step %d", p.Line)
	}
	return fmt.Sprintf("line %d", p.Line)
}

// none reports whether it is no place.
func (p place) none() bool { return p.number == 0 }

// inOrder sorts places, each once.
func inOrder(places []place) []place {
	places = slices.DeleteFunc(slices.Clone(places), place.none)
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.number, b.number) })
	return slices.CompactFunc(places, func(a, b place) bool { return a.Place == b.Place })
}

// split are the lines of places, and the places if they are in several files.
func split(places []place) (lines []int, all []Place) {
	lines = []int{}
	for _, p := range places {
		lines = append(lines, p.Line)
		if p.File != "" {
			all = append(all, p.Place)
		}
	}
	return lines, all
}
