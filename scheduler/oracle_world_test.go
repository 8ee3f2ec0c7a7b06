package scheduler_test

import (
	"slices"

	"lockstep/model"
)

// setting is a scenario of the oracle; times are in ticks.
type setting struct {
	programs           programs
	nodes, requests    int
	updates            int
	invalidate         bool
	valueTTL           int
	latMin, latMax     int
	replyMin, replyMax int
	crashes, pauses    int
	pauseMax           int
	bound              int // of rebuilds
	patience           int // how long a request may wait; negative if nobody asks
	window             int // when a request arrives at the latest; negative for any time
	trials
	staffing
	replicas int // of each store; 0 for one
}

// entry is what is under a key.
type entry struct {
	value    model.Datum
	ttl, age int // ttl 0: none
	// at is the time that it carries.
	at moment
	bond
}

type status uint8

const (
	running status = iota
	paused
	crashed
	down
	doomed // a process has panicked
)

type host1 struct {
	status status
	age    int // of the pause, or since it is down
	// locked and signals are its memory: whether its mutex is locked, and how many
	// signals are in its channel.
	locked  bool
	signals int
	// variable is what is in it besides.
	variable model.Datum
	ahead    int // of its wall clock
}

// mostProcesses and mostTokens are more than a case of use has at once.
const (
	mostProcesses = 10
	mostTokens    = 24
)

// family names a request; nobody owns what noFamily owns.
type family struct{ node, request int }

var noFamily = family{-1, -1}

// world is a state of the oracle. It is held as it would be written down by
// someone who has never heard of zones: every timer is a number of ticks.
type world struct {
	set       *setting
	nodes     []host1
	processes []process // by node, request and order
	entries   [len(tinyKeys)]entry
	owners    []family // by token
	source    int
	crashes   int // left
	pauses    int // left
	left      [troubles]int
	backup    backup
	frozen    [2]bool // by store
	starving  int     // ticks since a process is starved
	blackout  blackout
	timers    []timer
	lastKept  [len(tinyKeys)]int
	rebuilds  int
	// endlessly: code ran without end, or spawns without end; the case is of no
	// use.
	endlessly bool
}

// still reports whether the clock of the key's store stands still.
func (w *world) still(k int) bool { return w.frozen[store(tinyKeys[k].cache)] }

func start(set *setting) *world {
	w := &world{set: set, source: 1, crashes: set.crashes, pauses: set.pauses, left: set.budget}
	for n := range set.services() + set.updates {
		w.nodes = append(w.nodes, host1{})
		w.processes = append(w.processes, set.roots(n)...)
	}
	return w
}

func (w *world) clone() *world {
	c := *w
	c.nodes, c.processes, c.owners = slices.Clone(w.nodes), slices.Clone(w.processes), slices.Clone(w.owners)
	return &c
}

func (p *process) family() family { return family{p.node, p.request} }

// processHost lets a process of w, which it finds by name since processes move
// when others are spawned, change w.
type processHost struct{ w *world }

func (h processHost) token(p *process) model.Datum {
	h.w.owners = append(h.w.owners, p.family())
	return model.Datum{Kind: model.KindToken, N: uint8(len(h.w.owners) - 1)}
}

func (h processHost) kept(*process) {}

// restart makes the tokens of p's family nobody's.
func (h processHost) restart(p *process) {
	for t, f := range h.w.owners {
		if f == p.family() {
			h.w.owners[t] = noFamily
		}
	}
}

func (h processHost) spawn(p *process, in instruction) int {
	last := 0
	for i := range h.w.processes {
		if q := &h.w.processes[i]; q.family() == p.family() {
			last = max(last, q.order)
		}
	}
	limit := in.within
	if limit == 0 {
		limit = p.within
	}
	child := process{node: p.node, request: p.request, order: last + 1, program: in.n, v: p.v, detached: p.detached || in.detached, cancelled: p.cancelled, giving: giving{within: limit}, scopes: p.begun(in)}
	// It must be among the others before it spawns children of its own.
	h.w.processes = append(h.w.processes, child)
	at := len(h.w.processes) - 1
	h.w.endlessly = !h.w.set.programs.advance(&child, h, h.w.set.invalidate) || h.w.endlessly
	h.w.processes[at] = child
	return last + 1 + 1
}

// step lets the process with index i do something and then run on to its next
// operation.
func (w *world) step(i int, do func(p *process)) {
	p := w.processes[i]
	do(&p)
	w.endlessly = !w.set.programs.advance(&p, processHost{w}, w.set.invalidate) || w.endlessly
	w.processes[i] = p
}

