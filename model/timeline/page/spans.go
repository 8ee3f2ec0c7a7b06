package page

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

// span is something that is so from after step first until step last, or until the end if last
// is the number of steps.
type span struct {
	first, last int
	text        string
}

// spans returns the maximal runs of steps after which is(i) is the same text, that of empty text
// left out.
func (s *story) spans(is func(i int) string) []span {
	var spans []span
	for i := range s.moments {
		text := is(i)
		if n := len(spans); n > 0 && spans[n-1].last == i && spans[n-1].text == text {
			spans[n-1].last = i + 1
		} else if text != "" {
			spans = append(spans, span{i, i + 1, text})
		}
	}
	return spans
}

// holdings are the spans in which the key has one value and one TTL.
func (s *story) holdings(k int) []span {
	var spans []span
	for i := range s.moments {
		e := &s.moments[i].entries[k]
		if e.value == "" {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].last == i && !e.changed {
			spans[n-1].last = i + 1
		} else {
			spans = append(spans, span{i, i + 1, e.value})
		}
	}
	return spans
}

// believers are the processes that at some time believe to hold the key, by index.
func (s *story) believers(key string) []int {
	var found []int
	for p := range s.processes {
		if slices.ContainsFunc(s.moments, func(m moment) bool { return slices.Contains(m.processes[p].holds, key) }) {
			found = append(found, p)
		}
	}
	return found
}

// locks are the keys that a process at some time believes to hold, in the order in which that
// begins, and then the keys that hold a token.
func (s *story) locks() []string {
	var locks []string
	add := func(key string) {
		if !slices.Contains(locks, key) {
			locks = append(locks, key)
		}
	}
	for i := range s.trace.Steps {
		for _, m := range s.trace.Steps[i].Marks {
			if m.Kind == "acquired" && len(locks) < mostKeys {
				add(m.Subject)
			}
		}
	}
	for k, key := range s.keys {
		if slices.ContainsFunc(s.moments, func(m moment) bool { return isToken(m.entries[k].value) }) {
			add(key)
		}
	}
	return locks
}

// beliefs are the spans in which process p believes to hold the key: the text is agreed where
// the store agrees, else what the store says.
func (s *story) beliefs(p int, key string) []span {
	return s.spans(func(i int) string {
		m := &s.moments[i]
		if !slices.Contains(m.processes[p].holds, key) {
			return ""
		}
		return s.doubt(m, p, key)
	})
}

// doubt is what the store says against the belief of process p to hold the key, or agreed.
func (s *story) doubt(m *moment, p int, key string) string {
	k := slices.Index(s.keys, key)
	if k < 0 {
		return agreed
	}
	switch e := &m.entries[k]; {
	case e.value == "":
		return "nobody holds it"
	case e.owner != "" && request(e.owner) != request(s.processes[p]):
		return e.owner + " holds it"
	}
	return agreed
}

// agreed is the text of a belief that the store shares.
const agreed = "held"

// conflicts are the spans in which more than one process believes to hold the key.
func (s *story) conflicts(key string) []span {
	return s.spans(func(i int) string {
		var who []string
		for p := range s.processes {
			if slices.Contains(s.moments[i].processes[p].holds, key) {
				who = append(who, s.processes[p])
			}
		}
		if len(who) < 2 {
			return ""
		}
		return strings.Join(who, " and ")
	})
}

// request is the process without what it spawned.
func request(process string) string {
	name, _, _ := strings.Cut(process, ".")
	return name
}

// strikes are the spans for which faults last that strike the node, or one of its processes, and
// the store; either is empty for none. Each lasts from the fault to the recovery of the same
// kind, or to the end.
func (s *story) strikes(store, node string) []span {
	var spans []span
	for i := range s.trace.Steps {
		from := &s.trace.Steps[i]
		if from.Kind != "fault" || run.Store(from) != store || from.Node != node || !lasts(from) {
			continue
		}
		to := i + 1
		for to < len(s.trace.Steps) && !recovers(&s.trace.Steps[to], from) {
			to++
		}
		spans = append(spans, span{i, to, strings.TrimSpace(from.Fault + " " + cmp.Or(store, from.Process))})
	}
	return spans
}

func recovers(step, fault *model.TraceStep) bool {
	return step.Kind == "recovery" && step.Fault == fault.Fault && step.Node == fault.Node && run.Store(step) == run.Store(fault) &&
		(step.Process == fault.Process || step.Process == "" || fault.Process == "")
}

// lasts reports whether the fault goes on until something ends it. Pauses and crashes of nodes
// have a status of their own.
func lasts(s *model.TraceStep) bool {
	switch s.Fault {
	case "starve", "store-pause", "partition", "disconnect", "failover", "stale-read", "store-clock-freeze", "store-clock-drift", "clock-freeze", "clock-drift":
		return s.Operation == ""
	}
	return false
}
