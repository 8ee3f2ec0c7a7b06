package checks

import (
	"encoding/binary"
	"fmt"
	"slices"

	"lockstep/checks/internal/linearize"
	"lockstep/model"

	"github.com/anishathalye/porcupine"
)

// Object is something that processes share, and what it promises them: to behave as if
// each operation took effect at one instant between its call and its return.
//
//	flag := checks.Object{
//		Name: "linearizable-flag", Rule: "the flag is linearizable", Vacuous: "nobody ever looked at the flag",
//		Model: porcupine.Model{
//			Init: func() any { return false },
//			Step: func(state, input, output any) (bool, any) {
//				if input == "raise" {
//					return true, true
//				}
//				return output == state, state
//			},
//		},
//		Outputs: func(state, input any) []any { return []any{state} },
//		Observe: func(t *checks.Turn, h *checks.History) {
//			...
//		},
//	}
//	checks.Verify(t, s, checks.Linearizable(flag))
type Object struct {
	// Name is what the property is called in reports, Rule what must hold, in a sentence
	// without a full stop, and Vacuous what never happened if no process ever got an answer
	// from the object.
	Name, Rule, Vacuous string
	// Model is the sequential specification. Its states, inputs and outputs are values, not
	// pointers, that are told apart by how fmt prints them with %#v, states by
	// DescribeState if there is one. They must not mention tokens or positions of processes, which are renamed in
	// the course of a run. A model of several partitions has to be made that of one.
	Model porcupine.Model
	// Outputs returns all outputs that an operation with the input may have in the state; it
	// may return too many. Without it nobody knows what an operation may have done that has
	// not returned.
	Outputs func(state, input any) []any
	// Mentions reports whether a state or an input mentions a client; see [History.Client].
	// It is needed only where requests start over, so that numbers are used again.
	Mentions func(stateOrInput any, client int) bool
	// Observe tells the history of a run: it is called for each turn, in order, and calls
	// and returns operations. It is called by several goroutines at once, so it must not
	// depend on anything but the turn and the history, nor keep them.
	Observe func(t *Turn, h *History)
	// Describe says in words what an operation asks, and what it is answered; nil for what
	// fmt prints.
	Describe func(input any) string
	Answer   func(output any) string
	// Explain says in words why the history of a trace is not linearizable; nil for the last
	// operation.
	Explain func(t *model.Trace) string
}

// Linearizable is the property that every history of the object is linearizable (Herlihy
// and Wing, ACM TOPLAS 12(3), 1990). Operations that have not returned may have taken
// effect or not. The search decides it with a monitor; before a violation is reported,
// porcupine has to find the whole history not linearizable, too. At most one property of a
// check can be of this kind.
func Linearizable(o Object) model.Property { return &linearizable{object: o} }

type linearizable struct {
	object    Object
	automaton *linearize.Automaton
	name      func(model.KeyID) (store, key string)
	// notes are kept of one run only.
	notes *historyNotes
}

func (p *linearizable) Name() string    { return p.object.Name }
func (p *linearizable) Rule() string    { return p.object.Rule }
func (p *linearizable) Vacuous() string { return p.object.Vacuous }

// Memory has the name of the history.
func (p *linearizable) Memory() int { return 8 }

func (p *linearizable) core() linearize.Object {
	return linearize.Object{Model: p.object.Model, Outputs: p.object.Outputs, Mentions: p.object.Mentions}
}

// Valid refuses an object that lacks something.
func (p *linearizable) Valid() error {
	o := &p.object
	core := p.core()
	switch err := core.Valid(); {
	case o.Name == "":
		return fmt.Errorf("an object without a name: an Object has Name, Rule, Vacuous, Model, Outputs and Observe")
	case o.Rule == "" || o.Vacuous == "" || o.Observe == nil:
		return fmt.Errorf("the object %s lacks its Rule, Vacuous or Observe", o.Name)
	case err != nil:
		return fmt.Errorf("the object %s: %w", o.Name, err)
	}
	return nil
}

// WithNames returns the property for a search in which keys have these names.
func (p *linearizable) WithNames(name func(model.KeyID) (store, key string)) model.Monitor {
	return &linearizable{object: p.object, automaton: linearize.New(p.core()), name: name}
}

// Recorder returns the property for a single run.
func (p *linearizable) Recorder() model.Recorder {
	return &linearizable{object: p.object, automaton: p.automaton, name: p.name, notes: &historyNotes{}}
}

// historyNotes are the history of one run.
type historyNotes struct {
	history linearize.History
	events  []model.HistoryEvent
}

// Noted returns what the last step did to the history.
func (p *linearizable) Noted() []model.HistoryEvent {
	events := p.notes.events
	p.notes.events = nil
	return events
}

// Confirm lets porcupine decide about the history of the run.
func (p *linearizable) Confirm() bool { return !p.notes.history.Linearizable(p.core()) }

func (p *linearizable) Check(s *model.State, e *model.Event, memory []byte) model.Outcome {
	h := History{property: p, state: s, at: linearize.ID(binary.LittleEndian.Uint64(memory))}
	if h.at == linearize.Broken {
		return 0
	}
	v := View{state: s, event: e, name: p.name}
	isIts := func(n model.Entered) bool { return n.Process == e.Process }
	if e.Process < 0 || !slices.ContainsFunc(e.Entered, isIts) {
		p.turn(&Turn{View: &v, process: e.Process}, &h)
	}
	for k := range e.Entered {
		t := &Turn{View: &v, process: e.Entered[k].Process, entered: &e.Entered[k]}
		p.turn(t, &h)
		if t.Ended() {
			s.Processes[t.process].Client, s.Processes[t.process].Call = 0, 0
		}
	}
	h.forsake()
	binary.LittleEndian.PutUint64(memory, uint64(h.at))
	if h.at == linearize.Broken {
		return model.Exercised | model.Violated
	}
	return h.outcome
}

// turn lets the object tell what a turn means.
func (p *linearizable) turn(t *Turn, h *History) {
	h.process = t.process
	p.object.Observe(t, h)
}

// forsake abandons the operations of processes that are gone or that have ended, and
// forgets clients that are gone.
func (h *History) forsake() {
	left := h.automaton().Pending(h.at)
	for i := range h.state.Processes {
		if call := h.state.Processes[i].Call; call != 0 {
			left = left.Without(linearize.Numbers{}.With(call - 1))
		}
	}
	for number := range uint8(linearize.MaxOperations) {
		if left.Has(number) {
			h.abandon(number)
		}
	}
	h.at = h.automaton().Collect(h.at, h.clients())
}

// clients returns the numbers of all clients that are there.
func (h *History) clients() (numbers linearize.Numbers) {
	for i := range h.state.Processes {
		if client := h.state.Processes[i].Client; client != 0 {
			numbers = numbers.With(client - 1)
		}
	}
	return numbers
}

// Explain says what the last operation was that found no place.
func (p *linearizable) Explain(t *model.Trace) string {
	if p.object.Explain != nil {
		return p.object.Explain(t)
	}
	last := t.LastReturned()
	if last == nil {
		return "the history is not linearizable"
	}
	who := "this"
	if last.Process != "" {
		who = last.Process + ": " + last.Input
	}
	return fmt.Sprintf("%s, called at %s, returned %s at %s, which it cannot at any instant in between, whatever the order of the other operations",
		who, model.FormatDuration(last.Call), last.Output, model.FormatDuration(*last.Return))
}
