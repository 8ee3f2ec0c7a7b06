package scheduler

import (
	"errors"
	"fmt"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// Log is what was observed of a run: what took effect in its stores, in order.
type Log struct {
	Events []LogEvent
	// End is when the log ends, since the beginning: what is seen and does not stand in it
	// has not happened until then.
	End time.Duration
	// Tolerance is by how much the instants of a run may differ from those of the log.
	Tolerance time.Duration
	// Distinct says that different values are of different versions of the source; equal ones
	// always are of one.
	Distinct bool
	// Sees reports whether a deed would stand in the log.
	Sees func(d *Deed) bool
}

// LogEvent is what a log has of one operation.
type LogEvent struct {
	// Time is when it took effect, since the beginning.
	Time time.Duration
	// Node is the number of the node that did it: of service nodes from 0, then of those of
	// updates; -1 for any.
	Node int
	// Fits reports whether a deed is this one.
	Fits func(d *Deed) bool
	// Value tells values apart that are stored: equal numbers from 1 for equal values, 0 for
	// what stores none.
	Value int
}

// maxLogValues is how many values are told apart; the others are not compared.
const maxLogValues = 64

// check reports whether the log makes sense for the scenario.
func (l *Log) check(s Scenario) error {
	if len(l.Events) == 0 {
		return wrong("the log has no event")
	}
	if len(l.Events) > MaxLogEvents {
		return wrong("the log has %d events: at most %d can be explained at once; take a part of it", len(l.Events), MaxLogEvents)
	}
	nodes, last := s.population().Nodes(), time.Duration(0)
	for i, e := range l.Events {
		if e.Time < last || e.Node >= nodes {
			return wrong("event %d of the log is at %s, on node %d: events are in the order of their times, on nodes 0 to %d", i+1, e.Time, e.Node, nodes-1)
		}
		last = e.Time
	}
	if l.End < last || l.Tolerance < 0 || l.Sees == nil {
		return wrong("the log ends at %s, before its last event, has a negative tolerance, or does not say what it sees", l.End)
	}
	for _, f := range s.Faults {
		if _, drifts := f.(model.Drifting); drifts && f.Budget() > 0 {
			return about(fmt.Errorf("the fault %s cannot be inferred from a log: leave it out", f.Name()), f.Name())
		}
	}
	if s.ArriveWithin != nil {
		return about(errors.New("a log says itself when requests arrive: leave out within which time they do"), "arrive-within")
	}
	return nil
}

func (l *Log) durations() []time.Duration {
	all := []time.Duration{l.End, l.Tolerance}
	for _, e := range l.Events {
		all = append(all, e.Time)
	}
	return all
}

// Deed is an operation that takes effect, as whoever watches the store sees it.
type Deed struct {
	Operation *model.Operation
	// Store and Key are the names of what it is about; empty for the source.
	Store, Key string
	// TTL is what it gives, or compares with.
	TTL time.Duration
	// Observation is what the process observes.
	Observation model.Observation
	// Changes are the entries that it is about, with what became of them.
	Changes []model.Change

	learner *learner
}

// StoreOf returns the names of the store and of the key of a change.
func (d *Deed) StoreOf(k model.KeyID) (store, key string) { return d.learner.name(k) }

// observer lets only runs pass that agree with a log. It is a monitor, so that how far a run has
// come in the log is part of its state. State.Since[0] is the clock that runs from the
// beginning.
type observer struct {
	log     *Log
	learner *learner
	// least and most are, for each event, between which instants it happens, in ticks; end is
	// when the log ends, and horizon is later than all of them.
	least, most  []model.Ticks
	end, horizon model.Ticks
	// last is, for each node, its last event+1.
	last []int

	// narrow, if it is set, says besides when a fault begins and ends.
	narrow *narrowing

	// What Check found out of the step that it has looked at: whether it agrees, whether it is
	// in the log, and, if it is timed, between which instants it happens.
	agrees, seen, timed bool
	from, to            model.Ticks
	deed                Deed
}

// newObserver returns one for the log, whose times are whole numbers of ticks.
func newObserver(log *Log, l *learner) (*observer, error) {
	o := &observer{log: log, learner: l}
	ticks := func(d time.Duration) (model.Ticks, error) {
		t, err := l.tick.Ticks(d)
		if err != nil {
			return 0, about(fmt.Errorf("the log: %w", err))
		}
		return t, nil
	}
	for i := range log.Events {
		e := &log.Events[i]
		least, err := ticks(max(0, e.Time-log.Tolerance))
		if err != nil {
			return nil, err
		}
		most, err := ticks(e.Time + log.Tolerance)
		if err != nil {
			return nil, err
		}
		o.least, o.most = append(o.least, least), append(o.most, most)
		for e.Node >= len(o.last) {
			o.last = append(o.last, 0)
		}
		if e.Node >= 0 {
			o.last[e.Node] = i + 1
		}
	}
	var err error
	if o.end, err = ticks(max(0, log.End-log.Tolerance)); err != nil {
		return nil, err
	}
	o.horizon, err = ticks(log.End + log.Tolerance + l.tick.Size())
	return o, err
}

func (*observer) Name() string                { return "log" }
func (*observer) Rule() string                { return "the run agrees with the log" }
func (*observer) Vacuous() string             { return "" }
func (*observer) Explain(*model.Trace) string { return "" }

// positionBytes is how many bytes of the memory say how many events have happened; those that
// follow have the version of each value.
const positionBytes = 3

func (o *observer) Memory() int { return positionBytes + maxLogValues }

// position returns how many events have happened.
func (o *observer) position(memory []byte) int {
	return int(memory[0]) | int(memory[1])<<8 | int(memory[2])<<16
}

// Check looks at a step and says in the observer whether it agrees with the log.
func (o *observer) Check(s *model.State, e *model.Event, memory []byte) model.Outcome {
	o.agrees, o.seen, o.timed = true, false, false
	at := o.position(memory)
	if e.Move.Kind == model.MoveFault && e.Node >= 0 {
		// What is gone for good does nothing any more.
		o.agrees = s.Nodes[e.Node].Status != model.Crashed || e.Node >= len(o.last) || o.last[e.Node] <= at
	}
	if o.narrow != nil && o.narrow.of(e) {
		b := o.narrow.begin
		if e.Move.Kind == model.MoveRecovery {
			b = o.narrow.end
		}
		tick := o.learner.tick.Size()
		o.timed, o.from, o.to = true, model.Ticks(b.Least/tick), model.Ticks(b.Most/tick)
		return 0
	}
	if !e.Reached || e.Operation == nil || e.Move.Kind == model.MoveReply {
		return 0
	}
	d := o.deedOf(e.Operation, e)
	if !o.log.Sees(d) {
		return 0
	}
	if at == len(o.log.Events) {
		o.agrees = false
		return 0
	}
	event := &o.log.Events[at]
	o.agrees = (event.Node < 0 || event.Node == e.Node) && event.Fits(d) && o.agreeOn(event.Value, d, memory[positionBytes:])
	o.seen, o.timed, o.from, o.to = true, true, o.least[at], o.most[at]
	at++
	memory[0], memory[1], memory[2] = byte(at), byte(at>>8), byte(at>>16)
	return 0
}

// deedOf returns the operation as the log would have it. It is reused.
func (o *observer) deedOf(op *model.Operation, e *model.Event) *Deed {
	d := &o.deed
	*d = Deed{Operation: op, TTL: o.learner.tick.Duration(op.TTL), learner: o.learner}
	if op.Kind.OnEntry() && !op.Local {
		d.Store, d.Key = o.learner.name(op.Key)
	}
	if e != nil {
		d.Observation, d.Changes = e.Observation, e.Changes
	}
	return d
}

// agreeOn reports whether the value that is stored is of the version of which equal ones were,
// and of no version of which others were if those are distinct; versions has that of each value.
func (o *observer) agreeOn(value int, d *Deed, versions []byte) bool {
	if value == 0 || value > len(versions) {
		return true
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		if !c.Written || c.After.Value.Kind != model.KindVersion {
			continue
		}
		version := c.After.Value.N + 1
		for v, known := range versions {
			if mine := v == value-1; mine && known != 0 && known != version || !mine && known == version && o.log.Distinct {
				return false
			}
		}
		versions[value-1] = version
	}
	return true
}

// observe constrains the zone mid of a step by what the log says of it, and reports whether the step
// agrees with the log.
func (e *expander) observe() bool {
	o := e.search.observer
	if !o.agrees || !o.timed {
		return o.agrees
	}
	clock := int(e.to.Since[0])
	return e.mid.Constrain(clock, 0, zone.Bound(o.to)) && e.mid.Constrain(0, clock, -zone.Bound(o.from))
}

// until returns how long a state may last, since the beginning: until the next event is due, or
// the log ends.
func (o *observer) until(memory []byte) zone.Bound {
	if at := o.position(memory); at < len(o.most) {
		return zone.Bound(o.most[at])
	}
	return zone.Bound(o.end)
}
