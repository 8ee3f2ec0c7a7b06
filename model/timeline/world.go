package timeline

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
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
	run         *run.Run
	source      int
	now         time.Duration
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
	return &World{nodes: run.Nodes(t), keys: run.Keys(t), run: run.New(), source: 1}
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
	if strings.HasPrefix(s.Operation, "Source.") {
		number, _, _ := strings.Cut(strings.TrimPrefix(s.Observation, "v"), " ")
		if n, err := strconv.Atoi(number); err == nil {
			w.source = max(w.source, n)
		}
	}
	w.run.Follow(s)
}

// Status returns how a node is.
func (w *World) Status(node string) Status {
	switch {
	case w.run.Status[node] == run.Paused:
		return Paused
	case w.run.Status[node] == run.Crashed:
		return Crashed
	case w.run.Holds(node):
		return Holding
	case w.run.Acts(node):
		return Active
	}
	return Idle
}

// Entry returns what a key holds; ok is false if it is not known to hold anything.
func (w *World) Entry(key string) (e Entry, ok bool) {
	at := w.run.Entries[key]
	left, _ := w.run.Left(key, w.now)
	return Entry{Value: at.Value, TTL: at.TTL, Left: left}, at.Value != ""
}

// Beliefs returns who believes to hold which lock, in order.
func (w *World) Beliefs() []Belief {
	var all []Belief
	for _, p := range slices.Sorted(maps.Keys(w.run.Held)) {
		for _, k := range slices.Sorted(maps.Keys(w.run.Held[p])) {
			all = append(all, Belief{p, k})
		}
	}
	return all
}

// Source returns the newest version of the source that the steps so far tell of; it is 1 at
// the beginning.
func (w *World) Source() int { return w.source }
