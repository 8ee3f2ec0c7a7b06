package export

import (
	"fmt"
	"strings"

	"lockstep/model"
)

// Options say how to tell of a trace.
type Options struct {
	// Attains says, for a run that attains a maximum instead of violating a property, what
	// it attains.
	Attains string
}

// verdict says what a trace shows, without why.
func verdict(t *model.Trace, o Options) string {
	if o.Attains != "" {
		return o.Attains
	}
	return claim(t) + " violated"
}

// claim is the property as it stands on the command line.
func claim(t *model.Trace) string {
	if t.Argument == "" {
		return t.Property
	}
	return t.Property + "=" + t.Argument
}

// cost says how much happens in a run.
func cost(t *model.Trace) string {
	return count(t.Faults, "fault", "faults") + ", " + count(t.Weight, "step", "steps")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// line names a line of protocol code, without the path; empty if it is not known.
func line(s *model.Source) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", s.File[strings.LastIndexByte(s.File, '/')+1:], s.Line)
}
