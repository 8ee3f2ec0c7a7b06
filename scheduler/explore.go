package scheduler

import (
	"context"
	"errors"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// explorer searches the states of a scenario breadth-first by steps, so that the
// first state that violates a property is one of the nearest.
type explorer struct {
	options  Options
	rules    *model.Rules
	learner  *learner
	monitors []model.Monitor
	deadEnds []model.DeadEnd
	memory   int // bytes of the monitors

	table  *table
	zones  arena[zone.Bound]
	states []record
	// edges are the steps between stored states that are no faults; kept only if
	// a property needs the graph.
	edges []graphEdge
	// current and next are the states of this level and of the one after it that
	// are still to be expanded.
	current, next []uint32
	steps         int

	transitions int64
	exercised   []bool // by property: monitors first, then dead ends
	best        []find // by monitor
	most        []int  // by monitor that counts
	started     time.Time
	limit       string // why the search was cut off

	// For one expansion; kept to be reused.
	from, to     model.State
	before, mid  zone.Matrix
	after        zone.Matrix
	moves        model.Moves
	event        model.Event
	source       []uint8
	upper        []zone.Bound
	lower, above []zone.Bound
	key          []byte
}

// record is a stored state.
type record struct {
	key         uint32 // its discrete part
	block       uint32 // where its zone is
	offset      uint32
	dim         uint16
	steps       uint16
	left        [model.MaxFaults]uint8
	parent      uint32
	move        uint16 // the ordinal of the move that led here
	faults      uint8
	flags       uint8
	nextWithKey uint32 // +1
}

const (
	flagExpanded = 1 << iota
	flagSettled
)

const noParent = ^uint32(0)

type graphEdge struct{ from, to uint32 }

// counter is a monitor that counts something of which the maximum over all
// runs is of interest.
type counter interface {
	// Counted returns the count in a state.
	Counted(s *model.State, memory []byte) int
}

// find is a violation: the move from a stored state that does it.
type find struct {
	found         bool
	faults, steps int
	state         uint32
	move          uint16
}

func (x *explorer) run(ctx context.Context, who model.Population) error {
	x.started = time.Now()
	x.table = newTable()
	x.exercised = make([]bool, len(x.monitors)+len(x.deadEnds))
	x.best = make([]find, len(x.monitors))
	x.most = make([]int, len(x.monitors))
	if err := x.rules.Start(&x.to, who); err != nil {
		return err
	}
	x.memory = len(x.to.Memory)
	x.mid.Reset(0)
	if err := x.store(noParent, 0, 0); err != nil {
		return err
	}
	for {
		x.current, x.next = x.next, x.current[:0]
		if len(x.current) == 0 {
			x.progress(0)
			return nil
		}
		if x.steps == 1<<16-1 {
			x.limit = "65535 steps"
			return nil
		}
		// An arrival weighs nothing: its state joins the level under way.
		for i := 0; i < len(x.current); i++ {
			if i&0xff == 0 && x.cutOff(ctx, len(x.current)-i) {
				return nil
			}
			if err := x.expand(x.current[i]); err != nil {
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
	return x.table.memory() + x.zones.size*4 + int64(cap(x.states))*48 + int64(cap(x.edges))*8 +
		int64(cap(x.current)+cap(x.next))*4
}

func (x *explorer) progress(left int) {
	if x.options.Progress == nil {
		return
	}
	p := Progress{
		States: int64(len(x.states)), Transitions: x.transitions, Queue: left + len(x.next), Depth: x.steps,
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
// with fewer faults is of interest: there are no shorter ones any more.
func (x *explorer) needed(faults int) bool {
	if len(x.deadEnds) > 0 {
		return true
	}
	for _, b := range x.best {
		if !b.found || faults < b.faults {
			return true
		}
	}
	return false
}

// load makes x.from and x.before the stored state.
func (x *explorer) load(s uint32) *record {
	r := &x.states[s]
	x.from.Decode(x.table.key(r.key), x.nodes(), x.memory)
	x.from.Left = r.left
	x.before.Load(int(r.dim), x.zones.get(r.block, r.offset, int(r.dim)*int(r.dim)))
	return r
}

func (x *explorer) nodes() int { return len(x.to.Nodes) }

func (x *explorer) expand(s uint32) error {
	r := x.load(s)
	faults := int(r.faults)
	if !x.needed(faults) {
		return nil
	}
	x.moves.Reset((*zoneClocks)(&x.before))
	x.rules.Moves(&x.from, &x.moves)
	for i := range x.moves.List {
		move := &x.moves.List[i]
		z := x.guard(move)
		if z == nil {
			continue
		}
		x.to.Copy(&x.from)
		if err := x.rules.Apply(&x.to, move, &x.event); err != nil {
			return err
		}
		x.transitions++
		cost := faults
		if move.Kind == model.MoveFault {
			cost++
		}
		x.check(s, uint16(i), cost, x.steps+move.Kind.Weight())
		if z != &x.mid {
			x.mid.Copy(z)
		}
		if err := x.store(s, uint16(i), cost); err != nil {
			return err
		}
	}
	// Only now: a state whose successors are not all there says nothing of dead
	// ends.
	x.states[s].flags |= flagExpanded
	return nil
}

// guard returns the zone of x.from in which the move is possible, nil if it is
// empty.
func (x *explorer) guard(move *model.Move) *zone.Matrix {
	return guarded(&x.before, &x.mid, x.moves.Guards(move))
}

// guarded returns from with the guards added, in scratch if they change
// anything; nil if they cannot hold.
func guarded(from, scratch *zone.Matrix, guards []model.Guard) *zone.Matrix {
	z := from
	for _, g := range guards {
		i, j, b := int(g.Clock), 0, zone.Bound(g.Bound)
		if g.Lower {
			i, j, b = 0, i, -b
		}
		if z.At(i, j) <= b {
			continue
		}
		if z != scratch {
			scratch.Copy(from)
			z = scratch
		}
		if !z.Constrain(i, j, b) {
			return nil
		}
	}
	return z
}

// check asks the monitors about the step.
func (x *explorer) check(s uint32, move uint16, faults, steps int) {
	at := 0
	for i, m := range x.monitors {
		size := m.Memory()
		outcome := m.Check(&x.to, &x.event, x.to.Memory[at:at+size])
		if c, ok := m.(counter); ok {
			x.most[i] = max(x.most[i], c.Counted(&x.to, x.to.Memory[at:at+size]))
		}
		at += size
		if outcome&model.Exercised != 0 {
			x.exercised[i] = true
		}
		if b := &x.best[i]; outcome&model.Violated != 0 && (!b.found || faults < b.faults || faults == b.faults && steps < b.steps) {
			*b = find{true, faults, steps, s, move}
			x.progress(0)
		}
	}
}

// settle brings x.to with the zone x.mid into canonical form and lets time pass;
// the zone is then x.after.
func (x *explorer) settle() {
	x.source = x.rules.Canonical(&x.to, (*zoneClocks)(&x.mid), !x.options.NoSymmetry, x.source[:0])
	x.after.Gather(&x.mid, x.source)
	x.upper = grow(x.upper, x.after.Dim())
	if x.rules.Invariants(&x.to, x.upper) {
		x.after.ElapseWithin(x.upper)
	}
}

func grow(b []zone.Bound, n int) []zone.Bound {
	if cap(b) < n {
		return make([]zone.Bound, n, 2*n)
	}
	return b[:n]
}

// store adds x.to with the zone x.mid to the states unless a stored one covers
// it.
func (x *explorer) store(parent uint32, move uint16, faults int) error {
	x.settle()
	steps := x.steps
	isFault := false
	if parent != noParent {
		steps += x.event.Weight()
		isFault = x.event.Move.Kind == model.MoveFault
	}
	x.key = x.to.Encode(x.key[:0])
	number := x.table.find(x.key)
	key := &x.table.keys[number]
	if at := x.covering(key, steps); at != noParent {
		x.connect(parent, at, isFault)
		return nil
	}
	if !x.after.InRange() {
		return wrong("times in this scenario grow beyond what can be counted (%s each): use coarser durations", model.FormatDuration(x.learner.tick.Size()))
	}
	if x.options.MaxStates > 0 && len(x.states) >= x.options.MaxStates || len(x.states) >= 1<<31 {
		x.limit = "the limit on states"
		return errStop
	}
	block, offset := x.zones.put(x.after.Cells())
	r := record{
		key: number, block: block, offset: offset, dim: uint16(x.after.Dim()), steps: uint16(steps),
		left: x.to.Left, parent: parent, move: move, faults: uint8(faults), nextWithKey: key.head,
	}
	for i, d := range x.deadEnds {
		if d.Pending(&x.to) {
			x.exercised[len(x.monitors)+i] = true
		}
		if d.Settled(&x.to) {
			r.flags |= flagSettled
		}
	}
	id := uint32(len(x.states))
	x.states = append(x.states, r)
	key.head = id + 1
	x.connect(parent, id, isFault)
	if steps == x.steps && parent != noParent {
		x.current = append(x.current, id)
	} else {
		x.next = append(x.next, id)
	}
	if x.options.visit != nil {
		x.options.visit(&x.to, x.learner)
	}
	return nil
}

func (x *explorer) connect(from, to uint32, isFault bool) {
	if len(x.deadEnds) > 0 && from != noParent && !isFault && from != to {
		x.edges = append(x.edges, graphEdge{from, to})
	}
}

// covering returns a stored state from which everything can happen that can
// happen from x.to with the zone x.after, at no more cost; noParent if there is
// none. It must have no less budget of each kind, no more steps, and a zone that
// covers the new one under the constants of the new one.
func (x *explorer) covering(key *keyRecord, steps int) uint32 {
	dim := x.after.Dim()
	prepared := false
	for at := key.head; at != 0; {
		r := &x.states[at-1]
		here := at - 1
		at = r.nextWithKey
		if int(r.steps) > steps || !noLess(&r.left, &x.to.Left) {
			continue
		}
		cells := x.zones.get(r.block, r.offset, dim*dim)
		if x.options.NoSubsumption {
			if zone.Includes(cells, x.after.Cells(), dim) {
				return here
			}
			continue
		}
		if !prepared {
			x.lower, x.above = grow(x.lower, dim), grow(x.above, dim)
			x.rules.Constants(&x.to, x.lower, x.above)
			prepared = true
		}
		if zone.Covers(cells, x.after.Cells(), dim, x.lower, x.above) {
			return here
		}
	}
	return noParent
}

func noLess(a, b *[model.MaxFaults]uint8) bool {
	for i := range a {
		if a[i] < b[i] {
			return false
		}
	}
	return true
}

// zoneClocks lets the rules look at a zone.
type zoneClocks zone.Matrix

func (z *zoneClocks) AtLeast(clock uint8, bound model.Ticks) bool {
	return (*zone.Matrix)(z).Upper(int(clock)) >= zone.Bound(bound)
}

func (z *zoneClocks) AtMost(clock uint8, bound model.Ticks) bool {
	return (*zone.Matrix)(z).Lower(int(clock)) <= zone.Bound(bound)
}

func (z *zoneClocks) Range(clock uint8) (least, most int32) {
	return (*zone.Matrix)(z).Lower(int(clock)), (*zone.Matrix)(z).Upper(int(clock))
}
