package checks

import (
	"fmt"

	"lockstep/model"

	"github.com/anishathalye/porcupine"
)

// LinearizableReads is the property that the cache and the source together are linearizable
// as one register: a request that is answered with a value, [protocol.Fresh], gets the
// version that is the newest at some instant between its arrival and its answer, and a
// change of the source is complete when the process that makes it has returned, or goes on
// to make another. So a
// request that comes after an update has returned, with whatever that does to what is
// cached, sees it. A request that is answered in another way claims nothing.
func LinearizableReads() model.Property {
	return Linearizable(Object{
		Name: "linearizable-reads", Rule: "the cache and the source together are linearizable as a register",
		Vacuous: "no request was ever answered with a value, and no update ever returned",
		Model: porcupine.Model{
			Init: func() any { return 1 },
			Step: func(state, input, output any) (bool, any) {
				if input == writes {
					return output == 0, state.(int) + 1
				}
				return output == state, state
			},
		},
		Outputs: func(state, input any) []any {
			if input == writes {
				return []any{0}
			}
			return []any{state}
		},
		Observe:  observeReads,
		Describe: func(input any) string { return string(input.(readsInput)) },
		Answer: func(output any) string {
			if output == 0 {
				return "done"
			}
			return fmt.Sprintf("v%d", output)
		},
		Explain: explainReads,
	})
}

type readsInput string

const (
	reads  readsInput = "read"
	writes readsInput = "change the source"
)

func observeReads(t *Turn, h *History) {
	if !t.Somebody() || !t.GoesOn() {
		return
	}
	role, spawned := t.Role()
	if t.Arrived() && role == model.Request && !spawned {
		h.Call(reads)
	}
	switch of, code, _ := t.Learned(); of.Kind {
	case model.SourceUpdate, model.SourceCommit:
		switch code {
		case model.Done, model.Found:
		case model.Refused:
			h.Undo()
		default:
			h.lose(code)
		}
	}
	pending, _ := h.Pending()
	switch next := t.Issued(); next.Kind {
	case model.SourceUpdate, model.SourceCommit:
		if pending == reads {
			h.Undo()
		} else {
			h.Return(0)
		}
		h.Call(writes)
	case model.Return:
		switch answer := t.Answer(); {
		case pending == writes:
			h.Return(0)
		case answer.Kind == model.AnsweredFresh && answer.Value.Kind == model.KindVersion:
			h.Return(int(answer.Value.N))
		default:
			h.Undo()
		}
	}
}

func explainReads(t *model.Trace) string {
	last := t.LastReturned()
	if last == nil {
		return "the reads are not linearizable"
	}
	text := fmt.Sprintf("%s arrived at %s and was answered with %s", last.Process, model.FormatDuration(last.Call), last.Output)
	for i := len(t.History) - 1; i >= 0; i-- {
		if o := &t.History[i]; o.Input == string(writes) && o.Return != nil && *o.Return <= last.Call {
			return text + fmt.Sprintf(", though %s had changed the source and returned at %s", o.Process, model.FormatDuration(*o.Return))
		}
	}
	return text + ", though a newer version had been answered before it arrived"
}
