package linearize

import "github.com/anishathalye/porcupine"

// History is a history as a list of events, for a judge that sees the whole of it:
// porcupine. The zero value is the empty one.
type History struct {
	events []porcupine.Event
	// open has the index of each operation that has not returned, by number.
	open map[uint8]int
	// operations is how many have been called.
	operations int
}

// pending is the output of an operation that has not returned.
type pending struct{}

// Call adds the call of an operation and returns its index, from 0.
func (h *History) Call(number uint8, input any) (index int) {
	if h.open == nil {
		h.open = map[uint8]int{}
	}
	h.open[number] = h.operations
	h.events = append(h.events, porcupine.Event{Kind: porcupine.CallEvent, Value: input, Id: h.operations, ClientId: int(number)})
	h.operations++
	return h.operations - 1
}

// Return adds the return of an operation and returns its index.
func (h *History) Return(number uint8, output any) (index int) {
	index = h.close(number)
	h.events = append(h.events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: output, Id: index, ClientId: int(number)})
	return index
}

// Fail drops an operation that has not taken effect and returns its index.
func (h *History) Fail(number uint8) (index int) {
	index = h.close(number)
	for k := range h.events {
		if h.events[k].Id == index {
			h.events = append(h.events[:k:k], h.events[k+1:]...)
			break
		}
	}
	return index
}

// Abandon lets an operation stay pending for ever and returns its index.
func (h *History) Abandon(number uint8) (index int) { return h.close(number) }

func (h *History) close(number uint8) (index int) {
	index = h.open[number]
	delete(h.open, number)
	return index
}

// Linearizable lets porcupine decide. An operation that has not returned does so at the
// end: it may have any output that it can have, or not have taken effect.
func (h *History) Linearizable(o Object) bool {
	model := h.model(o)
	return porcupine.CheckEvents(model.ToModel(), h.ended())
}

// ended returns the events with returns at the end for the operations that have not returned.
func (h *History) ended() []porcupine.Event {
	events := append([]porcupine.Event(nil), h.events...)
	returned := map[int]bool{}
	for _, e := range events {
		returned[e.Id] = returned[e.Id] || e.Kind == porcupine.ReturnEvent
	}
	for _, e := range h.events {
		if !returned[e.Id] {
			events = append(events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: pending{}, Id: e.Id, ClientId: e.ClientId})
		}
	}
	return events
}

// model returns the model of the object in which operations that are pending return.
func (h *History) model(o Object) *porcupine.NondeterministicModel {
	step := o.step()
	return &porcupine.NondeterministicModel{
		Init: func() []any { return []any{o.Model.Init()} },
		Step: func(state, input, output any) []any {
			outputs := []any{output}
			var next []any
			if _, is := output.(pending); is {
				outputs, next = o.Outputs(state, input), []any{state}
			}
			for _, out := range outputs {
				if ok, s := step(state, input, out); ok {
					next = append(next, s)
				}
			}
			return next
		},
		Equal: o.Model.Equal,
	}
}
