package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// explorer searches the states of a scenario breadth-first by steps, so that the
// first state that violates a property is one of the nearest.
//
// The states of a level are expanded in order. What a state leads to depends on
// nothing but the state, so many workers can find that out beforehand, as long as the
// automaton is known there; whether it is new is decided in order again. So the result
// does not depend on the number of workers.
type explorer struct {
	options    Options
	population model.Population
	learner    *learner
	monitors   []model.Monitor
	deadEnds   []model.DeadEnd
	// asides are the monitors once more, as check asks them.
	asides []aside
	memory int // bytes of the monitors

	table  *table
	zones  *zoneTable
	limits limitTable
	states blocks[record]
	// edges are the steps between stored states that are no faults; kept only if
	// a property needs the graph.
	edges blocks[graphEdge]
	// current, next and later are the states of this level and of the two after it
	// that are still to be expanded.
	current, next, later []uint32
	steps                int
	// frozen is how many states were stored before the batch under way: these are
	// looked at first, by whoever expands.
	frozen uint32

	transitions int64
	exercised   []bool // by property: monitors first, then dead ends
	best        []find // by monitor
	most        []int  // by monitor that counts, in their order
	rates       *driftRates
	// doubts are about the monitors, then about dead ends; countDoubts about those
	// that count, in their order.
	doubts, countDoubts []doubt
	started             time.Time
	limit               string // why the search was cut off

	// fresh is for the states of a batch that a new one spares.
	fresh []uint32
	// observer, if there is one, lets only runs pass that agree with a log; stored is told of
	// each state that is stored then.
	observer *observer
	stored   func(id uint32, t *target)
	// maxFaults is how many faults a run may contain in all.
	maxFaults int

	// expander works where the automaton may have to be learned; workers do
	// where it need not.
	*expander
	workers []*worker
	chunks  []chunk
}

// record is a stored state.
type record struct {
	key         uint32 // its discrete part
	zone        place
	parent      uint32
	nextWithKey uint32 // +1
	steps       uint16
	step        ordinal // that led here
	left        [model.MaxFaults]uint8
	faults      uint8
	flags       uint8
}

// ordinal names a step from a state: the number of the move among those of the state,
// and that+1 of the further move which follows at once, 0 for none.
type ordinal struct {
	move    uint16
	further uint8
}

const (
	// flagExpanded: what the state leads to is stored.
	flagExpanded = 1 << iota
	// flagSuperseded: it need not be expanded, since another state covers it.
	flagSuperseded
	// flagSettled: nothing is left to wait for, for the first property about dead ends; the
	// bits that follow are for the others.
	flagSettled
	// flagRestless: one that is [model.Endless] asks for a process that is bound to take a
	// step; again for the first one.
	flagRestless = flagSettled << maxDeadEnds
)

// maxDeadEnds is how many properties of a check can be about dead ends.
const maxDeadEnds = 3

const noParent = ^uint32(0)

// maxSteps is how long a run may become; a step more must fit into record.
const maxSteps = 1<<16 - 3

type graphEdge struct{ from, to uint32 }

// counter is a monitor that counts something of which the maximum over all
// runs is of interest.
type counter interface {
	// Counted returns the count in a state.
	Counted(s *model.State, memory []byte) int
}

// aside is a monitor as what else it is, found out once. counter is nil if it does not count.
type aside struct {
	property model.Property
	counter  counter
	memory   int
}

func asidesOf(monitors []model.Monitor) []aside {
	asides := make([]aside, len(monitors))
	for i, m := range monitors {
		asides[i] = aside{property: m, memory: m.Memory()}
		asides[i].counter, _ = m.(counter)
	}
	return asides
}

// find is a violation: the move from a stored state that does it.
type find struct {
	found         bool
	faults, steps int
	state         uint32
	step          ordinal
}

// run explores everything from the beginning.
func (x *explorer) run(ctx context.Context) error {
	return x.runFrom(ctx, x.begin)
}

