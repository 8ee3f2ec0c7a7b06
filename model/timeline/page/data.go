package page

import (
	"encoding/json"
	"slices"
	"strings"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

// runData is what the script of the page needs to know of a run.
type runData struct {
	Column float64    `json:"column"`
	Steps  []stepData `json:"steps"`
	// Entries and Processes are those that occur in any step, each once; a step has their
	// indices.
	Entries   []entryData   `json:"entries"`
	Processes []processData `json:"processes"`
}

type stepData struct {
	Left float64 `json:"left"`
	Time string  `json:"time"`
	Who  string  `json:"who"`
	Kind string  `json:"kind"`
	Text string  `json:"text"`
	// Notes are what it does besides, Changes what became of entries.
	Notes   []string `json:"notes,omitempty"`
	Changes []string `json:"changes,omitempty"`
	// File is the index of the source file to show, -1 for none, and Line the line of the step in
	// it, 0 for none. Place is the line in words, Also are the lines of the marks.
	File      int    `json:"file"`
	Line      int    `json:"line,omitempty"`
	Place     string `json:"place,omitempty"`
	Also      []int  `json:"also,omitempty"`
	Source    string `json:"source"`
	Entries   []int  `json:"entries"`
	Processes []int  `json:"processes"`
	// Verdict is the explanation, for the last step.
	Verdict string `json:"verdict,omitempty"`
}

type entryData struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Owner string `json:"owner,omitempty"`
	// TTL is what is left in words, Part what part that is of the whole, from 0 to 1.
	TTL     string  `json:"ttl,omitempty"`
	Part    float64 `json:"part"`
	Changed bool    `json:"changed,omitempty"`
	Stale   bool    `json:"stale,omitempty"`
}

type processData struct {
	Name   string `json:"name"`
	Color  string `json:"color"`
	Status string `json:"status"`
	Last   string `json:"last,omitempty"`
	Place  string `json:"place,omitempty"`
	File   int    `json:"file"`
	Line   int    `json:"line,omitempty"`
	// Holds are the locks that it believes to hold, and Wrong that a store has another view.
	Holds string `json:"holds,omitempty"`
	Wrong bool   `json:"wrong,omitempty"`
}

// pool keeps values that are alike once.
type pool[T comparable] struct {
	all  []T
	seen map[T]int
}

func (p *pool[T]) index(v T) int {
	if p.seen == nil {
		p.seen = map[T]int{}
	}
	i, ok := p.seen[v]
	if !ok {
		i = len(p.all)
		p.seen[v] = i
		p.all = append(p.all, v)
	}
	return i
}

func (c *chart) data(files []file, verdict string) runData {
	d := runData{Column: c.axis.column}
	var entries pool[entryData]
	var processes pool[processData]
	for i := range c.trace.Steps {
		s := &c.trace.Steps[i]
		m := &c.moments[i]
		step := stepData{
			Left: c.axis.left[i], Time: model.FormatDuration(s.Time), Who: who(s), Kind: kindWord(kindOf(s)), Text: s.Text,
			Notes: c.notes(s), Changes: changes(s), File: -1, Place: place(s.Source), Source: version(m.source),
			Entries: []int{}, Processes: []int{},
		}
		if s.Source != nil {
			step.File, step.Line = indexOf(files, s.Source.File), s.Source.Line
		}
		for k := range s.Marks {
			if at := s.Marks[k].Source; at != nil && indexOf(files, at.File) == step.File {
				step.Also = append(step.Also, at.Line)
			}
		}
		for k := range m.entries {
			step.Entries = append(step.Entries, entries.index(c.entryData(m, k)))
		}
		for p := range m.processes {
			if m.processes[p].status != notYet {
				step.Processes = append(step.Processes, processes.index(c.processData(m, p, files)))
			}
		}
		if i == len(c.trace.Steps)-1 {
			step.Verdict = verdict
		}
		d.Steps = append(d.Steps, step)
	}
	d.carry()
	d.Entries, d.Processes = entries.all, processes.all
	return d
}

// carry gives steps that have no line the file of the step before, and the first ones that of the
// first step that has one.
func (d *runData) carry() {
	file := -1
	for i := range d.Steps {
		if file = d.Steps[i].File; file >= 0 {
			break
		}
	}
	for i := range d.Steps {
		if s := &d.Steps[i]; s.Place == "" {
			s.File = file
		} else {
			file = s.File
		}
	}
}

func indexOf(files []file, name string) int {
	return slices.IndexFunc(files, func(f file) bool { return f.Name == name })
}

func changes(s *model.TraceStep) []string {
	var texts []string
	for i := range s.Changes {
		c := &s.Changes[i]
		before, after := held(c.Before, ""), held(c.After, "")
		if c.AfterTTL > 0 {
			after = held(c.After, model.FormatDuration(c.AfterTTL))
		}
		texts = append(texts, c.Key+": "+before+" → "+after)
	}
	return texts
}

// held is a value with its TTL in words.
func held(value, ttl string) string {
	switch {
	case value == "":
		return "nothing"
	case ttl != "":
		return value + " for " + ttl
	}
	return value
}

func (c *chart) entryData(m *moment, k int) entryData {
	e := &m.entries[k]
	d := entryData{Key: c.keys[k], Value: e.value, Changed: e.changed}
	if e.value == "" {
		return d
	}
	d.Owner, d.Part = e.owner, 1
	if e.ttl > 0 {
		d.TTL = model.FormatDuration(e.left)
		d.Part = min(1, float64(e.left/1000)/float64(max(c.longest[k]/1000, 1)))
	}
	if n, ok := versionOf(e.value); ok && n < m.source {
		d.Stale = true
	}
	return d
}

func (c *chart) processData(m *moment, p int, files []file) processData {
	state := &m.processes[p]
	name := c.processes[p]
	d := processData{Name: name, Color: c.color(name), Last: state.last, Place: place(state.line), File: -1}
	switch state.status {
	case active:
		d.Status = "active"
	case starved:
		d.Status = "starved"
	case stopping:
		d.Status = "told to stop"
	case ended:
		d.Status = "ended"
		if run.Root(name) && strings.HasPrefix(name, "n") && state.ended != "" {
			d.Status = "answered " + state.ended
		}
	case gone:
		d.Status = "gone"
	}
	node, _, _ := strings.Cut(name, "/")
	if n := slices.Index(c.nodes, node); n >= 0 && m.status[n] == run.Paused && state.status.alive() {
		d.Status = "paused"
	}
	if state.line != nil && state.status.alive() {
		d.File, d.Line = indexOf(files, state.line.File), state.line.Line
	}
	for i, key := range state.holds {
		if i > 0 {
			d.Holds += ", "
		}
		d.Holds += c.name(key)
		d.Wrong = d.Wrong || c.doubt(m, p, key) != agreed
	}
	return d
}

// encode is the data as JSON in which nothing can end the element that it stands in.
func encode(runs []runData) (string, error) {
	text, err := json.Marshal(runs)
	return string(text), err
}
