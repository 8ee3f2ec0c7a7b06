package scheduler

import (
	"math/bits"
	"slices"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// huntWorld is the world of the replay, in which a hunt takes its runs: its clocks are
// numbers, the rules are those of the search, and nothing is merged. It gives nothing a
// name, and is used for one run after the other.
type huntWorld struct {
	replayer
	who model.Population
	// given are the monitors as they were given, sizes how many bytes each remembers.
	given []model.Monitor
	sizes []int
	moves model.Moves
	event model.Event
	// room is how long nothing is due, and options are what can happen until then.
	room    time.Duration
	options []huntOption
	// borders, lower and above are for bordersWithin.
	borders      []time.Duration
	lower, above []zone.Bound
	// violated is the first of the properties that the last step violates, -1 if there is none.
	violated int
	// exercised has a bit for each property that had something to say in the run.
	exercised uint32
	// drawn is how long a second takes of the clock that has begun to drift last.
	drawn time.Duration
	asked
	// trial and trialEvent are for looking at what a move does.
	trial      model.State
	trialEvent model.Event
}

// huntOption is a move that is possible from least to most from now.
type huntOption struct {
	move        int
	least, most time.Duration
	thread      huntThread
}

// huntThread tells apart what takes steps: a process, a key whose TTL runs out, a fault that
// ends.
type huntThread uint64

// Threads that are no processes.
const (
	threadOfKey   huntThread = 1 << 63
	threadOfFault huntThread = 1 << 62
)

// threadOf returns that of a process. A request that is under way without its process is a
// thread of its own.
func threadOf(p *model.Process) huntThread {
	t := huntThread(p.Node)<<56&^(3<<62) | huntThread(p.Role)<<52 | huntThread(p.Request)<<32 | huntThread(p.Label)
	if p.Phase == model.Sent {
		t |= 1 << 55
	}
	return t
}

// newHuntWorld returns a world for runs of the scenario, in which the automaton is learned.
func newHuntWorld(s Scenario, monitors []model.Monitor, tick model.Tick, patience time.Duration) (*huntWorld, error) {
	o := concrete()
	o.Patience = patience
	own := slices.Clone(monitors)
	rules, learner, err := s.world(tick, own, o)
	if err != nil {
		return nil, err
	}
	return makeHuntWorld(s, rules, newNamer(rules, learner), tick, monitors), nil
}

func makeHuntWorld(s Scenario, rules *model.Rules, n *namer, tick model.Tick, given []model.Monitor) *huntWorld {
	w := &huntWorld{who: s.population(), given: given}
	w.replayer = replayer{
		scenario: s, rules: rules, namer: n, clocks: []time.Duration{0}, tick: tick,
		rates: ratesOf(rules), lengths: seconds{}, monitors: rules.Monitors, history: newNotes(nil),
	}
	for _, m := range w.monitors {
		w.sizes = append(w.sizes, m.Memory())
	}
	return w
}

// reader returns another world that shares what has been learned, and does not learn: many
// can be used at once.
func (w *huntWorld) reader() *huntWorld {
	rules := *w.rules
	rules.Automaton = reader{w.namer.learner}
	return makeHuntWorld(w.scenario, &rules, newNamer(&rules, w.namer.learner), w.tick, w.given)
}

// start begins a run.
func (w *huntWorld) start() error {
	w.now, w.clocks, w.violated, w.exercised = 0, append(w.clocks[:0], 0), -1, 0
	clear(w.lengths)
	if err := w.rules.Start(&w.state, w.who); err != nil {
		return err
	}
	w.settle()
	return nil
}

// forever is more than any run takes.
const forever = time.Duration(1) << 60

// soonClocks answers whether a comparison can be true before something is due.
type soonClocks struct{ *huntWorld }

func (c soonClocks) AtLeast(clock uint8, bound model.Ticks) bool {
	return c.reach(clock, bound) <= c.huntWorld.room
}

func (c soonClocks) AtMost(clock uint8, bound model.Ticks) bool {
	return c.huntWorld.AtMost(clock, bound)
}

// reach is how long it takes from now until a clock shows a bound.
func (w *huntWorld) reach(clock uint8, bound model.Ticks) time.Duration {
	if bound <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(w.tick.Duration(bound)), uint64(w.second(clock)))
	at, rest := bits.Div64(high, low, uint64(time.Second))
	if rest > 0 {
		at++
	}
	return max(time.Duration(at)-w.clocks[clock], 0)
}

