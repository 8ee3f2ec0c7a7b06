package timeline

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/model"
)

// Status is how a node is.
type Status uint8

const (
	// Idle: no process runs on it.
	Idle Status = iota
	// Active: a process runs on it.
	Active
	// Holding: a process on it believes that it holds a lock.
	Holding
	// Paused: it stands still.
	Paused
	// Crashed: it is gone, or not yet up again.
	Crashed
)

func (s Status) String() string {
	return [...]string{"idle", "active", "holding", "paused", "crashed"}[s]
}

// World is what a trace tells of the world after some of its steps.
type World struct {
	nodes, keys []string
	status      map[string]Status          // paused or crashed, by node
	active      map[string]bool            // by process
	held        map[string]map[string]bool // keys by process
	entries     map[string]entry
	// seconds are how long a second takes in stores whose clocks drift.
	seconds map[string]time.Duration
	source  int
	now     time.Duration
}

type entry struct {
	value string
	ttl   time.Duration
	since time.Duration
}

// Entry is what a key holds: a value as in [model.TraceChange], its TTL as it was set, 0 for
// none, and what is left of it by the clock of the store.
type Entry struct {
	Value     string
	TTL, Left time.Duration
}

// Belief is a lock that a process believes to hold.
type Belief struct{ Process, Key string }

// NewWorld returns the world before the first step of a trace.
func NewWorld(t *model.Trace) *World {
	w := &World{
		status: map[string]Status{}, active: map[string]bool{}, held: map[string]map[string]bool{},
		entries: map[string]entry{}, seconds: map[string]time.Duration{}, source: 1,
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Node != "" && !slices.Contains(w.nodes, s.Node) {
			w.nodes = append(w.nodes, s.Node)
		}
		for _, c := range s.Changes {
			if !slices.Contains(w.keys, c.Key) {
				w.keys = append(w.keys, c.Key)
			}
		}
	}
	slices.SortFunc(w.nodes, func(a, b string) int {
		// n10 comes after n9.
		if len(a) != len(b) && a[0] == b[0] {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return w
}

// Nodes returns the nodes on which something happens in the trace, in order, those of
// updates last.
func (w *World) Nodes() []string { return w.nodes }

// Keys returns the keys, with their stores, that change in the trace, in the order in which
// they do.
func (w *World) Keys() []string { return w.keys }

// Follow takes the next step into account.
func (w *World) Follow(s *model.TraceStep) {
	w.now = s.Time
	if s.Kind == "fault" || s.Kind == "recovery" {
		w.fault(s)
	}
	if s.Process != "" {
		w.active[s.Process] = true
	}
	if strings.HasPrefix(s.Operation, "Source.") {
		number, _, _ := strings.Cut(strings.TrimPrefix(s.Observation, "v"), " ")
		if n, err := strconv.Atoi(number); err == nil {
			w.source = max(w.source, n)
		}
	}
	for i := range s.Marks {
		m := &s.Marks[i]
		by := s.By(m)
		switch m.Kind {
		case "acquired":
			if w.held[by] == nil {
				w.held[by] = map[string]bool{}
			}
			w.held[by][m.Subject] = true
		case "releasing":
			delete(w.held[by], m.Subject)
		case "return":
			delete(w.active, by)
			delete(w.held, by)
		case "restart":
			delete(w.held, by)
		}
	}
	for _, c := range s.Changes {
		w.entries[c.Key] = entry{c.After, c.AfterTTL, s.Time}
	}
}

func (w *World) fault(s *model.TraceStep) {
	switch {
	case s.Second > 0 && s.Node == "":
		w.seconds[s.Arguments[0]] = s.Second
	case s.Kind == "recovery" && s.Fault == "failover":
		// The replica has a clock of its own.
		delete(w.seconds, s.Arguments[0])
	case s.Kind == "recovery" && len(s.Arguments) == 0:
		delete(w.status, s.Node)
	case s.EndsNode():
		w.status[s.Node] = Crashed
		of := func(p string) bool { return strings.HasPrefix(p, s.Node+"/") }
		maps.DeleteFunc(w.held, func(p string, _ map[string]bool) bool { return of(p) })
		maps.DeleteFunc(w.active, func(p string, _ bool) bool { return of(p) })
	case s.HaltsNode():
		w.status[s.Node] = Paused
	}
}

// Status returns how a node is.
func (w *World) Status(node string) Status {
	if s := w.status[node]; s != Idle {
		return s
	}
	status := Idle
	for p := range w.active {
		if strings.HasPrefix(p, node+"/") {
			status = Active
		}
	}
	for p, keys := range w.held {
		if strings.HasPrefix(p, node+"/") && len(keys) > 0 {
			status = Holding
		}
	}
	return status
}

// Entry returns what a key holds; ok is false if it is not known to hold anything.
func (w *World) Entry(key string) (e Entry, ok bool) {
	at := w.entries[key]
	if at.value == "" {
		return Entry{}, false
	}
	if at.ttl == 0 {
		return Entry{Value: at.value}, true
	}
	age := w.now - at.since
	store, _, _ := strings.Cut(key, "/")
	if second := w.seconds[store]; second > 0 {
		age = time.Duration(float64(age) / second.Seconds()).Round(time.Millisecond)
	}
	return Entry{Value: at.value, TTL: at.ttl, Left: at.ttl - age}, true
}

// Beliefs returns who believes to hold which lock, in order.
func (w *World) Beliefs() []Belief {
	var all []Belief
	for _, p := range slices.Sorted(maps.Keys(w.held)) {
		for _, k := range slices.Sorted(maps.Keys(w.held[p])) {
			all = append(all, Belief{p, k})
		}
	}
	return all
}

// Source returns the newest version of the source that the steps so far tell of; it is 1 at
// the beginning.
func (w *World) Source() int { return w.source }
