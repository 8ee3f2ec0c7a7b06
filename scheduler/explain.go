package scheduler

import (
	"context"
	"errors"
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
	// Rough: the times of Inferred may have been further apart than they say, since not all runs
	// were explored for that.
	Rough bool
	// Matched is how many events of the log some run agrees with, from the beginning, and
	// Blocked what stands against the next one, nil if there is a Trace or the search was cut off.
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
		x, err := explainWith(ctx, s, l, faults, nil, &tick, o, started)
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

// explainWith searches with at most so many faults, of which one may be narrowed, with a finer tick if
// that turns out to be needed.
func explainWith(ctx context.Context, s Scenario, l Log, faults int, n *narrowing, tick *model.Tick, o Options, started time.Time) (*explainer, error) {
	for {
		x, err := newExplainer(s, l, faults, *tick, o, started)
		if err != nil {
			return nil, err
		}
		x.observer.narrow = n
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
