package scheduler

import (
	"lockstep/model"
	"lockstep/model/zone"
)

// expander finds out what can happen from a stored state. It only reads what the
// search has stored.
type expander struct {
	search *explorer
	rules  *model.Rules

	// For one expansion; kept to be reused.
	from, to    model.State
	before, mid zone.Matrix
	after       zone.Matrix
	moves       model.Moves
	event       model.Event
	between     model.State
	meanwhile   zone.Matrix
	further     model.Moves
	source      []uint8
	upper       []zone.Bound
	found       successor
	visited     model.State
	asked
	// clocks are those of before, of which some may drift; furthers those of meanwhile,
	// and afters those of after.
	clocks, furthers, afters driftingClocks
}

// newExpander returns one that works for the search with the rules.
func newExpander(x *explorer, r *model.Rules) *expander {
	e := &expander{search: x, rules: r}
	e.clocks.rates, e.furthers.rates, e.afters.rates = x.rates, x.rates, x.rates
	return e
}

// successor is a step and what it leads to.
type successor struct {
	outcome
	target
}

// maxCounters is how many monitors of a search can count.
const maxCounters = 4

// outcome is what the monitors say of a step.
type outcome struct {
	step    ordinal
	weight  uint8
	faults  uint8 // behind it
	isFault bool
	// counts has a number for each monitor that counts, in order.
	counts [maxCounters]uint8
	// exercised and violated have a bit for each monitor.
	exercised, violated uint32
	// covering is a state from before the batch that covers what the step leads to,
	// noParent if there is none. Then only is there a target.
	covering uint32
}

// target is a state to store.
type target struct {
	key  []byte
	hash uint64
	// number is that of the key in the table if it is known there.
	number uint32
	known  bool
	// zone is where the cells are kept if they are.
	zone      place
	zoneHash  uint64
	zoneKnown bool
	cells     []zone.Bound
	limits
	// vector has the limits, in part only if the key is known; reused.
	vector  []zone.Bound
	own     bool // the constants are there
	outlook model.Outlook
	dim     uint16
	left    [model.MaxFaults]uint8
	// spared are the states from before the batch that need not be expanded once
	// this one is stored.
	spared []uint32
	flags  uint8
	// pending has a bit for each property about dead ends.
	pending uint8
	inRange bool
}

// begin makes to the state at the beginning, and mid its zone.
func (e *expander) begin() error {
	e.mid.Reset(0)
	if err := e.rules.Start(&e.to, e.search.population); err != nil {
		return err
	}
	if e.search.observer != nil {
		e.to.Since[0] = model.Fresh
	}
	return nil
}

// successors calls do with everything that can happen from a stored state.
func (e *expander) successors(s uint32, do func(f *successor) error) (err error) {
	defer e.blame(&err)
	x := e.search
	r := x.states.at(s)
	faults := int(r.faults)
	e.from.Decode(x.table.key(r.key), x.nodes(), x.memory)
	e.from.Left = r.left
	e.before.Load(int(r.zone.dim), x.zones.get(r.zone))
	e.moves.Reset(e.clocks.look(e.rules, &e.from, &e.before))
	e.rules.Moves(&e.from, &e.moves)
	if e.moves.Err != nil {
		return e.moves.Err
	}
	for i := range e.moves.List {
		if err := e.follow(i, faults, do); err != nil {
			return err
		}
	}
	return nil
}

// nodes is the number of nodes, crashed ones included.
func (x *explorer) nodes() int { return x.population.Nodes() }

// follow calls do with what the i-th move of from leads to, which has faults behind it.
func (e *expander) follow(i, faults int, do func(f *successor) error) error {
	move := &e.moves.List[i]
	if move.Kind.IsFault() && faults >= e.search.maxFaults {
		return nil
	}
	z := e.guard(move)
	if z == nil {
		return nil
	}
	e.to.Copy(&e.from)
	if err := e.rules.Apply(&e.to, move, &e.event); err != nil {
		return err
	}
	f := &e.found
	f.outcome = outcome{step: ordinal{move: uint16(i)}, weight: uint8(e.event.Weight()), isFault: move.Kind.IsFault(), covering: noParent}
	if f.isFault {
		faults++
	}
	f.faults = uint8(faults)
	e.check()
	if z != &e.mid {
		e.mid.Copy(z)
	}
	if e.search.observer != nil && !e.observe() {
		return nil
	}
	if f.violated == 0 && e.rules.GoesOn(&e.to, &e.event) {
		return e.goOn(do)
	}
	e.finish(e.search.steps + int(f.weight))
	return do(f)
}

