package model

import "fmt"

// Script is a pure function of a store and of some data that runs in one atomic
// step. It returns the class of its result and the data that the result mentions,
// at most MaxResults.
type Script func(v *View, args []Datum) (class uint16, values []Datum, err error)

// View is a store as a script sees it.
type View struct {
	state *State
	event *Event
	op    *Operation
	err   error

	entries [MaxKeys]Entry
	changes int
}

// Rewind undoes what the script has done.
func (v *View) Rewind() {
	v.state.Entries, v.event.Changes, v.err = v.entries, v.event.Changes[:v.changes], nil
}

// Do lets an operation on an entry take effect, with the value or token that it
// brings, and returns what the entry then holds. PTTL is not for scripts.
func (v *View) Do(op *Operation, arg Datum) (Datum, Code) {
	entry := &v.state.Entries[op.Key]
	after, code, err := v.state.change(op, arg, v.event)
	if err != nil && v.err == nil {
		v.err = &LimitError{v.op.Source, err.Error()}
	}
	*entry = after
	return after.Value, code
}

// change lets an operation take effect on its entry and notes it in the event.
func (s *State) change(op *Operation, arg Datum, e *Event) (Entry, Code, error) {
	entry := s.Entries[op.Key]
	if op.Kind == Increment && entry.Value.Kind == KindCounter && entry.Value.N == MaxVersion {
		return entry, Refused, fmt.Errorf("a counter grows beyond %d", MaxVersion)
	}
	after, code := op.Effect(entry, arg)
	e.Changes = append(e.Changes, Change{
		Key: op.Key, Before: entry, After: after, Written: op.Kind == Set && code == Done,
		Refused: op.Kind == Set && code == Refused, Owner: s.ownerOf(entry.Value),
	})
	return after, code, nil
}

// runScript lets the script of the operation of process p take effect.
func (r *Rules) runScript(s *State, p *Process, op *Operation, e *Event) (Observation, error) {
	var args [MaxRegisters]Datum
	for k, from := range op.Results {
		args[k] = p.Registers[from].Datum
	}
	v := &View{state: s, event: e, op: op, entries: s.Entries, changes: len(e.Changes)}
	class, values, err := op.Script(v, args[:len(op.Results)])
	if err == nil {
		err = v.err
	}
	if err != nil {
		return 0, err
	}
	return bindResult(p, class, values, op)
}

// refer fills in what the observation refers to.
func (p *Process) refer(o Observation, data *[MaxResults]Datum) {
	switch o.Code() {
	case Found:
		data[0] = p.Registers[o.Register()].Datum
	case Result:
		for k := range data {
			if at := o.ResultRegister(k); at < int(p.Count) {
				data[k] = p.Registers[at].Datum
			}
		}
	}
}

// bindResult makes the process refer to what a result mentions.
func bindResult(p *Process, class uint16, values []Datum, op *Operation) (Observation, error) {
	var at [MaxResults]uint8
	for k, d := range values {
		o, err := bind(p, d, op)
		if err != nil {
			return 0, err
		}
		at[k] = uint8(o.Register())
	}
	return ObserveResult(class, at[:len(values)]), nil
}