// look finds out what can happen before something else has to.
func (w *huntWorld) look() error {
	w.room = w.replayer.room(forever)
	w.moves.Reset(soonClocks{w})
	w.rules.Moves(&w.state, &w.moves)
	w.options = w.options[:0]
	for i := range w.moves.List {
		move := &w.moves.List[i]
		if move.Soon != 0 {
			continue // it is the same as one before
		}
		o := huntOption{move: i, most: w.room, thread: w.threadOfMove(move)}
		for _, g := range w.moves.Guards(move) {
			if g.Lower {
				o.least = max(o.least, w.reach(g.Clock, g.Bound))
			} else {
				o.most = min(o.most, w.until(g.Clock, g.Bound)-w.clocks[g.Clock])
			}
		}
		if o.least <= o.most {
			w.options = append(w.options, o)
		}
	}
	return w.moves.Err
}

// bordersWithin returns the instants, from now, between least and most and neither of them, at
// which something may change: an option becomes possible, or a clock shows what it may ever be
// compared with.
func (w *huntWorld) bordersWithin(least, most time.Duration) []time.Duration {
	w.borders = w.borders[:0]
	add := func(at time.Duration) {
		if at > least && at < most && !slices.Contains(w.borders, at) {
			w.borders = append(w.borders, at)
		}
	}
	for i := range w.options {
		add(w.options[i].least)
	}
	w.lower, w.above = grow(w.lower, len(w.clocks)), grow(w.above, len(w.clocks))
	w.rules.Constants(&w.state, w.rules.Outlook(&w.state), w.lower, w.above)
	for c := 1; c < len(w.clocks); c++ {
		for _, bound := range [...]zone.Bound{w.lower[c], w.above[c]} {
			if bound > 0 && bound < zone.Infinity {
				add(w.reach(uint8(c), model.Ticks(bound)))
			}
		}
	}
	return w.borders
}

func (w *huntWorld) threadOfMove(m *model.Move) huntThread {
	switch {
	case m.Kind == model.MoveExpire, m.Kind == model.MoveLate && m.Choice != 0:
		return threadOfKey | huntThread(m.Index)
	case m.Kind == model.MoveFault, m.Kind == model.MoveRecovery:
		return threadOfFault | huntThread(m.Fault)<<8 | huntThread(m.Index)
	}
	return threadOf(&w.state.Processes[m.Index])
}

// wait lets time pass, which nothing that is due forbids.
func (w *huntWorld) wait(d time.Duration) {
	w.now += d
	for c := 1; c < len(w.clocks); c++ {
		w.clocks[c] += d
	}
}

// soon adds to a move what it says of the clocks of a property; see [model.Windowed].
func (w *huntWorld) soon(move *model.Move) {
	if w.rules.Windows == nil {
		return
	}
	w.moves.Reset(&w.replayer)
	w.rules.Moves(&w.state, &w.moves)
	for i := range w.moves.List {
		if !equalMoves(&w.moves.List[i], move) {
			continue
		}
		for i++; i < len(w.moves.List) && w.moves.List[i].Soon != 0; i++ {
			move.Soon |= w.moves.List[i].Soon
		}
		return
	}
}

// equalMoves compares two moves of one state but for what they say of clocks.
func equalMoves(a, b *model.Move) bool {
	return a.Kind == b.Kind && a.Index == b.Index && a.Fault == b.Fault && a.Ages == b.Ages &&
		a.Observation == b.Observation && a.Choice == b.Choice
}

// apply takes a move now. A clock that drifts from then on takes second(least, most) for a
// second.
func (w *huntWorld) apply(move model.Move, second func(least, most time.Duration) time.Duration) (err error) {
	w.soon(&move)
	e := &w.event
	if err := w.rules.Apply(&w.state, &move, e); err != nil {
		return err
	}
	if e.Drift.Drift != model.NoDrift {
		w.drawn = second(w.rates.seconds(e.Drift))
		w.lengths[nameClock(&w.state, e.Drift)] = w.drawn
	}
	w.violated = -1
	at := 0
	for i, m := range w.monitors {
		memory := w.state.Memory[at : at+w.sizes[i]]
		at += w.sizes[i]
		w.property = w.given[i]
		outcome := m.Check(&w.state, e, memory)
		if outcome&model.Exercised != 0 {
			w.exercised |= 1 << i
		}
		if outcome&model.Violated != 0 && w.violated < 0 {
			w.violated = i
		}
	}
	w.property = nil
	w.settle()
	return nil
}
