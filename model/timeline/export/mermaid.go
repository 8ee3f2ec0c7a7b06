package export

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"lockstep/model"
	"lockstep/model/timeline"
)

// Mermaid writes the trace as a sequence diagram of Mermaid. Processes, stores and the
// source take part; while a process is drawn as active, it believes that it holds a lock.
func Mermaid(w io.Writer, t *model.Trace, o Options) error {
	m := newMermaid(t)
	for i := range t.Steps {
		m.step(&t.Steps[i])
	}
	m.note(m.order, verdict(t, o)+": "+t.Explanation)
	m.believe(nil)
	_, err := io.WriteString(w, m.String())
	return err
}

// The participants that are no processes, beside the stores.
const (
	sourceName = "source"
	worldName  = "world"
)

// mermaid is a diagram as far as it is drawn.
type mermaid struct {
	strings.Builder
	world *timeline.World
	// order are the participants from left to right: processes and nodes first, then
	// stores, then the source.
	order []string
	holds map[string]bool
}

func newMermaid(t *model.Trace) *mermaid {
	m := &mermaid{world: timeline.NewWorld(t), holds: map[string]bool{}}
	processes, stores := map[string]bool{}, []string{}
	store := func(name string) {
		if name != sourceName && !slices.Contains(stores, name) {
			stores = append(stores, name)
		}
	}
	source := false
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Process != "" {
			processes[s.Process] = true
		}
		for k := range s.Marks {
			if s.Marks[k].Kind != "spawn" {
				processes[s.By(&s.Marks[k])] = true
			}
		}
		switch to := target(s); to {
		case "", s.Process:
		case sourceName:
			source = true
		default:
			store(to)
		}
		if struck := struckStore(s); struck != "" {
			source = source || struck == sourceName
			store(struck)
		}
	}
	for _, n := range m.world.Nodes() {
		of := slices.Sorted(maps.Keys(processes))
		of = slices.DeleteFunc(of, func(p string) bool { return !strings.HasPrefix(p, n+"/") })
		if len(of) == 0 {
			of = []string{n}
		}
		m.order = append(m.order, of...)
	}
	m.order = append(m.order, stores...)
	if source {
		m.order = append(m.order, sourceName)
	}
	if len(m.order) == 0 {
		m.order = []string{worldName}
	}
	m.WriteString("sequenceDiagram\n")
	for _, name := range m.order {
		fmt.Fprintf(m, "  participant %s as %s\n", m.id(name), mermaidText(name, messageWidth))
	}
	return m
}

// id returns the name of a participant in the diagram, which no text of a trace is part of.
func (m *mermaid) id(name string) string {
	return fmt.Sprintf("p%d", slices.Index(m.order, name))
}

// target returns where an operation goes: a store, the source, or the process itself; it is
// empty if the step is no operation.
func target(s *model.TraceStep) string {
	name := ""
	switch {
	case s.Operation == "" || s.Process == "":
		return ""
	case s.Key != "":
		name, _, _ = strings.Cut(s.Key, "/")
	case strings.HasPrefix(s.Operation, "Source."):
		return sourceName
	case len(s.Changes) > 0:
		name, _, _ = strings.Cut(s.Changes[0].Key, "/")
	}
	// The memory of a node and its flights are where the process is.
	if name == "" || name == "memory" || name == "flight" {
		return s.Process
	}
	return name
}

// struckStore returns the store that a step is about which is no operation, empty if it is
// about none.
func struckStore(s *model.TraceStep) string {
	switch {
	case s.Operation != "":
		return ""
	case s.Key != "":
		name, _, _ := strings.Cut(s.Key, "/")
		return name
	case (s.Kind == "fault" || s.Kind == "recovery") && s.Process == "" && len(s.Arguments) > 0:
		return s.Arguments[0]
	}
	return ""
}

func (m *mermaid) step(s *model.TraceStep) {
	m.world.Follow(s)
	lines := strings.Split(timeline.Describe(s), "\n")
	text := model.FormatDuration(s.Time) + " " + strings.TrimPrefix(lines[0], s.Process+": ")
	switch to := target(s); {
	case to == "":
		m.note(m.about(s), text)
	case s.Kind == "fault":
		fmt.Fprintf(m, "  %s-x%s: %s\n", m.id(s.Process), m.id(to), mermaidText(text, messageWidth))
	case s.Kind == "reply":
		fmt.Fprintf(m, "  %s-->>%s: %s\n", m.id(to), m.id(s.Process), mermaidText(text, messageWidth))
	default:
		fmt.Fprintf(m, "  %s->>%s: %s\n", m.id(s.Process), m.id(to), mermaidText(text, messageWidth))
	}
	for _, l := range lines[1:] {
		m.note(m.about(s), strings.TrimPrefix(l, "+ "))
	}
	m.believe(m.world.Beliefs())
}

// about returns the participants that a step is about.
func (m *mermaid) about(s *model.TraceStep) []string {
	if s.Process != "" {
		return []string{s.Process}
	}
	var all []string
	for _, name := range m.order {
		if s.Node != "" && (name == s.Node || strings.HasPrefix(name, s.Node+"/")) {
			all = append(all, name)
		}
	}
	if name := struckStore(s); name != "" {
		all = append(all, name)
	}
	if len(all) == 0 {
		return m.order
	}
	return all
}

// note writes a note over participants, from the first to the last.
func (m *mermaid) note(over []string, text string) {
	at, width := m.id(over[0]), noteWidth
	if len(over) > 1 {
		at += "," + m.id(over[len(over)-1])
		width *= len(over)
	}
	fmt.Fprintf(m, "  Note over %s: %s\n", at, mermaidText(text, width))
}

// believe draws processes as active from when they believe to hold a lock until they do not
// any more; beliefs are all those of now.
func (m *mermaid) believe(beliefs []timeline.Belief) {
	now := map[string]bool{}
	for _, b := range beliefs {
		now[b.Process] = true
	}
	for _, name := range m.order {
		if now[name] && !m.holds[name] {
			fmt.Fprintf(m, "  activate %s\n", m.id(name))
		} else if !now[name] && m.holds[name] {
			fmt.Fprintf(m, "  deactivate %s\n", m.id(name))
		}
	}
	m.holds = now
}

// Widths of text in characters. Mermaid can wrap, too, but in the middle of what stands for a
// character.
const (
	messageWidth = 36
	noteWidth    = 24
)

// mermaidText writes text where Mermaid expects some, in lines of a width unless a word is
// longer. Whatever could mean more than itself is written as the number of its character.
func mermaidText(s string, width int) string {
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(timeline.OneLine(s)) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
		case used+1+n > width:
			b.WriteString("<br/>")
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		used += n
		for _, r := range word {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r > 0x7f, strings.ContainsRune("-_.,:/+()'=[]!?", r):
				b.WriteRune(r)
			default:
				fmt.Fprintf(&b, "#%d;", r)
			}
		}
	}
	return b.String()
}
