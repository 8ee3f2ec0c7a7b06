package scheduler

import (
	"math/rand/v2"
	"slices"
	"time"

	"lockstep/model"
)

// Strategy is how a hunt picks what comes next.
type Strategy string

const (
	// RandomWalk picks each time among all that can happen.
	RandomWalk Strategy = "walk"
	// PCT lets whoever has the highest priority go on, and changes priorities at few steps.
	PCT Strategy = "pct"
	// BothStrategies takes turns.
	BothStrategies Strategy = "both"
)

// huntPlan is what a run decides by: what it has drawn beforehand, and what it draws.
type huntPlan struct {
	source rand.PCG
	random *rand.Rand
	// pct: whoever has the highest priority goes on. inOrder: a run that bounds count for.
	pct, inOrder bool
	// timing is how instants are drawn, by weights.
	timing [4]int
	// arrivals and ends are how much less often requests arrive and faults end than others
	// do something.
	arrivals, ends int
	// absent are requests that never arrive.
	absent  []huntThread
	strikes []strike
	// depth, ranks and changes are those of PCT: the priorities of threads, and the steps at
	// which one changes. threads is how many have been met.
	depth   int
	ranks   []rank
	changes []int
	// longest is the longest duration of the scenario.
	longest, tick time.Duration

	groups []group
}

// strike is a fault that is to begin as soon as it can after so many steps.
type strike struct {
	fault uint8
	step  int
}

// group are the options of one thread.
type group struct{ from, to, weight int }

// How an instant is drawn.
const (
	atOnce  = iota // as early as possible
	atLast         // as late as possible
	between        // exactly when something else becomes possible, or a clock shows a constant
	anyhow         // at random
)

// timings are the weights with which a run draws its instants.
var timings = [...][4]int{{1, 0, 0, 0}, {6, 2, 1, 1}, {3, 3, 3, 1}, {2, 1, 2, 5}}

// pace is what is known of runs from earlier ones: how many steps they have on average, and
// how many at most until time passes in those that bounds count for.
type pace struct{ typical, atOnce int }

// draw makes the plan of a run.
func (p *huntPlan) draw(h *hunt, w *huntWorld, run int) {
	seed := h.options.Seed
	p.source.Seed(seed, mixed(uint64(run)))
	if p.random == nil {
		p.random = rand.New(&p.source)
	}
	r := p.random
	turn := run
	switch h.options.Strategy {
	case PCT:
		p.pct = true
	case BothStrategies:
		p.pct, turn = run%2 == 1, run/2
	}
	p.inOrder = p.pct && turn%orderEvery == 0
	p.absent, p.strikes, p.ranks, p.changes = p.absent[:0], p.strikes[:0], p.ranks[:0], p.changes[:0]
	p.depth, p.longest, p.tick = h.options.Depth, h.longest, w.tick.Size()
	if p.pct {
		steps := 2 * h.pace.typical
		if p.inOrder {
			steps = h.pace.atOnce
		}
		for range p.depth - 1 {
			p.changes = append(p.changes, 1+r.IntN(steps))
		}
	}
	p.timing, p.arrivals, p.ends = timings[0], 1, 1
	if p.inOrder {
		return
	}
	p.timing = timings[r.IntN(len(timings))]
	p.arrivals, p.ends = 1<<(2*r.IntN(4)), 1<<(2*r.IntN(4))
	p.leaveOut(w)
	p.plan(w, h.pace.typical)
}

// leaveOut draws which requests never arrive: in half of the runs none, in the others all
// but a few.
func (p *huntPlan) leaveOut(w *huntWorld) {
	if w.rules.Window != nil || p.random.IntN(2) == 0 {
		return
	}
	for i := range w.state.Processes {
		if q := &w.state.Processes[i]; q.Phase == model.Waiting && q.Role != model.Boot {
			p.absent = append(p.absent, threadOf(q))
		}
	}
	p.random.Shuffle(len(p.absent), func(i, k int) { p.absent[i], p.absent[k] = p.absent[k], p.absent[i] })
	p.absent = p.absent[min(len(p.absent), 1+p.random.IntN(6)):]
}

// plan draws how many faults there are, of which kinds, and after how many steps.
func (p *huntPlan) plan(w *huntWorld, typical int) {
	r := p.random
	var left []uint8
	for i := range w.rules.Faults {
		for range w.state.Left[i] {
			left = append(left, uint8(i))
		}
	}
	if len(left) == 0 || r.IntN(8) == 0 {
		return
	}
	r.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
	n := 1
	for n < len(left) && r.IntN(2) == 0 {
		n++
	}
	for _, f := range left[:n] {
		p.strikes = append(p.strikes, strike{f, r.IntN(typical)})
	}
	slices.SortFunc(p.strikes, func(a, b strike) int { return a.step - b.step })
}

