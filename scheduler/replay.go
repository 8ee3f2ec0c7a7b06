package scheduler

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// Replay runs a trace again in concrete time and reports whether each step is
// possible at its time and the last one violates the property. It measures time
// with numbers and uses none of the reductions of the search, so that it does
// not share their mistakes.
func Replay(s Scenario, t *model.Trace, p model.Property) error {
	_, err := replayed(s, t, p)
	return err
}

// replayed is Replay; it returns the history of the object that the property is about.
func replayed(s Scenario, t *model.Trace, p model.Property) ([]model.HistoryOperation, error) {
	var history []model.HistoryOperation
	return history, again(s, t, p, func(r *replayer) error {
		for i := range t.Steps {
			if _, err := r.step(&t.Steps[i]); err != nil {
				return fmt.Errorf("step %d, at %s: %w", i+1, model.FormatDuration(t.Steps[i].Time), err)
			}
		}
		if !r.violates(p) {
			return fmt.Errorf("the last step does not violate %s", p.Name())
		}
		var err error
		history, err = r.history.judged(p)
		return err
	})
}

// again lets do run the scenario of a trace again, from its beginning, once more with each
// finer tick that turns out to be needed.
func again(s Scenario, t *model.Trace, p model.Property, do func(*replayer) error) error {
	s, err := s.Check()
	if err != nil {
		return err
	}
	if s.within = t.Bounds.AnsweredWithin; s.within == nil {
		s.within, s.watches = t.Bounds.WatchedWithin, t.Bounds.WatchedWithin != nil
	}
	if p, ok := p.(model.Patient); ok {
		s.waits(p)
	}
	tick := s.tick()
	for {
		r, err := newReplayer(s, p, tick)
		if err == nil {
			err = do(r)
		}
		var finer *finerTick
		if !errors.As(err, &finer) {
			return err
		}
		tick = finer.tick
	}
}

// replayer is a world whose clocks are numbers.
type replayer struct {
	scenario Scenario
	rules    *model.Rules
	namer    *namer
	state    model.State
	clocks   []time.Duration // true time since they began; index 0 is not used
	now      time.Duration
	tick     model.Tick
	rates    *driftRates
	// meters are by what the clocks are measured, if any of them drifts, lengths how long
	// a second of each that does takes.
	meters  []model.Meter
	lengths seconds
	// monitors have the property, if it is one that is decided step by step, and broken
	// says whether the last step violates it.
	monitors []model.Monitor
	history  *notes
	broken   bool

	// Kept to be reused.
	upper  []zone.Bound
	source []uint8
	spare  []time.Duration
}

// concrete are the options of a world whose clocks are numbers: nothing in it is merged.
func concrete() Options {
	return Options{PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true, Patience: 10 * time.Second}
}

func newReplayer(s Scenario, p model.Property, tick model.Tick) (*replayer, error) {
	var monitors []model.Monitor
	if m, ok := p.(model.Monitor); ok {
		monitors = append(monitors, m)
	}
	rules, learner, err := s.world(tick, monitors, concrete())
	if err != nil {
		return nil, err
	}
	r := &replayer{
		scenario: s, rules: rules, namer: newNamer(rules, learner), clocks: []time.Duration{0},
		tick: tick, rates: ratesOf(rules), lengths: seconds{},
		monitors: monitors, history: newNotes(monitors),
	}
	if err := rules.Start(&r.state, s.population()); err != nil {
		return nil, err
	}
	r.settle()
	return r, nil
}

// violates reports whether the property is violated where the run is.
func (r *replayer) violates(p model.Property) bool {
	if d, ok := p.(model.DeadEnd); ok {
		return !d.Settled(&r.state)
	}
	return r.broken
}

// step lets time pass until the step and takes it. It returns the step as it is now.
func (r *replayer) step(want *model.TraceStep) (*model.TraceStep, error) {
	if err := r.pass(want.Time - r.now); err != nil {
		return nil, err
	}
	got, offered, err := r.take(want.Kind, func(got *model.TraceStep, e *model.Event) bool {
		return same(got, want) && r.drifts(e, want)
	})
	if err != nil || got != nil {
		return got, err
	}
	texts := []string{"nothing of the kind"}
	for k := range offered {
		texts = append(texts[:k], offered[k].Node+" "+offered[k].Process+" "+offered[k].Text)
	}
	return nil, fmt.Errorf("the trace has %s %s %q, and what is possible is %q", want.Node, want.Process, want.Text, texts)
}