// runFrom explores everything from where begin sets the state to and the zone mid.
func (x *explorer) runFrom(ctx context.Context, begin func() error) (err error) {
	defer x.blame(&err)
	x.started = time.Now()
	x.table, x.zones, x.limits = newTable(), &zoneTable{newTable()}, limitTable{vectors: newTable()}
	x.exercised = make([]bool, len(x.monitors)+len(x.deadEnds))
	x.best = make([]find, len(x.monitors))
	x.doubts, x.countDoubts = make([]doubt, len(x.exercised)), make([]doubt, len(x.most))
	if err := begin(); err != nil {
		return err
	}
	x.memory = len(x.to.Memory)
	x.found.covering = noParent
	x.finish(0)
	if err := x.insert(noParent, &x.found.outcome, &x.found.target); err != nil {
		return err
	}
	for {
		x.current, x.next, x.later = x.next, x.later, x.current[:0]
		if len(x.current)+len(x.next) == 0 {
			x.progress(0)
			return nil
		}
		if x.steps == maxSteps {
			x.limit = fmt.Sprintf("%d steps", maxSteps)
			return nil
		}
		// An arrival weighs nothing: its state joins the level under way.
		for i := 0; i < len(x.current); i += batchSize {
			if x.cutOff(ctx, len(x.current)-i) {
				return nil
			}
			if err := x.expandBatch(i); err != nil {
				if errors.Is(err, errStop) {
					return nil
				}
				return err
			}
		}
		x.steps++
	}
}

// cutOff looks at the limits and reports progress.
func (x *explorer) cutOff(ctx context.Context, left int) bool {
	elapsed := time.Since(x.started)
	switch {
	case ctx.Err() != nil:
		x.limit = "it was interrupted"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			x.limit = "the time that there was is over"
		}
	case x.options.MaxTime > 0 && elapsed > x.options.MaxTime:
		x.limit = "the time limit of " + model.FormatDuration(x.options.MaxTime)
	case x.options.MaxMemory > 0 && x.used() > x.options.MaxMemory:
		x.limit = "the memory limit"
	default:
		x.progress(left)
		return false
	}
	return true
}

func (x *explorer) used() int64 {
	return x.table.memory() + x.zones.table.memory() + x.limits.memory() + x.states.memory() + x.edges.memory() +
		int64(cap(x.current)+cap(x.next)+cap(x.later))*4
}

func (x *explorer) progress(left int) {
	if x.options.Progress == nil {
		return
	}
	p := Progress{
		States: int64(x.states.len()), Transitions: x.transitions, Queue: left + len(x.next) + len(x.later), Depth: x.steps,
		Memory: x.used(), Elapsed: time.Since(x.started),
	}
	for i, b := range x.best {
		if b.found {
			p.Violated = append(p.Violated, x.monitors[i].Name())
		}
	}
	x.options.Progress(p)
}

// needed reports whether anything can be learned from expanding a state with
// that many faults behind it. For a property that is violated only a violation
// with fewer faults is of interest, or a shorter one as long as there may be one.
func (x *explorer) needed(faults int) bool {
	if len(x.deadEnds) > 0 {
		return true
	}
	for _, b := range x.best {
		if !b.found || faults < b.faults || faults == b.faults && x.steps+1 < b.steps {
			return true
		}
	}
	return false
}

// due reports whether a stored state is to be expanded.
func (x *explorer) due(s uint32) bool {
	r := x.states.at(s)
	return r.flags&flagSuperseded == 0 && x.needed(int(r.faults))
}

// expand lets everything happen that can happen from a stored state.
func (x *explorer) expand(s uint32) error {
	if !x.due(s) {
		return nil
	}
	err := x.successors(s, func(f *successor) error { return x.take(s, &f.outcome, &f.target) })
	if err != nil {
		return err
	}
	// Only now: a state whose successors are not all there says nothing of dead
	// ends.
	x.states.at(s).flags |= flagExpanded
	return nil
}

// take notes what the monitors say of a step from s and stores where it leads.
func (x *explorer) take(s uint32, o *outcome, t *target) error {
	x.transitions++
	faults, steps := int(o.faults), x.steps+int(o.weight)
	for i := range x.monitors {
		bit := uint32(1) << i
		if o.exercised&bit != 0 {
			x.exercised[i] = true
		}
		if b := &x.best[i]; o.violated&bit != 0 && (!b.found || faults < b.faults || faults == b.faults && steps < b.steps) {
			if ok, err := x.possible(&x.doubts[i], s, &o.step, faults, steps); err != nil {
				return err
			} else if !ok {
				continue
			}
			*b = find{true, faults, steps, s, o.step}
			x.progress(0)
		}
	}
	for i := range x.most {
		if int(o.counts[i]) <= x.most[i] {
			continue
		}
		if ok, err := x.possible(&x.countDoubts[i], s, &o.step, faults, steps); err != nil {
			return err
		} else if ok {
			x.most[i] = int(o.counts[i])
		}
	}
	if o.covering != noParent {
		x.connect(s, o.covering, o.isFault)
		return nil
	}
	return x.insert(s, o, t)
}

