// Package run follows a trace step by step: what is known of nodes, processes and entries after
// each step. The drawings of a trace share it.
//
//	r := run.New()
//	for i := range trace.Steps {
//		r.Follow(&trace.Steps[i])
//		left, ok := r.Left("store/lock:feed", trace.Steps[i].Time)
//		...
//	}
//
// A trace may have been edited by hand: whatever is in it, following it does not panic.
//
// The package must import nothing but model and the standard library.
package run

import (
	"maps"
	"strings"
	"time"

	"lockstep/model"
)

// Status is whether a node runs.
type Status uint8

// What a node does: its processes act, stand still, or are gone.
const (
	Running Status = iota
	Paused
	Crashed
)

// Run is what is known after the steps that were followed.
type Run struct {
	// Status is by node; nodes that run are absent.
	Status map[string]Status
	// Active are the processes that have begun and not ended.
	Active map[string]bool
	// Held are the keys of the locks that a process believes to hold, by process.
	Held map[string]map[string]bool
	// Entries are by store and key.
	Entries map[string]Entry
	// Seconds are how long a second takes in stores whose clocks drift, Frozen since when those
	// stand still that do.
	Seconds, Frozen map[string]time.Duration
}

// Entry is what a key holds. An absent one has an empty Value, one that stays for ever a TTL of
// zero.
type Entry struct {
	Value string
	// TTL is what was left of it at Since, the time of the step that set it.
	TTL, Since time.Duration
}

// New returns a run of no steps.
func New() *Run {
	return &Run{
		Status: map[string]Status{}, Active: map[string]bool{}, Held: map[string]map[string]bool{},
		Entries: map[string]Entry{}, Seconds: map[string]time.Duration{}, Frozen: map[string]time.Duration{},
	}
}

// Follow takes the next step into account.
func (r *Run) Follow(s *model.TraceStep) {
	if s.Kind == "fault" || s.Kind == "recovery" {
		r.fault(s)
	}
	if s.Process != "" {
		r.Active[s.Process] = true
	}
	for i := range s.Marks {
		m := &s.Marks[i]
		by := s.By(m)
		switch m.Kind {
		case "acquired":
			if r.Held[by] == nil {
				r.Held[by] = map[string]bool{}
			}
			r.Held[by][m.Subject] = true
		case "releasing":
			delete(r.Held[by], m.Subject)
		case "return":
			delete(r.Active, by)
			delete(r.Held, by)
		case "restart":
			delete(r.Held, by)
		}
	}
	for _, c := range s.Changes {
		r.Entries[c.Key] = Entry{c.After, c.AfterTTL, s.Time}
	}
}

func (r *Run) fault(s *model.TraceStep) {
	store := Store(s)
	switch {
	case s.Second > 0 && s.Node == "" && store != "":
		r.Seconds[store] = s.Second
	case s.Kind == "recovery" && s.Fault == "failover" && store != "":
		// The replica has a clock of its own.
		delete(r.Seconds, store)
		delete(r.Frozen, store)
	case s.Kind == "fault" && s.Fault == "store-clock-freeze" && store != "":
		r.Frozen[store] = s.Time
	case s.EndsNode():
		r.Status[s.Node] = Crashed
		of := func(p string) bool { return On(p, s.Node) }
		maps.DeleteFunc(r.Held, func(p string, _ map[string]bool) bool { return of(p) })
		maps.DeleteFunc(r.Active, func(p string, _ bool) bool { return of(p) })
	case s.HaltsNode():
		r.Status[s.Node] = Paused
	case s.Kind == "recovery" && len(s.Arguments) == 0 && s.Process == "":
		delete(r.Status, s.Node)
	}
}

// Left returns what is left of the TTL of the entry, and whether it has one. It is negative for
// an entry that should be gone.
func (r *Run) Left(key string, now time.Duration) (time.Duration, bool) {
	e := r.Entries[key]
	if e.Value == "" || e.TTL == 0 {
		return 0, false
	}
	store, _, _ := strings.Cut(key, "/")
	if at, frozen := r.Frozen[store]; frozen {
		now = max(e.Since, min(now, at))
	}
	age := now - e.Since
	if second := r.Seconds[store]; second > 0 {
		age = time.Duration(float64(age) / second.Seconds()).Round(time.Millisecond)
	}
	return e.TTL - age, true
}

// Acts reports whether a process of the node is active.
func (r *Run) Acts(node string) bool {
	for p := range r.Active {
		if On(p, node) {
			return true
		}
	}
	return false
}

// Holds reports whether a process of the node believes that it holds a lock.
func (r *Run) Holds(node string) bool {
	for p, keys := range r.Held {
		if On(p, node) && len(keys) > 0 {
			return true
		}
	}
	return false
}