// take takes the first move of a kind, of any for none, that is wanted, and returns the step
// that it is. If there is none, it returns what the moves of the kind would be.
func (r *replayer) take(kind string, wanted func(*model.TraceStep, *model.Event) bool) (*model.TraceStep, []model.TraceStep, error) {
	moves := &model.Moves{}
	moves.Reset(r)
	r.rules.Moves(&r.state, moves)
	if moves.Err != nil {
		return nil, nil, moves.Err
	}
	var offered []model.TraceStep
	for i := range moves.List {
		move := &moves.List[i]
		if kind != "" && move.Kind.String() != kind {
			continue
		}
		before := &model.State{}
		before.Copy(&r.state)
		names := r.namer.clone()
		event := &model.Event{}
		if err := r.rules.Apply(&r.state, move, event); err != nil {
			return nil, nil, err
		}
		r.namer.tokens(&r.state)
		got := r.namer.step(before, &r.state, event, r.now)
		if wanted(&got, event) {
			// The same move comes once more for each clock that says how soon it is.
			for i++; i < len(moves.List) && moves.List[i].Soon != 0; i++ {
				event.Move.Soon |= moves.List[i].Soon
			}
			if d := event.Drift; d.Drift != model.NoDrift {
				got.Second = r.lengths.length(nameClock(&r.state, d))
				got.Text += driftText(got.Second)
			}
			r.finish(event)
			return &got, nil, nil
		}
		r.state.Copy(before)
		r.namer = names
		offered = append(offered, got)
	}
	return nil, offered, nil
}

// finish tells the monitors of a step that was taken, and settles.
func (r *replayer) finish(e *model.Event) {
	for _, m := range r.monitors {
		r.broken = m.Check(&r.state, e, r.state.Memory)&model.Violated != 0
	}
	r.history.take(&r.state, r.now)
	r.settle()
}

func same(got, want *model.TraceStep) bool {
	return got.Watched == want.Watched && got.Node == want.Node && got.Process == want.Process && got.Fault == want.Fault &&
		slices.Equal(got.Overdue, want.Overdue) && got.Operation == want.Operation && got.Key == want.Key &&
		slices.Equal(got.Arguments, want.Arguments) && got.Observation == want.Observation
}

// pass lets time pass, which nothing that is due may forbid.
func (r *replayer) pass(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("time runs backwards by %s", model.FormatDuration(-d))
	}
	if room := r.room(d); room < d {
		return fmt.Errorf("something is due at %s, and nothing may wait any longer", model.FormatDuration(r.now+room))
	}
	r.now += d
	for c := 1; c < len(r.clocks); c++ {
		r.clocks[c] += d
	}
	return nil
}

// room is how much of d may pass before something is due.
func (r *replayer) room(d time.Duration) time.Duration {
	upper := grow(r.upper, len(r.clocks))
	r.upper = upper
	if !r.rules.Invariants(&r.state, upper) {
		return 0
	}
	for c := 1; c < len(r.clocks); c++ {
		if upper[c] < zone.Infinity {
			d = min(d, r.until(uint8(c), model.Ticks(upper[c]))-r.clocks[c])
		}
	}
	return max(d, 0)
}

// until is how long a clock takes to show a bound.
func (r *replayer) until(clock uint8, bound model.Ticks) time.Duration {
	high, low := bits.Mul64(uint64(r.tick.Duration(bound)), uint64(r.second(clock)))
	quotient, _ := bits.Div64(high, low, uint64(time.Second))
	return time.Duration(quotient)
}

// drifts lets the clock drift that the step is about, if it is about one, at the rate of
// the trace; it reports whether that is possible.
func (r *replayer) drifts(e *model.Event, want *model.TraceStep) bool {
	if e.Drift.Drift == model.NoDrift {
		return true
	}
	if least, most := r.rates.seconds(e.Drift); want.Second < least || want.Second > most {
		return false
	}
	r.lengths[nameClock(&r.state, e.Drift)] = want.Second
	return true
}

func (r *replayer) settle() {
	r.source = r.rules.Canonical(&r.state, r, false, r.source[:0])
	clocks := append(r.spare[:0], 0)
	for _, from := range r.source {
		value := time.Duration(0)
		if from != 0 {
			value = r.clocks[from]
		}
		clocks = append(clocks, value)
	}
	r.spare, r.clocks, r.meters = r.clocks, clocks, nil
	if r.state.Drifts {
		r.meters = make([]model.Meter, len(clocks))
		r.rules.Meters(&r.state, r.meters)
	}
}

// second is how long a second takes of a clock.
func (r *replayer) second(clock uint8) time.Duration {
	if r.meters == nil {
		return time.Second
	}
	return r.lengths.length(nameClock(&r.state, r.meters[clock]))
}

// compare compares what a clock shows with a bound.
func (r *replayer) compare(clock uint8, bound model.Ticks) int {
	second := r.second(clock)
	// The clock has run for a second as often as true time for its length.
	high, low := bits.Mul64(uint64(r.clocks[clock]), uint64(time.Second))
	boundHigh, boundLow := bits.Mul64(uint64(max(r.tick.Duration(bound), 0)), uint64(second))
	return cmp.Or(cmp.Compare(high, boundHigh), cmp.Compare(low, boundLow))
}

func (r *replayer) AtLeast(clock uint8, bound model.Ticks) bool {
	return r.compare(clock, bound) >= 0
}

func (r *replayer) AtMost(clock uint8, bound model.Ticks) bool {
	return bound >= 0 && r.compare(clock, bound) <= 0
}

// Range is asked only where what is interchangeable is sorted, and here nothing is.
func (r *replayer) Range(uint8) (least, most int32) { return 0, 0 }