// insert adds a state to those stored unless one of the same batch covers it.
func (x *explorer) insert(parent uint32, o *outcome, t *target) error {
	steps := x.steps + int(o.weight)
	number := t.number
	if !t.known {
		number = x.table.insert(t.key, t.hash)
		x.limits.put(number, t)
	}
	key := x.table.keys.at(number)
	if at := x.covering(key.head, x.frozen, steps, t); at != noParent {
		x.connect(parent, at, o.isFault)
		return nil
	}
	if !t.inRange {
		return wrong("times in this scenario grow beyond what can be counted (%s each): use coarser durations", model.FormatDuration(x.learner.tick.Size()))
	}
	if x.options.MaxStates > 0 && x.states.len() >= x.options.MaxStates || x.states.len() >= 1<<31 {
		x.limit = "the limit on states"
		return errStop
	}
	r := record{
		key: number, zone: x.zones.insert(t), steps: uint16(steps),
		left: t.left, parent: parent, step: o.step, faults: o.faults, flags: t.flags, nextWithKey: key.head,
	}
	for i := range x.deadEnds {
		if t.pending&(1<<i) != 0 {
			x.exercised[len(x.monitors)+i] = true
		}
	}
	id := uint32(x.states.len())
	x.states.add(r)
	x.supersede(id, t.spared)
	x.fresh = x.spared(x.fresh[:0], key.head, x.frozen, steps, t)
	x.supersede(id, x.fresh)
	key.head = id + 1
	x.connect(parent, id, o.isFault)
	switch {
	case o.weight == 0 && parent != noParent:
		x.current = append(x.current, id)
	case o.weight <= 1:
		x.next = append(x.next, id)
	default:
		x.later = append(x.later, id)
	}
	if x.stored != nil {
		x.stored(id, t)
	}
	if x.options.visit != nil {
		x.visited.Decode(t.key, x.nodes(), x.memory)
		x.visited.Left = t.left
		x.options.visit(&x.visited, x.learner)
	}
	return nil
}

func (x *explorer) connect(from, to uint32, isFault bool) {
	if len(x.deadEnds) > 0 && from != noParent && !isFault && from != to {
		x.edges.add(graphEdge{from, to})
	}
}

// covering returns the first state of the chain that begins with the number next-1,
// up to the last one that is not older than least, from which everything can happen
// that can happen from the successor, at no more cost; noParent if there is none. It
// must have no less budget of each kind, no more steps, and a zone that covers the
// new one under the constants of the new one.
func (x *explorer) covering(next, least uint32, steps int, t *target) uint32 {
	for next > least {
		here := next - 1
		r := x.states.at(here)
		next = r.nextWithKey
		if int(r.steps) > steps || !noLess(&r.left, &t.left) {
			continue
		}
		if x.covers(x.zones.get(r.zone), t.cells, t) {
			return here
		}
	}
	return noParent
}

// covers reports whether from a zone with cells outer everything can happen that can
// from one with cells inner, both of states with the constants of t.
func (x *explorer) covers(outer, inner []zone.Bound, t *target) bool {
	if x.options.NoSubsumption {
		return zone.Includes(outer, inner, int(t.dim))
	}
	return zone.Covers(outer, inner, int(t.dim), t.lower, t.above)
}

// spared appends the states of the chain that begins with the number next-1, up to the
// last one that is not older than least, which need not be expanded any more once the
// successor is stored: it covers them at no more cost. Their budgets must be the same,
// since the constants depend on them.
func (x *explorer) spared(list []uint32, next, least uint32, steps int, t *target) []uint32 {
	for next > least {
		here := next - 1
		old := x.states.at(here)
		next = old.nextWithKey
		if int(old.steps)+2 < steps {
			// What was stored before it is at most two steps further.
			break
		}
		if old.flags&(flagExpanded|flagSuperseded) == 0 && int(old.steps) >= steps && old.left == t.left && x.covers(t.cells, x.zones.get(old.zone), t) {
			list = append(list, here)
		}
	}
	return list
}

// supersede spares the states that id covers.
func (x *explorer) supersede(id uint32, covered []uint32) {
	for _, here := range covered {
		if old := x.states.at(here); old.flags&(flagExpanded|flagSuperseded) == 0 {
			old.flags |= flagSuperseded
			x.connect(here, id, false)
		}
	}
}

func noLess(a, b *[model.MaxFaults]uint8) bool {
	for i := range a {
		if a[i] < b[i] {
			return false
		}
	}
	return true
}
