package scheduler

import (
	"fmt"

	"lockstep/model"
)

// force takes a step that is due.
func (r *replayer) force() (*model.TraceStep, error) {
	late := map[string]bool{}
	for i := range r.state.Processes {
		p := &r.state.Processes[i]
		if urgent, bound := r.rules.Urgent(&r.state, p); urgent || bound < model.Forever && p.Clock != model.NoClock && r.AtLeast(p.Clock, bound) {
			late[processName(&r.state, p)] = true
		}
	}
	// First what a process does that cannot wait any longer, arrivals last.
	for _, due := range []func(got *model.TraceStep, e *model.Event) bool{
		func(got *model.TraceStep, e *model.Event) bool {
			return late[got.Process] && e.Move.Kind != model.MoveArrive
		},
		func(_ *model.TraceStep, e *model.Event) bool { return e.Move.Kind != model.MoveArrive },
		func(*model.TraceStep, *model.Event) bool { return true },
	} {
		got, _, err := r.take("", func(got *model.TraceStep, e *model.Event) bool {
			return !e.Move.Kind.IsFault() && e.Move.Kind != model.MoveLate && due(got, e)
		})
		if got != nil || err != nil {
			return got, err
		}
	}
	return nil, fmt.Errorf("at %s something is due, and nothing can happen", model.FormatDuration(r.now))
}
