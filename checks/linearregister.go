package checks

import (
	"fmt"

	"lockstep/model"

	"github.com/anishathalye/porcupine"
)

// LinearizableRegister is the property that what is under each key of a store is
// linearizable as a register that may forget: who reads it finds what was written last, or
// nothing since it has been forgotten: deleted, expired, evicted or lost. It is about
// values, numbers and whether a key is taken. It is violated where a read is served by a
// replica that lags, where a failover or a late request brings back what had been replaced,
// and where a request takes effect twice.
//
// An operation counts from its issue until the process learns what became of it; an atomic
// step, and operations on lists and sessions, at the instant at which they take effect.
func LinearizableRegister() model.Property {
	return Linearizable(Object{
		Name: "linearizable-register", Rule: "what is under each key is linearizable as a register",
		Vacuous: "no operation on a key ever returned",
		Model: porcupine.Model{
			Init: func() any { return registers{} },
			Step: func(state, input, output any) (bool, any) {
				want, after := input.(registerInput).step(state.(registers))
				return want == output, after
			},
		},
		Outputs: func(state, input any) []any {
			out, _ := input.(registerInput).step(state.(registers))
			return []any{out}
		},
		Observe:  observeRegister,
		Describe: func(input any) string { return input.(registerInput).String() },
		Answer:   func(output any) string { return output.(registerOutput).String() },
		Explain:  explainRegister,
	})
}

// registers are what is under each key, tokens and lists without what tells them apart.
type registers [model.MaxKeys]Value

func coarse(v Value) Value {
	if v.Kind != model.KindVersion && v.Kind != model.KindCounter {
		v.N = 0
	}
	return v
}

// registerInput is an operation on a key: one of a store, or model.Return for a change that
// is there all at once.
type registerInput struct {
	Kind  model.OperationKind
	Key   model.KeyID
	Name  string
	Mode  model.SetMode
	Value Value
}

// registerOutput is what it observes.
type registerOutput struct {
	Code  model.Code
	Found Value
}

func (in registerInput) String() string {
	switch {
	case in.Kind != model.Return:
		text := in.Kind.String() + " " + in.Name
		if in.Value.Kind != model.KindNone {
			text += " " + valueWord(in.Value)
		}
		return text
	case in.Value.Kind == model.KindNone:
		return in.Name + " is gone"
	}
	return in.Name + " becomes " + valueWord(in.Value)
}

func (out registerOutput) String() string {
	if out.Code == model.Found {
		return valueWord(out.Found)
	}
	return out.Code.String()
}

func valueWord(v Value) string {
	switch v.Kind {
	case model.KindVersion:
		return fmt.Sprintf("v%d", v.N)
	case model.KindCounter:
		return fmt.Sprint(v.N)
	case model.KindToken:
		return "a token"
	}
	return "something"
}

// step is the specification of the registers. A release by a token that is not the one that
// is there is observed as such, so it is told apart from a delete.
func (in registerInput) step(s registers) (registerOutput, registers) {
	at := &s[in.Key]
	present := at.Kind != model.KindNone
	switch in.Kind {
	case model.Return:
		*at = in.Value
	case model.Get:
		if present {
			return registerOutput{model.Found, *at}, s
		}
		return registerOutput{Code: model.Missing}, s
	case model.Set:
		if in.Mode&model.IfAbsent != 0 && present || in.Mode&model.IfPresent != 0 && !present {
			return registerOutput{Code: model.Refused}, s
		}
		*at = in.Value
	case model.Delete:
		if !present {
			return registerOutput{Code: model.Missing}, s
		}
		*at = Value{}
	case model.Increment:
		switch at.Kind {
		case model.KindNone:
			*at = Value{Kind: model.KindCounter, N: 1}
		case model.KindCounter:
			at.N++
		default:
			return registerOutput{Code: model.Refused}, s
		}
		return registerOutput{model.Found, *at}, s
	}
	return registerOutput{Code: model.Done}, s
}

// asRegister returns the operation as one on a register, false if it is none.
func (r Request) asRegister() (registerInput, bool) {
	in := registerInput{Kind: r.Kind, Key: r.key, Name: r.Key, Mode: r.Mode &^ model.KeepTTL, Value: coarse(r.Value)}
	switch r.Kind {
	case model.GetStamped:
		in.Kind, in.Value = model.Get, Value{}
	case model.Get, model.Delete, model.Increment:
		in.Value = Value{}
	case model.Set:
	default:
		return in, false
	}
	return in, r.Key != ""
}

func observeRegister(t *Turn, h *History) {
	if t.event.Process == t.process {
		for _, c := range t.Changes() {
			t.atOnce(h, c)
		}
	}
	if !t.Somebody() {
		return
	}
	if of, code, found := t.Learned(); of.Key != "" {
		if _, is := of.asRegister(); is {
			t.answered(h, code, found)
		}
	}
	if in, is := t.Issued().asRegister(); is {
		h.Call(in)
	}
}

// answered lets an operation on a register return.
func (t *Turn) answered(h *History, code model.Code, found Value) {
	switch code {
	case model.Found:
		h.Return(registerOutput{code, coarse(found)})
	case model.Done, model.Missing, model.Refused:
		h.Return(registerOutput{Code: code})
	default:
		input, _ := h.Pending()
		if in, _ := input.(registerInput); in.Kind == model.Get {
			// Whether it has been done makes no difference to anybody.
			h.Undo()
			return
		}
		h.lose(code)
	}
}

// atOnce notes a change that is not made by an operation on a register: by the clock, by
// somebody else, or by an operation of another kind.
func (t *Turn) atOnce(h *History, c Change) {
	if op := t.event.Operation; op != nil && t.process >= 0 {
		if in, is := t.request(op).asRegister(); is && in.Key == c.key {
			return
		}
	} else if !c.Removed {
		return
	}
	h.Happens(registerInput{Kind: model.Return, Key: c.key, Name: c.Key, Value: coarse(c.New)}, registerOutput{Code: model.Done})
}

func explainRegister(t *model.Trace) string {
	last := t.LastReturned()
	if last == nil {
		return "what is under a key is not linearizable as a register"
	}
	return fmt.Sprintf("%s: %s, from %s to %s, is answered with %s, which is not what was there at any instant in between",
		last.Process, last.Input, model.FormatDuration(last.Call), model.FormatDuration(*last.Return), last.Output)
}
