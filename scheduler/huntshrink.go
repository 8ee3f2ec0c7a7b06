package scheduler

import (
	"errors"
	"fmt"
	"slices"

	"lockstep/model"
)

// maxHuntTries is how often a find is run again at most to shrink it.
const maxHuntTries = 20_000

// shrinker makes a run that violates a property smaller: fewest nodes and requests, then
// fewest faults, then fewest steps. Each part of it that may do is run again, and counts if it
// violates the property. Parts are tried as by Zeller and Hildebrandt, "Simplifying and
// Isolating Failure-Inducing Input" (2002): larger ones first.
type shrinker struct {
	hunt     *hunt
	property model.Monitor
	// scenario is where the run happens now, and run what happens in it.
	scenario Scenario
	run      []huntChoice
	tick     model.Tick
	tries    int
	// worlds are those of the scenarios that were tried, by their sizes.
	worlds map[string]*huntWorld
	err    error
}

// world returns that of a scenario.
func (k *shrinker) world(s Scenario) (*huntWorld, error) {
	key := fmt.Sprintf("%d %d %d %d %v", s.Nodes, s.Requests, s.Updates, s.Jobs, s.Bounds())
	if w := k.worlds[key]; w != nil && w.tick == k.tick {
		return w, nil
	}
	w, err := newHuntWorld(s, []model.Monitor{k.property}, k.tick, k.hunt.options.Patience)
	if err == nil {
		k.worlds[key] = w
	}
	return w, err
}

// execute runs choices in a scenario, and returns what was done.
func (k *shrinker) execute(s Scenario, choices []huntChoice) (w *huntWorld, done []huntChoice, err error) {
	for {
		if w, err = k.world(s); err != nil {
			return nil, nil, err
		}
		done, err = w.schedule(choices)
		var finer *finerTick
		if !errors.As(err, &finer) {
			return w, done, err
		}
		k.tick = finer.tick
	}
}

// try runs choices in a scenario and keeps both if they violate the property and better says
// so of what was done.
func (k *shrinker) try(s Scenario, choices []huntChoice, better func(done []huntChoice) bool) bool {
	if k.err != nil || k.tries >= maxHuntTries || k.hunt.ctx.Err() != nil {
		return false
	}
	k.tries++
	k.hunt.tell(HuntProgress{Phase: "shrinking", Tries: k.tries}, false)
	w, done, err := k.execute(s, choices)
	if err != nil {
		k.err = err
		return false
	}
	if w.violated < 0 || better != nil && !better(done) {
		return false
	}
	k.scenario, k.run = s, done
	return true
}

// shrink makes the run as small as it gets.
func (k *shrinker) shrink() error {
	for {
		before, steps := k.scenario.Bounds(), len(k.run)
		k.fewerProcesses()
		k.fewerFaults()
		k.fewerSteps()
		k.apart()
		if k.err != nil {
			return k.err
		}
		if len(k.run) == steps && fmt.Sprint(before) == fmt.Sprint(k.scenario.Bounds()) || k.tries >= maxHuntTries || k.hunt.ctx.Err() != nil {
			return k.fewerBudgets()
		}
	}
}

// fewerProcesses leaves out nodes, and then requests, updates and jobs.
func (k *shrinker) fewerProcesses() {
	cast := castOf(k.run)
	scenario, run := k.scenario, k.run
	attempt := func(kept huntCast) bool {
		p := kept.project(scenario, false)
		return k.try(p.scenario, p.choices(run), nil)
	}
	attempt(cast) // whoever does not take part is left out
	var nodes []huntName
	for _, n := range cast {
		if node := (huntName{of: aNode, class: n.class, node: n.node}); !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
		}
	}
	on := func(nodes []huntName) huntCast {
		var kept huntCast
		for _, n := range cast {
			if slices.Contains(nodes, huntName{of: aNode, class: n.class, node: n.node}) {
				kept = append(kept, n)
			}
		}
		return kept
	}
	nodes = ddmin(nodes, func(kept []huntName) bool { return attempt(on(kept)) })
	ddmin(on(nodes), func(kept []huntName) bool { return attempt(kept) })
}

// apart puts each request on a node of its own if the scenario has fewer requests then, and
// no more nodes than the one that is hunted in.
func (k *shrinker) apart() {
	cast := castOf(k.run)
	p := cast.project(k.scenario, true)
	if s := &p.scenario; s.Nodes <= k.hunt.scenario.Nodes && s.Nodes*s.Requests < k.scenario.Nodes*k.scenario.Requests {
		k.try(p.scenario, p.choices(k.run), nil)
	}
}

// fewerFaults leaves out faults.
func (k *shrinker) fewerFaults() {
	run := k.run
	var faults []int
	for i := range run {
		if run[i].kind.IsFault() {
			faults = append(faults, i)
		}
	}
	cost := costOf(run)
	ddmin(faults, func(kept []int) bool {
		var choices []huntChoice
		for i := range run {
			if !run[i].kind.IsFault() || slices.Contains(kept, i) {
				choices = append(choices, run[i])
			}
		}
		return k.try(k.scenario, choices, func(done []huntChoice) bool { return costOf(done).faults < cost.faults })
	})
}

// fewerSteps leaves out steps as long as that makes the run cheaper.
func (k *shrinker) fewerSteps() {
	for {
		cost := costOf(k.run)
		ddmin(k.run, func(kept []huntChoice) bool {
			return k.try(k.scenario, kept, func(done []huntChoice) bool { return costOf(done).less(costOf(k.run)) })
		})
		if !costOf(k.run).less(cost) {
			return
		}
	}
}

// fewerBudgets leaves the scenario with the faults that the run has.
func (k *shrinker) fewerBudgets() error {
	budget := k.hunt.options.Budget
	if budget == nil || k.hunt.ctx.Err() != nil {
		return nil
	}
	s := k.scenario
	s.Faults = nil
	for _, f := range k.scenario.Faults {
		used := 0
		for i := range k.run {
			if k.run[i].kind.IsFault() && k.run[i].fault == f.Name() {
				used++
			}
		}
		if used == f.Budget() {
			s.Faults = append(s.Faults, f)
		} else if used > 0 {
			less, err := budget(f, used)
			if err != nil {
				return err
			}
			s.Faults = append(s.Faults, less)
		}
	}
	k.try(s, k.run, nil)
	return k.err
}

// ddmin returns a part of the items that passes the test and of which no single item can be
// left out: all of them, if no part passes. The test of all is taken to pass.
func ddmin[T any](items []T, test func([]T) bool) []T {
	if len(items) > 0 && test(nil) {
		return nil
	}
	for parts := 2; len(items) > 1; {
		parts = min(parts, len(items))
		smaller := false
		for i := range parts {
			from, to := i*len(items)/parts, (i+1)*len(items)/parts
			rest := slices.Concat(items[:from], items[to:])
			if test(rest) {
				items, parts, smaller = rest, max(parts-1, 2), true
				break
			}
		}
		switch {
		case smaller:
		case parts == len(items):
			return items
		default:
			parts *= 2
		}
	}
	return items
}
