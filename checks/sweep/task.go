package sweep

import (
	"context"
	"fmt"

	"lockstep/model"
	"lockstep/scheduler"
)

// Task is what is done at a point.
type Task struct {
	// Scenario is what is checked, for the Properties; nil if nothing is.
	Scenario   *scheduler.Scenario
	Properties []model.Property
	// MaxStates cuts the search off; 0 for no limit.
	MaxStates int
	// Simulation is what is simulated; nil if nothing is.
	Simulation *scheduler.Simulation
}

// Do does the task in so many goroutines. What it returns depends on the task alone; or it is
// an error, that of the context if that was cancelled meanwhile: nothing is returned by
// halves. The others are those of [scheduler.Check] and [scheduler.Simulate].
//
// progress, if it is not nil, is called now and then with how many states are stored and
// which share of the simulation is done.
func (t *Task) Do(ctx context.Context, workers int, progress func(states int64, share float64)) (*Checked, *Simulated, error) {
	if progress == nil {
		progress = func(int64, float64) {}
	}
	var checked *Checked
	if t.Scenario != nil {
		r, err := scheduler.Check(ctx, *t.Scenario, t.Properties, scheduler.Options{
			MaxStates: t.MaxStates, Workers: workers,
			Progress: func(p scheduler.Progress) { progress(p.States, 0) },
		})
		if err = firstOf(ctx.Err(), err); err != nil {
			return nil, nil, err
		}
		checked = newChecked(r)
	}
	if t.Simulation == nil {
		return checked, nil, nil
	}
	r, err := scheduler.Simulate(ctx, *t.Simulation, scheduler.SimulateOptions{
		Workers: workers, Progress: func(p scheduler.SimulateProgress) { progress(0, p.Share) },
	})
	if err = firstOf(ctx.Err(), err); err != nil {
		return nil, nil, err
	}
	if r.Partial {
		return nil, nil, fmt.Errorf("the simulation of %s ended after %d of %d runs, and nobody stopped it", r.Protocol, len(r.Runs), r.Wanted)
	}
	return checked, newSimulated(r), nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func newChecked(r *scheduler.Report) *Checked {
	c := &Checked{Exhausted: r.Exhausted, CutOff: r.CutOff, Verdicts: []Verdict{}, Rebuilds: r.Worst}
	for _, v := range r.Verdicts {
		c.Verdicts = append(c.Verdicts, Verdict{v.Property, v.Verdict, v.Faults, v.Steps, v.Minimal, v.Vacuous, v.Reason})
	}
	return c
}

func newSimulated(r *scheduler.Simulated) *Simulated {
	s := &Simulated{Runs: len(r.Runs), Claimed: r.RebuildBound, Violations: r.Violations}
	for _, m := range measurements() {
		if sum, ok := r.Summarize(m.of); ok {
			s.Measures = append(s.Measures, Measure{m.name, sum})
		}
	}
	return s
}
