package scheduler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"lockstep/model"
)

// Result is what a verdict says.
type Result string

const (
	// Holds: no run within the bounds violates the property.
	Holds Result = "holds"
	// Violated: the trace does.
	Violated Result = "violated"
	// Inconclusive: the search was cut off before it found a violation; or clocks drift,
	// and no rates are known with which the violations that it found are possible.
	Inconclusive Result = "inconclusive"
)

// Verdict is what a search says about one property.
type Verdict struct {
	Property string `json:"property"`
	Verdict  Result `json:"verdict"`
	// Faults and Steps are the cost of the counterexample.
	Faults int `json:"faults"`
	Steps  int `json:"steps"`
	// Minimal: no counterexample has fewer faults, and none with as many faults
	// has fewer steps.
	Minimal bool `json:"minimal"`
	// Vacuous says what never happened, so that the property had nothing to
	// say; empty if it was exercised.
	Vacuous string `json:"vacuous"`
	// Reason says why the verdict is inconclusive though the search was exhausted.
	Reason string `json:"reason,omitempty"`
	// Trace is the counterexample, nil if there is none.
	Trace *model.Trace `json:"trace"`

	// Rule is what the property says.
	Rule string `json:"-"`
	// Most is, for a property that bounds a count, the largest over all runs; a
	// count stops one above the bound, so AtLeast says that there may be more.
	Most    int  `json:"-"`
	AtLeast bool `json:"-"`
}

// Worst are maxima over all runs within the bounds. A count stops one above the
// bound that is checked, so AtLeast says that there may be more.
type Worst struct {
	Rebuilds int  `json:"rebuilds"`
	AtLeast  bool `json:"at_least"`
}

// Report is the outcome of a search.
type Report struct {
	Protocol   string                 `json:"protocol"`
	Parameters []model.ParameterValue `json:"parameters"`
	Bounds     model.Bounds           `json:"bounds"`
	// Exhausted: everything within the bounds was explored. If not, CutOff says
	// why, and after how many steps.
	Exhausted bool      `json:"exhausted"`
	CutOff    string    `json:"cut_off,omitempty"`
	Verdicts  []Verdict `json:"verdicts"`
	Worst     *Worst    `json:"worst,omitempty"`

	// Tick is the greatest common divisor of all durations.
	Tick time.Duration `json:"-"`

	Stats Stats `json:"-"`
}

// Stats are measurements of a search. They differ from run to run.
type Stats struct {
	States      int     `json:"states"`
	Transitions int64   `json:"transitions"`
	Seconds     float64 `json:"seconds"`
	// Memory is what the search itself kept, in bytes.
	Memory int64 `json:"-"`
	// Steps is the number of steps up to which everything was explored.
	Steps int `json:"-"`
	// Runs is how often protocol code was run.
	Runs int `json:"-"`
	// Busiest are the lines of protocol code with the most states.
	Busiest []LineStats `json:"-"`
}

// Worse returns the worst result of the report: Violated before Inconclusive
// before Holds.
func (r *Report) Worse() Result {
	worst := Holds
	for _, v := range r.Verdicts {
		if v.Verdict == Violated || v.Verdict == Inconclusive && worst == Holds {
			worst = v.Verdict
		}
	}
	return worst
}

