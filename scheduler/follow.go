package scheduler

import (
	"fmt"

	"lockstep/model"
)

// maxForced is how many steps a run may take that the trace it follows does not have.
const maxForced = 10_000

// Follow runs another scenario by the schedule of a trace: another variant of its protocol,
// other parameters, fewer faults. Each step of the trace is taken by the same process, or
// strikes the same node, at the same time, as far as that is possible, whatever the process
// does then; it is left out if not. What is due in between comes by itself. [Rerun.Departure] is the first
// difference, [Rerun.Parting] the first step at which the two runs part. It fails if the scenario is wrong or the protocol breaks a rule.
//
// The run ends with the schedule: that the property is not violated in it says nothing of
// other runs.
func Follow(s Scenario, t *model.Trace, p model.Property) (*Rerun, error) {
	var result *Rerun
	return result, again(s, t, p, func(r *replayer) error {
		result = newRerun(r.scenario, t, p)
		f := &follower{replayer: r, result: result, property: p}
		for i := range t.Steps {
			if err := f.follow(i+1, &t.Steps[i]); err != nil {
				return err
			}
			if result.Violated > 0 {
				break
			}
		}
		return result.end(r, p, true)
	})
}

// follower is a run that follows a trace.
type follower struct {
	*replayer
	result   *Rerun
	property model.Property
	forced   int
}

// follow takes the step with the number as far as that is possible.
func (f *follower) follow(number int, want *model.TraceStep) error {
	if err := f.await(number, want); err != nil || f.result.Violated > 0 {
		return err
	}
	for _, like := range []func(got *model.TraceStep, e *model.Event) bool{
		func(got *model.TraceStep, e *model.Event) bool { return same(got, want) && f.drifts(e, want) },
		func(got *model.TraceStep, e *model.Event) bool {
			return alike(got, want) && got.Operation == want.Operation && got.Observation == want.Observation && f.drifts(e, want)
		},
		func(got *model.TraceStep, e *model.Event) bool {
			return alike(got, want) && got.Operation == want.Operation && f.drifts(e, want)
		},
		func(got *model.TraceStep, e *model.Event) bool {
			return alike(got, want) && want.Fault == "" && f.drifts(e, want)
		},
	} {
		got, offered, err := f.take(want.Kind, like)
		if err != nil {
			return err
		}
		if got != nil {
			if !same(got, want) {
				f.part(number, want, got)
			}
			f.result.add(f.replayer, f.property, got, number, want)
			return nil
		}
		if len(offered) == 0 {
			break
		}
	}
	f.part(number, want, nil)
	return nil
}

// alike reports whether two steps are the same one of a schedule.
func alike(got, want *model.TraceStep) bool {
	if got.Node != want.Node || got.Process != want.Process || got.Fault != want.Fault || got.Watched != want.Watched {
		return false
	}
	return want.Process != "" || want.Node != "" || got.Key == want.Key
}

// part notes that the runs part at a step, which got is taken for, or nothing is.
func (f *follower) part(number int, want, got *model.TraceStep) {
	d := &Departure{Step: number, Time: want.Time, Want: described(want, false)}
	switch {
	case got != nil:
		d.Want, d.Got = told(want, got)
	case want.Process != "":
		d.Got = f.doing(want.Process)
	default:
		d.Got = "nothing of the kind"
	}
	f.note(d, got == nil || got.Operation != want.Operation || got.Observation != want.Observation)
}

// note keeps the first departure, and the first one that is a parting.
func (f *follower) note(d *Departure, parting bool) {
	if f.result.Departure == nil {
		f.result.Departure = d
	}
	if parting && f.result.Parting == nil {
		f.result.Parting = d
	}
}

// await lets time pass until a step; what is due earlier comes in between.
func (f *follower) await(number int, want *model.TraceStep) error {
	for f.now < want.Time {
		room := f.room(want.Time - f.now)
		if room > 0 {
			if err := f.pass(room); err != nil {
				return err
			}
			continue
		}
		if f.forced++; f.forced > maxForced {
			return fmt.Errorf("at %s the protocol takes more than %d steps in no time", model.FormatDuration(f.now), maxForced)
		}
		got, err := f.force()
		if err != nil {
			return err
		}
		f.note(&Departure{
			Step: number, Time: f.now, Want: "nothing until " + described(want, false) + " at " + model.FormatDuration(want.Time),
			Got: got.Process + " " + described(got, false),
		}, true)
		f.result.add(f.replayer, f.property, got, 0, nil)
		if f.result.Violated > 0 {
			return nil
		}
	}
	return nil
}
