package scheduler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"lockstep/model"
)

// MaxLogEvents is how many events a log can have that is explained.
const MaxLogEvents = 20_000

// maxExplanations is how many explanations with as few faults are told apart.
const maxExplanations = 8

// Explanation says how a log can have come about.
type Explanation struct {
	// Trace is a run of the scenario that agrees with the log, with the fewest faults and then
	// the fewest steps; nil if none does. It names no property. Deviation is by how much its
	// instants differ from those of the log at most.
	Trace     *model.Trace
	Deviation time.Duration
	// Events has for each event of the log the step of Trace, from 1, that it is.
	Events []int
	// Inferred are the faults of Trace, which the log does not show, in order. Others are
	// those of other runs that agree with it and have as few, each with other faults; More says
	// that there may be further ones.
	Inferred []Inferred
	Others   [][]Inferred
	More     bool
	// Matched is how many events of the log some run agrees with, from the beginning, and
	// Blocked what stands against the next one, nil if there is a Trace.
	Matched int
	Blocked *Blocked
	// Faults is up to how many faults were tried, and CutOff why more was not; then that there
	// is no Trace says nothing.
	Faults int
	CutOff string

	Stats Stats
}

// Inferred is a fault that a log does not show. Times are since the beginning.
type Inferred struct {
	// Fault is its name, Node and Process what it strikes, as far as it strikes one, Text says
	// it in words.
	Fault, Node, Process, Text string
	// Begin is when it begins, at the earliest and at the latest. End is the same of its end,
	// and Length of how long it lasts, nil for one that does not end in the run.
	Begin       Between
	End, Length *Between

	// fault and node are their numbers; narrows says that other runs may let it begin or end at
	// other times.
	fault   uint8
	node    int
	narrows bool
}

// Between is a least and a largest duration.
type Between struct{ Least, Most time.Duration }