// Check explores every run of the scenario and says of each property whether it
// holds. It stops early when the context is cancelled or a limit of the options
// is met; what was found until then is in the report.
//
// Its errors are a *ScenarioError for a scenario that makes no sense, a
// *ProtocolError for protocol code that breaks a rule, a *PropertyError for a property that
// panics, and anything else for a fault of its own: then no verdict is to be trusted.
func Check(ctx context.Context, s Scenario, properties []model.Property, o Options) (*Report, error) {
	s, err := s.Check()
	if err != nil {
		return nil, err
	}
	if len(properties) == 0 {
		return nil, wrong("there is no property to check")
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	recording := false
	for _, p := range properties {
		if v, ok := p.(model.Validator); ok {
			if err := v.Valid(); err != nil {
				return nil, &ScenarioError{Err: err}
			}
		}
		if patient, ok := p.(model.Patient); ok {
			if s.within != nil {
				return nil, wrong("at most one property of a check can be about how long something lasts")
			}
			s.waits(patient)
		}
		if _, ok := p.(model.Recording); ok {
			if recording {
				return nil, wrong("at most one property of a check can be about the history of an object")
			}
			if s.Endless {
				return nil, about(errors.New("a history of an object that never ends: ask for a property of this kind without endless requests"), "endless")
			}
			recording = true
		}
	}
	started := time.Now()
	tick := s.tick()
	for {
		x, err := search(ctx, s, tick, properties, o, started)
		var finer *finerTick
		if errors.As(err, &finer) {
			tick = finer.tick
			continue
		}
		if err != nil {
			return nil, err
		}
		return x.conclude(s, properties)
	}
}

// waits sets how long something may last before the property is violated.
func (s *Scenario) waits(p model.Patient) {
	longest := p.Patience()
	s.within = &longest
	_, s.watches = p.(model.Watching)
}

func search(ctx context.Context, s Scenario, tick model.Tick, properties []model.Property, o Options, started time.Time) (*explorer, error) {
	x := &explorer{options: o, started: started, maxFaults: math.MaxInt}
	for _, p := range properties {
		switch p := p.(type) {
		case model.Monitor:
			x.monitors = append(x.monitors, p)
		case model.DeadEnd:
			x.deadEnds = append(x.deadEnds, p)
		default:
			return nil, wrong("the property %s is neither a monitor nor about dead ends", p.Name())
		}
	}
	counters := 0
	for _, m := range x.monitors {
		if _, ok := m.(counter); ok {
			counters++
		}
	}
	if len(x.monitors) > 32 || counters > maxCounters {
		return nil, wrong("a check takes at most 32 properties, and %d that count", maxCounters)
	}
	x.most = make([]int, counters)
	if len(x.deadEnds) > maxDeadEnds {
		return nil, wrong("at most %d properties of a check can be about dead ends", maxDeadEnds)
	}
	rules, learner, err := s.world(tick, x.monitors, o)
	if err != nil {
		return nil, err
	}
	x.population, x.learner, x.rates = s.population(), learner, ratesOf(rules)
	x.asides = asidesOf(x.monitors)
	x.expander = newExpander(x, rules)
	x.employ()
	if err = x.run(ctx); err != nil {
		return nil, blame(err)
	}
	if err = x.learner.audit(); err != nil {
		return nil, err
	}
	return x, nil
}

// blame makes the excess of a limit, which only protocol code can cause, an error
// of the protocol.
func blame(err error) error {
	var limit *model.LimitError
	if errors.As(err, &limit) {
		return &ProtocolError{err}
	}
	return err
}

// conclude turns what was found into verdicts, in the order of the properties.
func (x *explorer) conclude(s Scenario, properties []model.Property) (*Report, error) {
	r := &Report{
		Protocol: s.Name, Parameters: s.Parameters(), Bounds: s.Bounds(),
		Exhausted: x.limit == "", CutOff: x.limit, Tick: x.learner.tick.Size(),
		Stats: Stats{
			States: x.states.len(), Transitions: x.transitions, Memory: x.used(), Steps: x.steps,
			Runs: x.learner.runs, Busiest: x.busiest(),
		},
	}
	monitor, counters, deadEnd := 0, 0, 0
	for _, p := range properties {
		v := Verdict{Property: p.Name(), Rule: p.Rule(), Verdict: Holds}
		var f find
		var last *ordinal
		var doubts *doubt
		exercised := false
		if _, ok := p.(model.Monitor); ok {
			f, exercised = x.best[monitor], x.exercised[monitor]
			last, doubts = &f.step, &x.doubts[monitor]
			if _, ok := p.(counter); ok {
				v.Most, v.AtLeast = x.most[counters], f.found || !r.Exhausted || x.countDoubts[counters].tries > 0
				counters++
			}
			if p.Name() == "rebuild-bound" {
				r.Worst = &Worst{Rebuilds: v.Most, AtLeast: v.AtLeast}
			}
			monitor++
		} else {
			exercised, doubts = x.exercised[len(x.monitors)+deadEnd], &x.doubts[len(x.monitors)+deadEnd]
			if state, found, err := x.deadEnd(deadEnd, doubts); err != nil {
				return nil, err
			} else if found {
				f = find{found: true, faults: int(x.states.at(state).faults), steps: int(x.states.at(state).steps), state: state}
			}
			deadEnd++
		}
		switch {
		case f.found:
			v.Verdict, v.Faults, v.Steps = Violated, f.faults, f.steps
			v.Minimal = (r.Exhausted || last != nil && f.faults == 0 && f.steps <= x.steps) && !doubts.cheaper(f.faults, f.steps)
			trace, err := x.trace(s, p, f, last)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name(), err)
			}
			v.Trace = trace
		case !r.Exhausted:
			v.Verdict = Inconclusive
		case doubts.tries > 0:
			v.Verdict, v.Reason = Inconclusive, noRates
		case !exercised:
			v.Vacuous = p.Vacuous()
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	r.Stats.Seconds = time.Since(x.started).Seconds()
	return r, nil
}

// trace makes the counterexample and replays it: what does not replay is an error
// of ours and never a verdict.
func (x *explorer) trace(s Scenario, p model.Property, f find, last *ordinal) (*model.Trace, error) {
	path, err := newExpander(x, x.rules).path(f.state, last)
	if err != nil {
		return nil, err
	}
	lengths, ok := secondsOf(path, x.learner.tick, x.rates)
	if !ok {
		return nil, errNoInstants
	}
	instants, err := instantsOf(path, x.learner.tick, lengths)
	if err != nil {
		return nil, err
	}
	t := &model.Trace{
		Format: model.TraceFormat, Version: model.TraceVersion,
		Protocol: s.Name, Parameters: s.Parameters(), Bounds: s.Bounds(),
		Property: p.Name(), Rule: p.Rule(), Faults: f.faults, Weight: f.steps,
		Steps: x.describe(path, instants, lengths),
	}
	if p, ok := p.(model.Argued); ok {
		t.Argument = p.Argument()
	}
	if t.History, err = replayed(s, t, p); err != nil {
		return nil, fmt.Errorf("the counterexample does not replay: %w", err)
	}
	if t.Explanation, err = explain(p, t); err != nil {
		return nil, err
	}
	return t, nil
}
