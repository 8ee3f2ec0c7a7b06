package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/model"
)

// HuntOptions say how a hunt goes about it, and when it ends. The zero value has neither runs
// nor a time, and is refused.
type HuntOptions struct {
	// Strategy is how runs are drawn, BothStrategies if it is empty.
	Strategy Strategy
	// Depth is that of the violations that PCT looks for, 1 to MaxDepth; 3 if it is 0.
	Depth int
	// Seed decides, with the number of a run, all that is drawn in it.
	Seed uint64
	// Runs is how many runs there are at most, and MaxTime how long they take at most all
	// together; 0 for no limit. One of both must be set.
	Runs    int
	MaxTime time.Duration
	// MaxSteps is how many steps a run has at most, 1000 if it is 0.
	MaxSteps int
	// MaxStates cuts off the exhaustive search of what a find was shrunk to, 1,000,000 if it is
	// 0. There is no limit of time: what is found must not depend on a clock.
	MaxStates int
	// Workers is how many goroutines take runs, as many as there are processors if it is 0.
	// The result does not depend on it.
	Workers int
	// Patience is how long protocol code may run without an operation before it is reported as
	// endless; 10 s if it is 0.
	Patience time.Duration
	// Budget returns a fault like the given one with another budget. Without it a scenario is
	// shrunk with the budgets that it has.
	Budget func(f model.Fault, times int) (model.Fault, error)
	// Progress, if set, is called now and then on the goroutine of the caller.
	Progress func(HuntProgress)
}

// Limits on hunts.
const (
	MaxDepth    = 20
	MaxRunSteps = 100_000
)

// HuntProgress is how far a hunt has got.
type HuntProgress struct {
	// Phase is what it does: "runs", "shrinking", "search".
	Phase string
	// Runs and Steps were taken, of the Limit of runs, 0 for none.
	Runs, Limit int
	Steps       int64
	// Tries is how often a find was run again to shrink it, States how many the search has.
	Tries  int
	States int64
	// Elapsed is since the beginning, Left how much longer it takes at most, -1 if that is not
	// known.
	Elapsed, Left time.Duration
}

// HuntReport is the outcome of a hunt.
type HuntReport struct {
	Protocol   string                 `json:"protocol"`
	Parameters []model.ParameterValue `json:"parameters"`
	Bounds     model.Bounds           `json:"bounds"`
	Properties []string               `json:"properties"`
	Strategy   Strategy               `json:"strategy"`
	Depth      int                    `json:"depth,omitempty"`
	Seed       uint64                 `json:"seed"`
	// Runs and Steps are how many there were, up to the find if there is one.
	Runs  int   `json:"runs"`
	Steps int64 `json:"steps"`
	// Partial says why the hunt ended before it was through, empty if it did not.
	Partial string `json:"partial,omitempty"`
	// Vacuous are properties that had nothing to say in any run, if nothing was found.
	Vacuous []VacuousHunt `json:"vacuous,omitempty"`
	// PCT is what its runs guarantee, nil if there were none that count.
	PCT *PCTGuarantee `json:"pct,omitempty"`
	// Find is what was found, nil for nothing, which says nothing of other runs.
	Find *Find `json:"find"`
}

// VacuousHunt says what never happened in the runs of a hunt, so that a property had nothing to
// say.
type VacuousHunt struct {
	Property string `json:"property"`
	Vacuous  string `json:"vacuous"`
}

// Size is how large a run is, and the scenario that it needs.
type Size struct {
	Nodes    int `json:"nodes"`
	Requests int `json:"requests"`
	Updates  int `json:"updates"`
	Faults   int `json:"faults"`
	Steps    int `json:"steps"`
}

