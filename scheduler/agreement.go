package scheduler

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"lockstep/model"
)

// tell adds what was found to the result; last says that no more faults are tried.
func (x *explainer) tell(ctx context.Context, result *Explanation, s Scenario, last bool) error {
	result.Stats.States += x.states.len()
	result.Stats.Transitions += x.transitions
	result.Stats.Memory = max(result.Stats.Memory, x.used())
	result.Stats.Runs += x.learner.runs
	result.Matched = max(result.Matched, x.matched)
	if len(x.found) == 0 {
		result.CutOff = x.limit
		if x.limit == "" && (last || x.spent) {
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
		exact, err := x.widen(ctx, s, r.inferred)
		if err != nil {
			return err
		}
		result.Rough = !exact
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
