package checks

import (
	"fmt"

	"lockstep/checks/internal/linearize"
	"lockstep/model"
)

// History is the history of an object so far. Its methods are about the process of the
// turn, which has at most one operation at a time.
type History struct {
	property *linearizable
	state    *model.State
	process  int
	at       linearize.ID
	outcome  model.Outcome
}

func (h *History) automaton() *linearize.Automaton { return h.property.automaton }

// current returns the process of the turn.
func (h *History) current() *model.Process {
	if h.process < 0 {
		panic("checks: in a turn of nobody there is no operation to call or to return; see History.Happens")
	}
	return &h.state.Processes[h.process]
}

// Client returns a number for the process and all others of its [Party], which no other
// party has had before it: from 0, in the order in which they were first asked for.
func (h *History) Client() int {
	p := h.current()
	if p.Client == 0 {
		next, client := h.automaton().Join(h.at)
		h.at = next
		for i := range h.state.Processes {
			if q := &h.state.Processes[i]; q.Node == p.Node && q.Family == p.Family && q.Phase != model.Ended {
				q.Client = client + 1
			}
		}
		p.Client = client + 1
	}
	return int(p.Client) - 1
}

// ClientOf returns the number of a party, false if it has none, or is gone.
func (h *History) ClientOf(who Party) (client int, ok bool) {
	for i := range h.state.Processes {
		if p := &h.state.Processes[i]; p.Client != 0 && partyOf(model.OwnerOf(p)) == who {
			return int(p.Client) - 1, true
		}
	}
	return 0, false
}

// Leave lets the party of the process have another number from now on.
func (h *History) Leave() {
	p := h.current()
	for i := range h.state.Processes {
		if q := &h.state.Processes[i]; q.Node == p.Node && q.Family == p.Family {
			q.Client = 0
		}
	}
}

// Pending returns the input of the operation of the process, false if it has none.
func (h *History) Pending() (input any, ok bool) {
	if p := h.current(); p.Call != 0 {
		return h.automaton().Input(h.at, p.Call-1)
	}
	return nil, false
}

// Call begins an operation of the process. If it had one, that is abandoned.
func (h *History) Call(input any) {
	p := h.current()
	if p.Call != 0 {
		h.Abandon()
	}
	if h.at == linearize.Broken {
		return
	}
	number := h.automaton().Unused(h.at)
	h.call(number, input, h.process)
	p.Call = number + 1
}

func (h *History) call(number uint8, input any, process int) {
	h.at = h.automaton().Call(h.at, number, input)
	if n := h.property.notes; n != nil {
		text := fmt.Sprint(input)
		if describe := h.property.object.Describe; describe != nil {
			text = describe(input)
		}
		n.events = append(n.events, model.HistoryEvent{Operation: n.history.Call(number, input), Process: process, Kind: model.Called, Text: text})
	}
}

// Return lets the operation of the process return the output; it does nothing if there is
// none.
func (h *History) Return(output any) {
	p := h.current()
	if p.Call == 0 {
		return
	}
	h.outcome |= model.Exercised
	h.answer(p.Call-1, output)
	p.Call = 0
}

func (h *History) answer(number uint8, output any) {
	if h.at == linearize.Broken {
		return
	}
	h.at = h.automaton().Return(h.at, number, output)
	if n := h.property.notes; n != nil {
		text := fmt.Sprint(output)
		if answer := h.property.object.Answer; answer != nil {
			text = answer(output)
		}
		n.events = append(n.events, model.HistoryEvent{Operation: n.history.Return(number, output), Process: h.process, Kind: model.Returned, Text: text})
	}
}

// Undo ends the operation of the process, if there is one, of which it is certain that it
// has not taken effect and never will.
func (h *History) Undo() {
	p := h.current()
	if p.Call == 0 {
		return
	}
	number := p.Call - 1
	p.Call = 0
	h.at = h.automaton().Fail(h.at, number)
	if n := h.property.notes; n != nil {
		n.events = append(n.events, model.HistoryEvent{Operation: n.history.Fail(number), Process: h.process, Kind: model.Undone})
	}
}

// Abandon says that the process will never learn what became of its operation, if it has
// one: it may have taken effect, or do so later, or never. The operation of a process that
// ends, or whose node crashes, is abandoned by itself.
func (h *History) Abandon() {
	p := h.current()
	if p.Call == 0 {
		return
	}
	number := p.Call - 1
	p.Call = 0
	h.abandon(number)
}

// lose ends the operation of a process that has not learned what became of it. An error
// comes instead of an effect; otherwise there may have been one, or will be.
func (h *History) lose(code model.Code) {
	if code == model.Failed {
		h.Undo()
	} else {
		h.Abandon()
	}
}

func (h *History) abandon(number uint8) {
	h.at = h.automaton().Abandon(h.at, number)
	if n := h.property.notes; n != nil {
		n.history.Abandon(number)
	}
}

// Happens is an operation that takes effect in this very step: an expiry, for example.
func (h *History) Happens(input, output any) {
	if h.at == linearize.Broken {
		return
	}
	number := h.automaton().Unused(h.at)
	h.call(number, input, h.process)
	h.answer(number, output)
}