func (w *world) find(f family, order int) *process {
	for i := range w.processes {
		if p := &w.processes[i]; p.family() == f && p.order == order {
			return p
		}
	}
	return nil
}

// bounds returns how long the process may be in its phase. forever: nothing
// bounds it, since it waits for something other than time.
func (w *world) bounds(p *process) (least, most int, forever bool) {
	switch p.phase {
	case sent:
		if !p.byFault {
			return w.set.latMin, w.set.latMax, false
		}
		return 0, w.set.late, false
	case replying:
		switch p.seen.code {
		case model.TimedOut:
			return 0, w.set.timeout, false
		case model.Cancelled:
			return 0, 0, false
		}
		if w.waitsFor(p).verb == vReceive {
			return 0, 0, false
		}
		return w.set.replyMin, w.set.replyMax, false
	case acting:
		in := w.set.programs[p.program][p.pc]
		switch {
		case w.givesUp(p):
			return 0, 0, false
		case in.remote():
			least, most = w.remoteBounds(p)
			return least, most, false
		case in.verb == vWait:
			return 0, 0, w.find(p.family(), p.task[in.slot]-1).phase != ended
		case in.stoppable() && p.stoppedAtIssue:
			return 0, 0, false
		case in.patient():
			return w.patience(p, in)
		case in.verb == vSleep && p.stopped:
			return in.min, 0, false
		case in.verb == vSleep, in.verb == vCompute:
			return in.min, in.max, false
		}
		return 0, 0, false
	case parked:
		return w.parkedFor(p)
	}
	return 0, 0, true
}

// awaited reports whether the process arrives, and not later than some time.
func (w *world) awaited(p *process) bool {
	return p.phase == waiting && w.set.window >= 0 && (p.requests(w.set) || p.boots()) && !w.held(p)
}

// late reports whether the process has not arrived and must do so now.
func (w *world) late(p *process) bool {
	return w.awaited(p) && p.age >= w.set.window
}

// longest is the age beyond which nothing about the process depends on its age.
func (w *world) longest(p *process) int {
	if p.phase == acting && w.set.programs[p.program][p.pc].requests() && !p.cancelledAtIssue {
		// One more says that it is too late for a request to be under way.
		return max(w.set.latMax, w.limit(p)) + 1
	}
	if limit := w.limit(p); limit > 0 {
		return max(w.set.latMax, limit) + 1
	}
	if p.phase == acting {
		if in := w.set.programs[p.program][p.pc]; in.verb == vSleep && !p.stoppedAtIssue && !p.calledOff(in) {
			return in.max
		} else if in.limited() {
			return in.ttl
		}
	}
	if p.phase == parked {
		return w.waitsFor(p).ttl
	}
	if w.awaited(p) {
		return w.set.window
	}
	_, most, forever := w.bounds(p)
	if forever {
		return 0
	}
	return most
}

func (p *process) active() bool {
	return p.phase == acting || p.phase == replying || p.phase == parked
}

// tidy forgets what no one can tell any more, so that there are finitely many
// worlds: ended processes that nobody can wait for, gaps in the numbers of
// processes and tokens.
func (w *world) tidy() {
	slices.SortStableFunc(w.processes, func(a, b process) int {
		if a.node != b.node {
			return a.node - b.node
		}
		if a.request != b.request {
			return a.request - b.request
		}
		return a.order - b.order
	})
	wanted := map[[3]int]bool{}
	for i := range w.processes {
		p := &w.processes[i]
		for _, t := range p.task {
			if t != 0 && p.phase != ended {
				wanted[[3]int{p.node, p.request, t - 1}] = true
			}
		}
	}
	var gone []process
	w.processes = slices.DeleteFunc(w.processes, func(p process) bool {
		over := p.phase == ended && !wanted[[3]int{p.node, p.request, p.order}]
		if over {
			gone = append(gone, p)
		}
		return over
	})
	w.asksAgain(gone)
	if !slices.ContainsFunc(w.processes, func(p process) bool { return p.starved }) {
		w.starving = 0
	}
	renumbered := map[[3]int]int{}
	next := 0
	for i := range w.processes {
		p := &w.processes[i]
		if i == 0 || w.processes[i-1].family() != p.family() {
			next = 0
		}
		renumbered[[3]int{p.node, p.request, p.order}] = next
		next++
	}
	for i := range w.processes {
		p := &w.processes[i]
		for k, t := range p.task {
			if t != 0 {
				p.task[k] = renumbered[[3]int{p.node, p.request, t - 1}] + 1
			}
		}
		p.order = renumbered[[3]int{p.node, p.request, p.order}]
	}
	w.lineUp()
	w.forgetTimers()
	var owners []family
	names := map[uint8]uint8{}
	rename := func(d *model.Datum) {
		if d.Kind != model.KindToken {
			return
		}
		to, ok := names[d.N]
		if !ok {
			to = uint8(len(owners))
			names[d.N] = to
			f := w.owners[d.N]
			if !slices.ContainsFunc(w.processes, func(p process) bool { return p.family() == f }) {
				f = noFamily
			}
			owners = append(owners, f)
		}
		d.N = to
	}
	for k := range w.entries {
		rename(&w.entries[k].value)
	}
	for n := range w.nodes {
		rename(&w.nodes[n].variable)
	}
	for k := range w.backup.entries {
		rename(&w.backup.entries[k].value)
	}
	for i := range w.processes {
		p := &w.processes[i]
		for k := range p.v {
			rename(&p.v[k])
		}
		rename(&p.seen.value)
		rename(&p.result.value)
	}
	w.owners = owners
}