// Find is a violation that a hunt has found, and what has become of it.
type Find struct {
	Property string `json:"property"`
	Rule     string `json:"rule"`
	// Run is the number of the run that violates it, from 1, and Strategy by which it was
	// drawn.
	Run      int      `json:"run"`
	Strategy Strategy `json:"strategy"`
	// Found is how large the run was, Shrunk how large it was after Tries executions of parts of
	// it.
	Found  Size `json:"found"`
	Shrunk Size `json:"shrunk"`
	Tries  int  `json:"tries"`
	// Least is how large the counterexample is, and its scenario, of which Bounds are those:
	// the shrunk one, or a smaller one in which the exhaustive search has found a violation,
	// too.
	Least  Size         `json:"least"`
	Bounds model.Bounds `json:"bounds"`
	// Minimal: no run of the scenario violates the property with fewer faults, nor with as
	// many faults and fewer steps; the exhaustive search says so. If not, Unproven says why.
	Minimal  bool   `json:"minimal"`
	Unproven string `json:"unproven,omitempty"`
	// Smallest: in a scenario with a node, a request, an update, a job or a fault less the
	// property holds, which was searched, too.
	Smallest bool         `json:"smallest"`
	Trace    *model.Trace `json:"trace"`

	// Scenario is that of the counterexample.
	Scenario Scenario `json:"-"`
}

// Hunt looks for a violation in runs of a scenario that are drawn at random, for scenarios that
// are too large to be explored. It ends with the first run that violates one of the properties,
// that with the lowest number, which is shrunk and handed to Check. Nothing but the number of runs
// that are taken within MaxTime depends on a clock.
//
// That nothing is found proves nothing. Properties that are about dead ends are refused: a run
// cannot violate them. Its errors are those of Check.
func Hunt(ctx context.Context, s Scenario, properties []model.Property, o HuntOptions) (*HuntReport, error) {
	s, err := s.Check()
	if err != nil {
		return nil, err
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	given := s
	monitors, err := huntable(&s, properties)
	if err != nil {
		return nil, err
	}
	h := &hunt{ctx: ctx, given: given, scenario: s, monitors: monitors, options: o, started: time.Now(), longest: s.LongestDuration()}
	report, err := h.run()
	if err != nil {
		return nil, blame(err)
	}
	return report, nil
}

// huntable returns the properties as monitors; it fails if one cannot be hunted for.
func huntable(s *Scenario, properties []model.Property) ([]model.Monitor, error) {
	if len(properties) == 0 {
		return nil, wrong("there is no property to hunt for")
	}
	if len(properties) > 32 {
		return nil, wrong("a hunt takes at most 32 properties")
	}
	var monitors []model.Monitor
	for _, p := range properties {
		m, ok := p.(model.Monitor)
		if !ok {
			return nil, wrong("the property %s is about dead ends, and no single run is one: use lockstep check --property %s, which explores them all", p.Name(), p.Name())
		}
		if _, patient := p.(model.Patient); patient && len(properties) > 1 {
			return nil, wrong("the property %s is about how long something lasts: hunt for it alone", p.Name())
		}
		monitors = append(monitors, m)
	}
	return monitors, s.ask(properties)
}

// complete fills in defaults.
func (o *HuntOptions) complete() error {
	if o.Strategy == "" {
		o.Strategy = BothStrategies
	}
	if o.Depth == 0 {
		o.Depth = 3
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 1000
	}
	if o.MaxStates == 0 {
		o.MaxStates = 1_000_000
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	switch {
	case o.Strategy != RandomWalk && o.Strategy != PCT && o.Strategy != BothStrategies:
		return about(fmt.Errorf("a strategy %q: it must be walk, pct or both", o.Strategy), "strategy")
	case o.Depth < 1 || o.Depth > MaxDepth:
		return about(fmt.Errorf("a depth of %d: it must be 1 to %d", o.Depth, MaxDepth), "depth")
	case o.MaxSteps < 1 || o.MaxSteps > MaxRunSteps:
		return about(fmt.Errorf("%d steps a run: it must be 1 to %d", o.MaxSteps, MaxRunSteps), "max-steps")
	case o.Runs < 0:
		return about(fmt.Errorf("%d runs: it must be positive, or 0 for as many as there is time for", o.Runs), "runs")
	case o.MaxTime < 0:
		return about(fmt.Errorf("a time of %s: it must be positive, or 0 for no limit", model.FormatDuration(o.MaxTime)), "for")
	case o.Runs == 0 && o.MaxTime == 0:
		return about(errors.New("a hunt without an end: say for how long, or how many runs"), "for", "runs")
	case o.Workers < 0 || o.MaxStates < 0:
		return wrong("%d workers and %d states: neither can be negative", o.Workers, o.MaxStates)
	}
	return nil
}
