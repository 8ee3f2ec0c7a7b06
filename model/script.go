package model

// ScriptInput is all that an atomic step can depend on: what the stores contain, by
// key, and the data that it is given.
type ScriptInput struct {
	Values [MaxKeys]Datum
	Data   [MaxRegisters]Datum
	// Dated has a bit for each key whose entry carries a time.
	Dated uint16
	Ages  Ages
}

// ScriptRun is what an atomic step does: operations on entries, with the value or
// token that each brings, and the class of its result with the data that the result
// mentions, at most MaxResults.
type ScriptRun struct {
	Operations []Operation
	Arguments  []Datum
	Class      uint16
	Mentions   []Datum
	// Asked are the ages that it has asked for, in order. Asks: the last of them has no
	// answer in the input, and what it does depends on that.
	Asked []Age
	Asks  bool
}

// runScript lets the atomic step of process p take effect, unless it is one that a
// watch guards which has seen a change. The watch ends.
func (r *Rules) runScript(s *State, p *Process, op *Operation, move *Move, e *Event) (Observation, error) {
	if op.Arg != NoRegister && p.endWatch(op.Arg) {
		return Observe(Refused), nil
	}
	run, err := r.script(s, p, op, move.Ages)
	if err != nil {
		return 0, err
	}
	if run.Asks {
		return 0, &LimitError{op.Source, "an atomic step asks how old something is, and nobody has answered; please report it"}
	}
	e.Ages, e.Asked = move.Ages, run.Asked
	for _, from := range op.Results {
		if d := p.Registers[from].Datum; d.Kind == KindCounter {
			e.Brought = max(e.Brought, d.N)
		}
	}
	for k := range run.Operations {
		inner := &run.Operations[k]
		if inner.Kind == Publish {
			s.publish(inner)
			continue
		}
		var at Stamp
		if inner.Stamp != 0 && inner.Stamp != StampNow {
			at = p.Registers[op.Results[inner.Stamp-1]].stamp()
		}
		after, _, err := s.change(inner, run.Arguments[k], at, e)
		if err != nil {
			return 0, tooLarge(op.Source, err)
		}
		s.Entries[inner.Key] = after
	}
	return bindResult(p, run.Class, run.Mentions, op)
}

// change lets an operation take effect on its entry and notes it in the event. What is
// set carries the time at, if the operation says so.
func (s *State) change(op *Operation, arg Datum, at Stamp, e *Event) (Entry, Code, error) {
	entry := s.Entries[op.Key]
	if err := op.Exceeds(entry.Value); err != nil {
		return entry, 0, err
	}
	if !s.alive(op) {
		return entry, Failed, nil
	}
	after, code := op.Effect(entry, arg)
	s.Keys = max(s.Keys, uint8(op.Key)+1)
	if op.Session != 0 && code == Done {
		after.bind(op)
		s.Attentive = true
	}
	if op.Stamp != 0 && code == Done {
		after.Stamp = at
	}
	if op.Stamp == StampNow && code == Done {
		after.Stamp = Stamp{Clock: Fresh, Limit: op.Age}
	}
	e.Changes = append(e.Changes, Change{
		Key: op.Key, Before: entry, After: after, Written: op.Kind == Set && code == Done,
		Refused: op.Kind == Set && code == Refused, Deleted: op.deletes(code), Owner: s.ownerOf(entry.Value),
	})
	return after, code, nil
}

// deletes reports whether the operation has deleted what is under its key, which may be
// nothing.
func (op *Operation) deletes(code Code) bool {
	return op.Kind == Delete || op.Kind == DeleteIfEqual && code == Done
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