// goOn lets the process of the step that has led to the state to, with the zone mid,
// do the next one at once.
func (e *expander) goOn(do func(f *successor) error) error {
	first := e.found.outcome
	e.meanwhile.Copy(&e.mid)
	e.further.Reset(e.furthers.look(e.rules, &e.to, &e.meanwhile))
	e.rules.Further(&e.to, &e.event, &e.further)
	if e.further.Err != nil {
		return e.further.Err
	}
	if len(e.further.List) > 1 {
		e.between.Copy(&e.to)
	}
	for k := range e.further.List {
		move := &e.further.List[k]
		z := guarded(&e.meanwhile, &e.mid, e.further.Guards(move), &e.furthers)
		if z == nil {
			continue
		}
		if k > 0 {
			e.to.Copy(&e.between)
		}
		if err := e.rules.Apply(&e.to, move, &e.event); err != nil {
			return err
		}
		f := &e.found
		f.outcome = first
		f.step.further = uint8(k + 1)
		f.weight += uint8(e.event.Weight())
		if move.Kind.IsFault() {
			f.isFault = true
			f.faults++
		}
		e.check()
		if z != &e.mid {
			e.mid.Copy(z)
		}
		e.finish(e.search.steps + int(f.weight))
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// guard returns the zone of from in which the move is possible, nil if it is
// empty.
func (e *expander) guard(move *model.Move) *zone.Matrix {
	return guarded(&e.before, &e.mid, e.moves.Guards(move), &e.clocks)
}

// guarded returns from with the guards added, in scratch if they change
// anything; nil if they cannot hold.
func guarded(from, scratch *zone.Matrix, guards []model.Guard, clocks *driftingClocks) *zone.Matrix {
	z := from
	for _, g := range guards {
		i, j, b := int(g.Clock), 0, zone.Bound(g.Bound)
		if clocks.on {
			b = clocks.bound(&g)
		}
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
func (e *expander) check() {
	f := &e.found
	at, counters := 0, 0
	for i, m := range e.search.monitors {
		as := &e.search.asides[i]
		memory := e.to.Memory[at : at+as.memory]
		at += as.memory
		e.property = as.property
		outcome := m.Check(&e.to, &e.event, memory)
		if outcome&model.Exercised != 0 {
			f.exercised |= 1 << i
		}
		if outcome&model.Violated != 0 {
			f.violated |= 1 << i
		}
		if as.counter != nil {
			f.counts[counters] = uint8(min(as.counter.Counted(&e.to, memory), 255))
			counters++
		}
	}
	e.property = nil
}

// settle brings to with the zone mid into canonical form and lets time pass; the
// zone is then after.
func (e *expander) settle() {
	e.arrange()
	e.upper = grow(e.upper, e.after.Dim())
	e.invariants(e.upper)
	e.elapse(e.upper)
}

// arrange brings to with the zone mid into canonical form; the zone is then after.
func (e *expander) arrange() {
	e.source = e.rules.Canonical(&e.to, (*zoneClocks)(&e.mid), !e.search.options.NoSymmetry, e.source[:0])
	e.after.Gather(&e.mid, e.source)
	if e.afters.on = e.to.Drifts; e.afters.on {
		e.afters.measure(e.rules, &e.to, e.after.Dim())
	}
}

// invariants writes the upper bounds of the clocks of to; see limits.
func (e *expander) invariants(upper []zone.Bound) {
	passes := e.rules.Invariants(&e.to, upper)
	if e.afters.on {
		e.afters.widen(upper)
	}
	if !passes {
		upper[0] = 0
	}
	if o := e.search.observer; o != nil {
		upper[e.to.Since[0]] = o.until(e.to.Memory)
	}
}

// constants writes those of the clocks of to.
func (e *expander) constants(o model.Outlook, lower, above []zone.Bound) {
	e.rules.Constants(&e.to, o, lower, above)
	if e.afters.on {
		e.afters.widen(lower)
		e.afters.widen(above)
	}
	if o := e.search.observer; o != nil {
		clock := e.to.Since[0]
		lower[clock], above[clock] = zone.Bound(o.horizon), zone.Bound(o.horizon)
	}
}

// elapse lets time pass in after as far as the upper bounds allow.
func (e *expander) elapse(upper []zone.Bound) {
	if upper[0] == zone.Infinity {
		e.after.ElapseWithin(upper)
	}
}

func grow(b []zone.Bound, n int) []zone.Bound {
	if cap(b) < n {
		return make([]zone.Bound, n, 2*n)
	}
	return b[:n]
}

// finish settles the state and completes found: whether a stored state covers it,
// and if none does what there is to store.
func (e *expander) finish(steps int) {
	x, f := e.search, &e.found
	e.arrange()
	f.key = e.to.Encode(f.key[:0])
	f.hash = mix(f.key)
	dim := e.after.Dim()
	f.number, f.known = x.table.lookup(f.key, f.hash)
	f.limit(e, dim)
	e.elapse(f.upper)
	f.dim, f.cells, f.left = uint16(dim), e.after.Cells(), e.to.Left
	f.spared = f.spared[:0]
	if f.known {
		next := x.table.keys.at(f.number).head
		for next > x.frozen {
			next = x.states.at(next - 1).nextWithKey
		}
		if f.covering = x.covering(next, 0, steps, &f.target); f.covering != noParent {
			return
		}
		f.spared = x.spared(f.spared, next, 0, steps, &f.target)
	}
	x.zones.lookup(&f.target)
	f.flags, f.pending, f.inRange = 0, 0, e.after.InRange()
	for i, d := range x.deadEnds {
		e.property = d
		if d.Pending(&e.to) {
			f.pending |= 1 << i
		}
		if d.Settled(&e.to) {
			f.flags |= flagSettled << i
		}
		if endless, ok := d.(model.Endless); ok && e.restless(endless) {
			f.flags |= flagRestless << i
		}
		e.property = nil
	}
}

// restless reports whether a process that the property asks for is bound to take a step,
// once its node runs.
func (e *expander) restless(d model.Endless) bool {
	for i := range e.to.Processes {
		p := &e.to.Processes[i]
		if p.Active() && d.Asks(&e.to, p) && e.rules.Bound(&e.to, p) < model.Forever {
			return true
		}
	}
	return false
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