// key is text that is equal for equal worlds.
func (w *world) key() string {
	// Every number fits into a byte.
	b := make([]byte, 0, 64+64*len(w.processes))
	put := func(ns ...int) {
		for _, n := range ns {
			b = append(b, byte(n))
		}
	}
	flag := func(f bool) {
		if f {
			put(1)
		} else {
			put(0)
		}
	}
	datum := func(d model.Datum) { put(int(d.Kind), int(d.N)) }
	put(w.source, w.crashes, w.pauses, w.rebuilds)
	put(w.lastKept[:]...)
	for _, n := range w.nodes {
		put(int(n.status), n.age, n.signals)
		put(n.ahead)
		flag(n.locked)
		datum(n.variable)
	}
	for _, e := range w.entries {
		datum(e.value)
		put(e.ttl, e.age)
		flag(e.bound)
		flag(e.dying)
		put(e.within, e.bond.age)
		flag(e.at.known)
		put(e.at.age, e.at.ahead)
	}
	flag(w.frozen[0])
	flag(w.frozen[1])
	put(w.starving)
	for _, f := range w.owners {
		put(f.node, f.request)
	}
	put(w.left[:]...)
	flag(w.backup.lags)
	flag(w.backup.cache)
	flag(w.backup.reads)
	flag(w.backup.ofSource)
	put(w.backup.source)
	put(w.backup.age)
	for _, e := range w.backup.entries {
		datum(e.value)
		put(e.ttl, e.age)
		flag(e.bound)
		flag(e.dying)
		put(e.within, e.bond.age)
		flag(e.at.known)
		put(e.at.age, e.at.ahead)
	}
	flag(w.blackout.on)
	flag(w.blackout.cache)
	flag(w.blackout.everywhere)
	flag(w.blackout.refuses)
	put(w.blackout.node, w.blackout.age)
	put(len(w.timers))
	for _, t := range w.timers {
		put(t.node, t.request, t.context, t.ttl, t.age)
	}
	for i := range w.processes {
		p := &w.processes[i]
		put(p.node, p.request, p.order, p.program, p.pc, int(p.phase), p.age, p.wait, int(p.seen.code), p.seen.number, int(p.last), p.number)
		datum(p.seen.value)
		for _, d := range p.v {
			datum(d)
		}
		put(p.count[:]...)
		put(p.task[:]...)
		flag(p.hasDeadline)
		flag(p.deadlinePassed)
		put(p.deadlineAge, p.deadlineLimit)
		flag(p.stopped)
		flag(p.stoppedAtIssue)
		flag(p.cancelled)
		flag(p.cancelledAtIssue)
		flag(p.new)
		flag(p.byFault)
		for _, m := range []moment{p.own, p.found, p.moments.seen} {
			flag(m.known)
			put(m.age, m.ahead)
		}
		flag(p.starved)
		flag(p.writing)
		flag(p.knows)
		flag(p.detached)
		flag(p.job)
		flag(p.overdue)
		flag(p.late)
		put(p.within)
		put(p.place, p.watch.keys)
		flag(p.watch.writes)
		flag(p.watch.changed)
		flag(p.hasWatch)
		flag(p.closed)
		for _, s := range []scope{p.base, p.sub} {
			flag(s.open)
			flag(s.done)
			put(s.by)
		}
		put(p.parents[:]...)
		flag(p.cacheWatched)
		flag(p.localWatched)
		flag(p.watch.local)
		flag(p.holds)
		for _, f := range p.believes {
			flag(f)
		}
		put(int(p.result.code), p.result.number)
		datum(p.result.value)
	}
	return string(b)
}
