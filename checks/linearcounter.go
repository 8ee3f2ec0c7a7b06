package checks

import (
	"fmt"

	"lockstep/model"

	"github.com/anishathalye/porcupine"
)

// LinearizableCounter is the property that the source is linearizable as a counter, as one
// that is updated under a lock: whoever commits a transaction has counted one further from
// the version that it knew. One that has read nothing before has replaced the version,
// whatever it was, and so has an update that is no transaction and has no condition.
// A change counts from the issue of the commit until the process learns of it.
func LinearizableCounter() model.Property {
	return Linearizable(Object{
		Name: "linearizable-counter", Rule: "the source is linearizable as a counter",
		Vacuous: "nobody ever committed a change of the source",
		Model: porcupine.Model{
			Init: func() any { return 1 },
			Step: func(state, input, _ any) (bool, any) {
				in := input.(countInput)
				return in == replaces || int(in) == state.(int), state.(int) + 1
			},
		},
		Outputs:  func(any, any) []any { return []any{"done"} },
		Observe:  observeCounter,
		Describe: func(input any) string { return input.(countInput).String() },
		Explain:  explainCounter,
	})
}

// countInput is the version from which a change counts one further.
type countInput uint8

// replaces is a change that does not care which version was there.
const replaces countInput = 0

func (in countInput) String() string {
	if in == replaces {
		return "replace the version"
	}
	return fmt.Sprintf("count from v%d", uint8(in))
}

func observeCounter(t *Turn, h *History) {
	if !t.Somebody() {
		return
	}
	switch of, code, _ := t.Learned(); of.Kind {
	case model.SourceCommit, model.SourceUpdate:
		switch code {
		case model.Done, model.Found:
			h.Return("done")
		case model.Refused:
			h.Undo()
		default:
			h.lose(code)
		}
	}
	switch next := t.Issued(); {
	case next.Kind == model.SourceCommit:
		// Nobody else changes the source while the transaction lasts.
		h.Call(countInput(t.state.Processes[t.process].Newest(model.Version(t.state.Source + 1))))
	case next.Kind == model.SourceUpdate && next.Value.Kind == model.KindVersion:
		h.Call(countInput(next.Value.N))
	case next.Kind == model.SourceUpdate:
		h.Call(replaces)
	}
}

func explainCounter(t *model.Trace) string {
	last := t.LastReturned()
	if last == nil {
		return "the source is not linearizable as a counter"
	}
	for i := range t.History {
		if o := &t.History[i]; o != last && o.Input == last.Input && o.Return != nil {
			return fmt.Sprintf("%s and %s both %s, at %s and at %s: one of the two changes is lost", o.Process, last.Process, last.Input, model.FormatDuration(*o.Return), model.FormatDuration(*last.Return))
		}
	}
	return fmt.Sprintf("%s: %s, at %s, though that was not the version any more", last.Process, last.Input, model.FormatDuration(*last.Return))
}