// Explain searches for a run of the scenario that agrees with a log: whose operations, as far as
// the log would show them, are those of the log, in that order and, within its tolerance, at those
// times. It tries no fault first, then one, and so on up to maxFaults of those for which the
// scenario has a budget. Nodes are those of the log, so they are not interchangeable.
//
// Its errors are those of [Check].
func Explain(ctx context.Context, s Scenario, l Log, maxFaults int, o Options) (*Explanation, error) {
	s, err := s.Check()
	if err != nil {
		return nil, err
	}
	if err := l.check(s); err != nil {
		return nil, err
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	o.NoSymmetry, o.SeparateWaits, o.Workers = true, true, 1
	tick := s.tick().With(l.durations()...)
	started := time.Now()
	result := &Explanation{}
	for faults := 0; faults <= maxFaults; faults++ {
		x, err := explainWith(ctx, s, l, faults, &tick, o, started)
		if err != nil {
			return nil, err
		}
		result.Faults = faults
		if err := x.tell(ctx, result, s, faults == maxFaults); err != nil {
			return nil, err
		}
		if result.Trace != nil || result.CutOff != "" || x.spent {
			break
		}
	}
	result.Stats.Seconds = time.Since(started).Seconds()
	return result, nil
}

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

// explainer is a search for a run that agrees with a log.
type explainer struct {
	*explorer
	log Log
	// given are the options before anything was found.
	given Options
	// found are stored states with which the log is at its end; matched is how many events some
	// run agrees with, and furthest are states with that many.
	found    []uint32
	matched  int
	furthest []uint32
	// spent: no fault beyond those of the search can happen.
	spent bool
}

const (
	maxFound    = 1000
	maxFurthest = 256
	// lookOn is how many more states are explored, at least, once a run has been found.
	lookOn = 20_000
)

// explainWith searches with at most so many faults, with a finer tick if that turns out to be needed.
func explainWith(ctx context.Context, s Scenario, l Log, faults int, tick *model.Tick, o Options, started time.Time) (*explainer, error) {
	for {
		x, err := newExplainer(s, l, faults, *tick, o, started)
		if err != nil {
			return nil, err
		}
		err = x.run(ctx)
		var finer *finerTick
		if errors.As(err, &finer) {
			*tick = finer.tick.With(l.durations()...)
			continue
		}
		if err != nil {
			return nil, blame(err)
		}
		return x, x.learner.audit()
	}
}

func newExplainer(s Scenario, l Log, faults int, tick model.Tick, o Options, started time.Time) (*explainer, error) {
	x := &explainer{log: l, given: o, explorer: &explorer{options: o, started: started, maxFaults: faults}}
	rules, learner, err := s.world(tick, nil, o)
	if err != nil {
		return nil, err
	}
	watch, err := newObserver(&x.log, learner)
	if err != nil {
		return nil, err
	}
	x.observer, x.monitors = watch, []model.Monitor{watch}
	rules.Monitors = x.monitors
	x.population, x.learner, x.rates = s.population(), learner, ratesOf(rules)
	x.asides = asidesOf(x.monitors)
	x.expander = newExpander(x.explorer, rules)
	budget := 0
	for _, f := range rules.Faults {
		budget += f.Budget()
	}
	x.spent = faults >= budget
	x.stored = x.look
	x.employ()
	return x, nil
}

// look notes how far a stored state has come in the log.
func (x *explainer) look(id uint32, t *target) {
	x.visited.Decode(t.key, x.nodes(), x.memory)
	at := x.observer.position(x.visited.Memory)
	if at > x.matched {
		x.matched, x.furthest = at, x.furthest[:0]
	}
	if at == x.matched && len(x.furthest) < maxFurthest {
		x.furthest = append(x.furthest, id)
	}
	if at < len(x.log.Events) {
		return
	}
	clock := int(x.visited.Since[0])
	if latest := t.cells[clock*int(t.dim)]; latest < x.observer.until(x.visited.Memory) {
		return
	}
	if len(x.found) == 0 {
		// What other runs have as few faults is found soon after, or not looked for.
		most := max(2*x.states.len(), lookOn)
		if x.options.MaxStates == 0 || most < x.options.MaxStates {
			x.options.MaxStates = most
		}
	}
	if len(x.found) < maxFound {
		x.found = append(x.found, id)
	}
}

// tell adds what was found to the result; last says that no more faults are tried.
func (x *explainer) tell(ctx context.Context, result *Explanation, s Scenario, last bool) error {
	result.Stats.States += x.states.len()
	result.Stats.Transitions += x.transitions
	result.Stats.Memory = max(result.Stats.Memory, x.used())
	result.Stats.Runs += x.learner.runs
	result.Matched = max(result.Matched, x.matched)
	if len(x.found) == 0 {
		result.CutOff = x.limit
		if x.limit != "" || last || x.spent {
			result.Blocked = x.blocked()
		}
		return nil
	}
	result.Matched, result.More = len(x.log.Events), x.limit != "" || len(x.found) == maxFound
	runs, more, err := x.apart()
	if err != nil {
		return err
	}
	result.More = result.More || more
	for i, r := range runs {
		if i > 0 {
			result.Others = append(result.Others, r.inferred)
			continue
		}
		result.Inferred = r.inferred
		if err := x.widen(ctx, s, r.inferred); err != nil {
			return err
		}
		if err := x.describeRun(result, s, r.path, x.states.at(r.state)); err != nil {
			return err
		}
	}
	return nil
}

// inferredRun is a run that agrees with the log.
type inferredRun struct {
	state    uint32
	path     []pathMove
	inferred []Inferred
}

// apart returns the runs that were found, one for each signature, and whether there may be more. A
// node that stops and never goes on is as good as gone: such runs come last.
func (x *explainer) apart() (runs []inferredRun, more bool, err error) {
	signatures := map[string]bool{}
	for _, state := range x.found {
		path, err := newExpander(x.explorer, x.rules).path(state, nil)
		if err != nil {
			return nil, false, err
		}
		inferred, err := x.infer(path)
		if err != nil {
			return nil, false, err
		}
		signature := signatureOf(inferred)
		if signatures[signature] {
			continue
		}
		if len(runs) == maxExplanations {
			more = true
			break
		}
		signatures[signature] = true
		runs = append(runs, inferredRun{state, path, inferred})
	}
	unended := func(r inferredRun) (n int) {
		for _, f := range r.inferred {
			if f.End == nil && x.rules.Faults[f.fault].Halts() {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(runs, func(a, b inferredRun) int { return unended(a) - unended(b) })
	return runs, more, nil
}

// signatureOf tells runs apart by their faults.
func signatureOf(inferred []Inferred) string {
	var parts []string
	for _, i := range inferred {
		parts = append(parts, i.Fault+" "+i.Node)
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// describeRun makes the trace of a run and replays it.
func (x *explainer) describeRun(result *Explanation, s Scenario, path []pathMove, end *record) error {
	instants, deviation, err := x.nearest(path)
	if err != nil {
		return err
	}
	t := &model.Trace{
		Format: model.TraceFormat, Version: model.TraceVersion,
		Protocol: s.Name, Parameters: s.Parameters(), Bounds: s.Bounds(),
		Faults: int(end.faults), Weight: int(end.steps), Steps: x.describe(path, instants, nil),
	}
	if err := replays(s, t); err != nil {
		return fmt.Errorf("the explanation does not replay: %w", err)
	}
	result.Trace, result.Deviation, result.Events = t, deviation, x.events(path, t)
	return nil
}

// replays runs a trace that is about no property again.
func replays(s Scenario, t *model.Trace) error {
	return again(s, t, nil, func(r *replayer) error {
		for i := range t.Steps {
			if _, err := r.step(&t.Steps[i]); err != nil {
				return fmt.Errorf("step %d, at %s: %w", i+1, model.FormatDuration(t.Steps[i].Time), err)
			}
		}
		return nil
	})
}

// events returns for each event of the log the step that it is, arrivals counted.
func (x *explainer) events(path []pathMove, t *model.Trace) []int {
	steps := make([]int, 0, len(path))
	for i := range t.Steps {
		if t.Steps[i].Kind != model.MoveArrive.String() {
			steps = append(steps, i+1)
		}
	}
	events := make([]int, len(x.log.Events))
	n := 0
	for i := range path {
		if path[i].event.Move.Kind == model.MoveArrive {
			continue
		}
		if at := path[i].observed; at > 0 {
			events[at-1] = steps[n]
		}
		n++
	}
	return events
}

// nearest returns instants for the moves of a run that are as near to those of the log as they
// can be, and how far from them they are at most.
func (x *explainer) nearest(path []pathMove) ([]time.Duration, time.Duration, error) {
	tick := x.learner.tick
	within := func(deviation time.Duration) ([]time.Duration, bool) {
		d := x.differences(path, deviation)
		back, ok := d.earliest(0)
		if !ok {
			return nil, false
		}
		instants := make([]time.Duration, len(path))
		for i := range instants {
			instants[i] = -back[i+1]
		}
		return instants, true
	}
	least, most := -1, int(x.log.Tolerance/tick.Size())
	best, ok := within(x.log.Tolerance)
	if !ok {
		return nil, 0, errNoInstants
	}
	for most-least > 1 {
		middle := (least + most) / 2
		if instants, ok := within(time.Duration(middle) * tick.Size()); ok {
			best, most = instants, middle
		} else {
			least = middle
		}
	}
	return best, time.Duration(most) * tick.Size(), nil
}

// differences are those of a run in which no event of the log is further from its time than the
// deviation.
func (x *explainer) differences(path []pathMove, deviation time.Duration) *differences {
	d := &differences{instants: len(path)}
	for i := range path {
		for _, by := range path[i].constraints {
			d.add(by, x.learner.tick)
		}
		d.bounds = append(d.bounds, x.window(i+1, &path[i], deviation)...)
	}
	return d
}

// window bounds the instant of a move that is an event of the log.
func (x *explainer) window(n int, m *pathMove, deviation time.Duration) []bound {
	if m.observed == 0 {
		return nil
	}
	at := x.log.Events[m.observed-1].Time
	return []bound{{n, 0, -max(0, at-deviation)}, {0, n, min(at+deviation, math.MaxInt64/8)}}
}
