package export

import (
	"fmt"
	"strings"
	"unicode"

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

// bounds returns the limits of a verdict, each in words.
func bounds(b *model.Bounds) []string {
	parts := []string{count(b.Nodes, "node", "nodes"), count(b.Requests, "request", "requests") + " each"}
	if b.Jobs > 0 {
		parts = append(parts, count(b.Jobs, "job", "jobs")+" each")
	}
	for _, o := range b.Others {
		text := count(o.Nodes, "other node", "other nodes") + " with " + o.Protocol
		if len(o.Parameters) > 0 {
			text += " (" + strings.Join(parameters(o.Parameters), ", ") + ")"
		}
		parts = append(parts, text)
	}
	if b.Replicas > 1 {
		parts = append(parts, fmt.Sprintf("%d replicas", b.Replicas))
	}
	if b.ArriveWithin != nil {
		parts = append(parts, "arrivals within "+model.FormatDuration(*b.ArriveWithin))
	}
	updates := count(b.Updates, "update", "updates")
	if b.Updates > 0 && b.Invalidate {
		updates += " with invalidation"
	}
	parts = append(parts, updates, "latency "+b.Latency.String(), "reply "+b.Reply.String())
	if b.ValueTTL > 0 {
		parts = append(parts, "value TTL "+model.FormatDuration(b.ValueTTL))
	}
	if b.Timeout != nil {
		parts = append(parts, "timeout "+model.FormatDuration(*b.Timeout))
	}
	for _, f := range b.Faults {
		parts = append(parts, f.Name+" "+f.Value)
	}
	if len(b.Faults) == 0 {
		parts = append(parts, "no faults")
	}
	return parts
}

// parameters returns each parameter with its value.
func parameters(values []model.ParameterValue) []string {
	var parts []string
	for _, p := range values {
		parts = append(parts, p.Name+" "+p.Value)
	}
	return parts
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

// printable replaces what a reader of text may obey rather than show: control characters
// other than the line feed, marks that turn the direction of writing, and what is no character
// in XML.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) || strings.ContainsRune("\u2028\u2029\ufffe\uffff", r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// oneLine is printable text in a line.
func oneLine(s string) string { return strings.ReplaceAll(printable(s), "\n", " ") }
