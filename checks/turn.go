package checks

import "lockstep/model"

// Turn is what one process has done in a step: it has learned what became of its
// operation, has gone on, and has issued the next. A step in which no process has gone on
// is a turn, too: that of the process whose operation took effect, or of nobody.
type Turn struct {
	*View
	process int
	entered *model.Entered
}

// Value is what can be under a key or known to a process: nothing, a version of the source,
// a number, a token, a list of so many elements.
type Value = model.Datum

// Request is an operation that a process has issued.
type Request struct {
	// Kind is what it is; [model.Return] for none.
	Kind model.OperationKind
	// Store and Key are what it is about, empty if it is about no key.
	Store, Key string
	// Mode is the condition of a Set.
	Mode model.SetMode
	// Value is what it brings, if it brings something.
	Value Value

	// key is the number of the key.
	key model.KeyID
}

// Somebody reports whether the turn is that of a process.
func (t *Turn) Somebody() bool { return t.process >= 0 }

// GoesOn reports whether the process has gone on in this step.
func (t *Turn) GoesOn() bool { return t.entered != nil }

// Arrived reports whether the process has arrived in this step, or was spawned.
func (t *Turn) Arrived() bool {
	return t.GoesOn() && (t.event.Move.Kind == model.MoveArrive || t.process != t.event.Process)
}

// Ended reports whether the process has returned in this step.
func (t *Turn) Ended() bool { return t.GoesOn() && t.entered.Issued.Kind == model.Return }

// Party returns whose turn it is; nobody for a turn of nobody.
func (t *Turn) Party() Party {
	if t.process < 0 {
		return Party{}
	}
	return partyOf(model.OwnerOf(&t.state.Processes[t.process]))
}

// Role returns what the process is there for, and whether it was spawned.
func (t *Turn) Role() (role model.Role, spawned bool) {
	if t.process < 0 {
		return 0, false
	}
	p := &t.state.Processes[t.process]
	return p.Role, !p.Root
}

// Issued returns the operation that the process has issued in this step.
func (t *Turn) Issued() Request {
	if !t.GoesOn() {
		return Request{}
	}
	return t.request(t.entered.Issued)
}

// Learned returns the operation of which the process has learned in this step what became,
// without what it brought, and what that is: a code, and what was found.
func (t *Turn) Learned() (of Request, code model.Code, found Value) {
	e := t.event
	if !t.GoesOn() || t.Arrived() || e.Operation == nil {
		return Request{}, 0, Value{}
	}
	of = t.request(e.Operation)
	of.Value = Value{}
	return of, e.Observation.Code(), e.Data[0]
}

// Answer returns how a request has answered in this step.
func (t *Turn) Answer() model.Answer {
	if !t.GoesOn() || t.process != t.event.Process {
		return model.Answer{}
	}
	return t.event.Answer
}

// Marks returns the names of the locks that the process has acquired in this step,
// according to itself, and of those that it no longer believes to hold.
func (t *Turn) Marks() (acquired, releasing []string) {
	for _, m := range t.marks() {
		_, key := t.name(m.Key)
		switch m.Kind {
		case model.MarkAcquired:
			acquired = append(acquired, key)
		case model.MarkReleasing:
			releasing = append(releasing, key)
		}
	}
	return acquired, releasing
}

// StartsOver reports whether the request starts over in this step.
func (t *Turn) StartsOver() bool {
	for _, m := range t.marks() {
		if m.Kind == model.MarkRestart {
			return true
		}
	}
	return false
}

func (t *Turn) marks() []model.Mark {
	switch {
	case !t.GoesOn():
		return nil
	case t.process == t.event.Process:
		return t.event.Marks
	}
	for i := range t.event.Begun {
		if t.event.Begun[i].Process == t.process {
			return t.event.Begun[i].Marks
		}
	}
	return nil
}

func (t *Turn) request(op *model.Operation) Request {
	r := Request{Kind: op.Kind, Mode: op.Mode}
	if op.Kind.OnEntry() && !op.Local {
		r.key = op.Key
		r.Store, r.Key = t.name(op.Key)
	}
	if p := &t.state.Processes[t.process]; op.Arg != model.NoRegister && int(op.Arg) < len(p.Held()) {
		r.Value = p.Registers[op.Arg].Datum
	}
	return r
}
