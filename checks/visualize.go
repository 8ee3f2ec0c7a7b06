package checks

import (
	"fmt"
	"io"
	"slices"

	"lockstep/checks/internal/linearize"
	"lockstep/model"
	"lockstep/scheduler"
)

// Visualize writes an HTML page of porcupine's about the history of an object in a
// counterexample: the operations, the longest ways to linearize them, and where none goes
// on. It replays the trace in the scenario, which must be the one that the trace is of, with
// the property that the trace violates. The property must be one of [Linearizable]. Its errors
// are those of [scheduler.Replay], and those for a property without a history, and for a trace
// whose history is not that of its steps. The same trace gives the same bytes every time.
func Visualize(w io.Writer, s scheduler.Scenario, t *model.Trace, p model.Property) error {
	of, ok := p.(*linearizable)
	if !ok {
		return fmt.Errorf("the property %s is not about the history of an object, so there is nothing to draw; those that are have names that begin with linearizable", p.Name())
	}
	run := &drawn{}
	if err := scheduler.Replay(s, t, kept{of, run}); err != nil {
		return err
	}
	words, err := run.words(t)
	if err != nil {
		return err
	}
	return run.recorder.notes.history.Draw(w, run.core(), words)
}

// drawn is the last run of a trace: the recorder that has seen it, and what that has told.
type drawn struct{ *recorder }

// recorder is that of a property which keeps what it tells.
type recorder struct {
	*linearizable
	told []model.HistoryEvent
}

// Noted returns what the last step did to the history, and keeps it.
func (r *recorder) Noted() []model.HistoryEvent {
	events := r.linearizable.Noted()
	r.told = append(r.told, events...)
	return events
}

// words returns how the operations are told, by the trace, whose history must be that of the
// run.
func (d *drawn) words(t *model.Trace) ([]linearize.Words, error) {
	type operation struct {
		asked, answered string
		undone          bool
	}
	var operations []operation
	for _, e := range d.told {
		switch e.Kind {
		case model.Called:
			operations = append(operations, operation{asked: e.Text})
		case model.Returned:
			operations[e.Operation].answered = e.Text
		case model.Undone:
			operations[e.Operation].undone = true
		}
	}
	operations = slices.DeleteFunc(operations, func(o operation) bool { return o.undone })
	if len(operations) != len(t.History) {
		return nil, fmt.Errorf("the history of the trace has %d operations, and its steps %d; write the trace again", len(t.History), len(operations))
	}
	words := make([]linearize.Words, 0, len(operations))
	for i, o := range operations {
		h := &t.History[i]
		if o.asked != h.Input || o.answered != h.Output {
			return nil, fmt.Errorf("history[%d] is %q with the answer %q, and by the steps of the trace %q with %q; write the trace again", i, h.Input, h.Output, o.asked, o.answered)
		}
		when := "called at " + model.FormatDuration(h.Call) + ", has not returned"
		if h.Return != nil {
			when = "from " + model.FormatDuration(h.Call) + " to " + model.FormatDuration(*h.Return)
		}
		words = append(words, linearize.Words{Who: h.Process, Asked: h.Input, Answered: h.Output, When: when})
	}
	return words, nil
}

// kept is a property that keeps the recorder of the last run.
type kept struct {
	*linearizable
	run *drawn
}

// WithNames returns the property for a search in which keys have these names.
func (k kept) WithNames(name func(model.KeyID) (store, key string)) model.Monitor {
	return kept{k.linearizable.WithNames(name).(*linearizable), k.run}
}

// Recorder returns the property for a single run, and keeps it.
func (k kept) Recorder() model.Recorder {
	k.run.recorder = &recorder{linearizable: k.linearizable.Recorder().(*linearizable)}
	return k.run.recorder
}
