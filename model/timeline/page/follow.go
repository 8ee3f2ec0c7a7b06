package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

// story is a trace with what its drawing needs to know of every step.
type story struct {
	trace *model.Trace
	axis  *axis
	nodes []string
	keys  []string
	// processes are in the order in which they first act.
	processes []string
	// owners are the processes that the tokens in the entries belong to, by key and token.
	owners map[[2]string]string
	// longest is the longest TTL that each key is ever given.
	longest []time.Duration
	// labels are the keys without their stores, unless two stores have the same.
	labels map[string]string
	// moments are what is so after each step.
	moments []moment
}

// moment is what is so after a step.
type moment struct {
	entries []entry
	// source is the version of the source as far as the steps show it.
	source    int
	processes []process
	// status is by the index of the node.
	status []run.Status
}

// entry is what is under the key of the same index.
type entry struct {
	value, owner string
	// ttl is what the entry was given when it was set, left what is left of it after the step and
	// before what is left of it before the next one; 0 for an entry that stays for ever.
	ttl, left, before time.Duration
	changed           bool
}

// process is the state of the process of the same index.
type process struct {
	status processStatus
	// ended is how it ended, or the answer.
	ended string
	// last is what it did last, line where.
	last string
	line *model.Source
	// holds are the keys that it believes to hold, sorted.
	holds []string
}

type processStatus uint8

const (
	notYet processStatus = iota
	active
	starved
	stopping
	ended
	gone
)

// alive: it has begun and not ended.
func (s processStatus) alive() bool { return s == active || s == starved || s == stopping }

// The most processes, keys and nodes that are shown: far more than there are in any trace but
// one that was edited.
const (
	mostProcesses = 100
	mostKeys      = 60
	mostNodes     = 40
)

func newStory(t *model.Trace) *story {
	s := &story{trace: t, axis: newAxis(t.Steps), nodes: run.Nodes(t), keys: run.Keys(t), owners: map[[2]string]string{}}
	s.names()
	s.keys = s.keys[:min(len(s.keys), mostKeys)]
	s.nodes = s.nodes[:min(len(s.nodes), mostNodes)]
	s.processes = s.processes[:min(len(s.processes), mostProcesses)]
	s.label()
	s.longest = make([]time.Duration, len(s.keys))
	r := run.New()
	now := moment{source: 1, processes: make([]process, len(s.processes))}
	for i := range t.Steps {
		r.Follow(&t.Steps[i])
		s.follow(r, &now, i)
		s.moments = append(s.moments, moment{
			entries: s.entries(r, i), source: now.source, processes: slices.Clone(now.processes), status: s.status(r),
		})
	}
	return s
}

func (s *story) label() {
	same := map[string]int{}
	for _, key := range s.keys {
		same[run.KeyName(key)]++
	}
	s.labels = map[string]string{}
	for _, key := range s.keys {
		s.labels[key] = key
		if same[run.KeyName(key)] == 1 {
			s.labels[key] = run.KeyName(key)
		}
	}
}

// name is how the drawing calls a key.
func (s *story) name(key string) string {
	if label, ok := s.labels[key]; ok {
		return label
	}
	return run.KeyName(key)
}

// names collects processes, and owners of tokens: whoever a change names, else who set them.
func (s *story) names() {
	seen := map[string]bool{}
	see := func(p string) {
		if p != "" && !seen[p] {
			seen[p] = true
			s.processes = append(s.processes, p)
		}
	}
	for i := range s.trace.Steps {
		step := &s.trace.Steps[i]
		see(step.Process)
		for k := range step.Marks {
			see(step.By(&step.Marks[k]))
		}
		for _, c := range step.Changes {
			if id := [2]string{c.Key, c.After}; isToken(c.After) && s.owners[id] == "" && step.Process != "" {
				s.owners[id] = step.Process
			}
		}
	}
	for i := range s.trace.Steps {
		for _, c := range s.trace.Steps[i].Changes {
			if c.Owner != "" {
				s.owners[[2]string{c.Key, c.Before}] = c.Owner
			}
		}
	}
}

func isToken(value string) bool { return strings.HasPrefix(value, "#") }

func (s *story) status(r *run.Run) []run.Status {
	status := make([]run.Status, len(s.nodes))
	for k, n := range s.nodes {
		status[k] = r.Status[n]
	}
	return status
}

func (s *story) entries(r *run.Run, i int) []entry {
	step := &s.trace.Steps[i]
	entries := make([]entry, len(s.keys))
	for k, key := range s.keys {
		was := r.Entries[key]
		e := entry{value: was.Value, owner: s.owners[[2]string{key, was.Value}], ttl: was.TTL}
		if left, ok := r.Left(key, step.Time); ok {
			e.left, e.before = max(left, 0), max(left, 0)
			if i+1 < len(s.trace.Steps) {
				before, _ := r.Left(key, s.trace.Steps[i+1].Time)
				e.before = max(before, 0)
			}
		}
		s.longest[k] = max(s.longest[k], e.ttl)
		e.changed = slices.ContainsFunc(step.Changes, func(c model.TraceChange) bool { return c.Key == key })
		entries[k] = e
	}
	return entries
}

func (s *story) follow(r *run.Run, now *moment, i int) {
	step := &s.trace.Steps[i]
	now.source = sourceAfter(now.source, step)
	for k, name := range s.processes {
		p := &now.processes[k]
		if name == step.Process {
			p.begin()
			p.last, p.line = step.Text, step.Source
		}
		for m := range step.Marks {
			mark := &step.Marks[m]
			if step.By(mark) != name {
				continue
			}
			p.begin()
			if mark.Source != nil {
				p.line = mark.Source
			}
			if mark.Kind == "return" {
				p.status, p.ended = ended, mark.Subject
			}
		}
		if name == step.Process && step.Fault == "starve" {
			p.status = active
			if step.Kind == "fault" {
				p.status = starved
			}
		}
		if step.Operation == "Stop" && step.Kind != "reply" && slices.Contains(step.Arguments, name) && p.status == active {
			p.status = stopping
		}
		if step.EndsNode() && run.On(name, step.Node) && p.status.alive() {
			p.status = gone
		}
		p.holds = nil
		for key := range r.Held[name] {
			p.holds = append(p.holds, key)
		}
		slices.Sort(p.holds)
	}
}

func (p *process) begin() {
	if p.status == notYet {
		p.status = active
	}
}

// sourceAfter is the version of the source after the step.
func sourceAfter(version int, step *model.TraceStep) int {
	if !strings.HasPrefix(step.Operation, "Source.") || step.Kind == "reply" {
		return version
	}
	if step.Operation == "Source.Commit" && step.Observation == "ok" {
		return version + 1
	}
	if n, ok := versionOf(step.Observation); ok && n > version {
		return n
	}
	return version
}

// versionOf reads v3, or v3 of something.
func versionOf(value string) (int, bool) {
	digits, _, _ := strings.Cut(value, " ")
	digits, found := strings.CutPrefix(digits, "v")
	n, err := strconv.Atoi(digits)
	return n, found && err == nil && n >= 0
}