// choose returns the option to take as the step with the number, from 1; it is false at the end of
// the run.
func (p *huntPlan) choose(w *huntWorld, step int) (huntOption, bool) {
	if i, ok := p.strike(w, step); ok {
		return w.options[i], true
	}
	p.gather(w)
	if len(p.groups) == 0 {
		return huntOption{}, false
	}
	g := p.groups[0]
	if p.pct {
		g = p.highest(w, step)
	} else {
		total := 0
		for _, g := range p.groups {
			total += g.weight
		}
		at := p.random.IntN(total)
		for _, g = range p.groups {
			if at -= g.weight; at < 0 {
				break
			}
		}
	}
	i := g.from
	if g.to > g.from+1 {
		i += p.random.IntN(g.to - g.from)
	}
	return w.options[i], true
}

// strike returns a fault that is to begin, if one can.
func (p *huntPlan) strike(w *huntWorld, step int) (int, bool) {
	for k, s := range p.strikes {
		if s.step >= step {
			break
		}
		count, believing := 0, 0
		for i := range w.options {
			if m := &w.moves.List[w.options[i].move]; m.Kind.IsFault() && m.Fault == s.fault {
				count++
				if w.believes(m) {
					believing++
				}
			}
		}
		if count == 0 {
			continue
		}
		// It matters more where somebody believes that it holds a lock.
		only := believing > 0 && p.random.IntN(2) == 0
		if only {
			count = believing
		}
		n := p.random.IntN(count)
		for i := range w.options {
			m := &w.moves.List[w.options[i].move]
			if !m.Kind.IsFault() || m.Fault != s.fault || only && !w.believes(m) {
				continue
			}
			if n == 0 {
				p.strikes = slices.Delete(p.strikes, k, k+1)
				return i, true
			}
			n--
		}
	}
	return 0, false
}

// believes reports whether a fault strikes a node on which some process believes that it
// holds a lock.
func (w *huntWorld) believes(m *model.Move) bool {
	node := m.Index
	switch {
	case m.Kind == model.MoveFailure || w.rules.Faults[m.Fault].Strikes() == model.OnRequest:
		if int(m.Index) >= len(w.state.Processes) {
			return false
		}
		node = w.state.Processes[m.Index].Node
	case w.rules.Faults[m.Fault].Strikes() != model.OnNode:
		return false
	}
	for i := range w.state.Processes {
		if q := &w.state.Processes[i]; q.Node == node && q.Believes != 0 {
			return true
		}
	}
	return false
}

// gather groups the options that are no faults by their threads.
func (p *huntPlan) gather(w *huntWorld) {
	p.groups = p.groups[:0]
	const usual = 1 << 6
	kept := 0
	last := huntThread(0)
	for _, o := range w.options {
		m := &w.moves.List[o.move]
		if m.Kind.IsFault() || m.Kind == model.MoveArrive && slices.Contains(p.absent, o.thread) {
			continue
		}
		w.options[kept] = o
		if n := len(p.groups); n > 0 && last == o.thread {
			p.groups[n-1].to++
		} else {
			g := group{kept, kept + 1, usual}
			switch m.Kind {
			case model.MoveArrive:
				g.weight /= p.arrivals
			case model.MoveRecovery:
				g.weight /= p.ends
			}
			p.groups = append(p.groups, g)
		}
		last = o.thread
		kept++
	}
	w.options = w.options[:kept]
}

// instant draws when the option is taken, from now.
func (p *huntPlan) instant(w *huntWorld, o huntOption) time.Duration {
	least, most := o.least, o.most
	if least == most || p.timing == timings[0] {
		return least
	}
	total := 0
	for _, weight := range p.timing {
		total += weight
	}
	how, at := 0, p.random.IntN(total)
	for at -= p.timing[how]; at >= 0; at -= p.timing[how] {
		how++
	}
	switch how {
	case atLast:
		if most < forever {
			return most
		}
		fallthrough
	case between:
		if borders := w.bordersWithin(least, most); len(borders) > 0 {
			return borders[p.random.IntN(len(borders))]
		}
	case anyhow:
		unit := w.tick.Size()
		if most -= least; most >= forever-least {
			most = p.longest
			for _, border := range w.bordersWithin(least, forever) {
				most = max(most, border-least)
			}
		}
		return least + time.Duration(p.random.Int64N(int64(most/unit)+1))*unit
	}
	return least
}

// second draws how long a second of a clock that drifts takes: such that a tick of it is a
// whole number of nanoseconds.
func (p *huntPlan) second(least, most time.Duration) time.Duration {
	step := time.Second / gcd(time.Second, p.tick)
	least, most = (least+step-1)/step*step, most/step*step
	switch p.random.IntN(3) {
	case 0:
		return least
	case 1:
		return most
	}
	return least + step*time.Duration(p.random.Int64N(int64((most-least)/step)+1))
}

// mixed spreads a number over all bits: the finaliser of SplitMix64 (Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
