package export

import (
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
	return model.Count(t.Faults, "fault", "faults") + ", " + model.Count(t.Weight, "step", "steps")
}

// line names a line of protocol code, without the path; empty if it is not known.
func line(s *model.Source) string {
	if s == nil {
		return ""
	}
	return s.Short()
}
