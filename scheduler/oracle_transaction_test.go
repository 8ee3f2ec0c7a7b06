package scheduler_test

import (
	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// Transactions of the source, and its conditional updates.
const (
	vBegin    verb = "Source.Begin"
	vCommit   verb = "Source.Commit"
	vRollback verb = "Source.Rollback"
	vUpdateIf verb = "Source.UpdateIf"
)

// writes reports whether the instruction changes the source, for which it waits while
// another process has a transaction.
func (in instruction) writes() bool {
	return in.verb == vUpdate || in.verb == vUpdateIf || in.verb == vBegin
}

// ends reports whether it ends a transaction.
func (in instruction) ends() bool { return in.verb == vCommit || in.verb == vRollback }

// transaction is what there is of one.
type transaction struct {
	// writing: the process has one.
	writing bool
	// knows: its code knows so.
	knows bool
}

// locked reports whether another process than p has a transaction.
func (w *world) locked(p *process) bool {
	for i := range w.processes {
		if q := &w.processes[i]; q.writing && q != p {
			return true
		}
	}
	return false
}

// write is what an instruction that changes the source does.
func (w *world) write(p *process, in instruction) seen {
	switch {
	case w.locked(p):
		return seen{code: model.Parked}
	case in.verb == vUpdateIf && p.v[in.v] != model.Version(uint8(w.source)):
		return seen{code: model.Refused}
	case in.verb == vBegin:
		p.writing = true
		return seen{code: model.Found, value: model.Version(uint8(w.source + 1))}
	}
	w.source++
	return seen{code: model.Found, value: model.Version(uint8(w.source))}
}

// finish is what an instruction that ends a transaction does.
func (w *world) finish(p *process, in instruction) seen {
	if in.verb == vCommit {
		w.source++
	}
	p.writing = false
	return seen{code: model.Done}
}

// grant lets those change the source who waited for a transaction that has ended.
func (w *world) grant() {
	for !w.locked(nil) {
		var next *process
		for i := range w.processes {
			p := &w.processes[i]
			if p.phase == parked && w.waitsFor(p).writes() && (next == nil || p.place < next.place) {
				next = p
			}
		}
		if next == nil {
			return
		}
		next.seen = w.write(next, w.waitsFor(next))
		next.phase, next.age, next.place = replying, 0, 0
	}
}

// learnsSource is what the code of a process knows after an operation on the source.
func (p *process) learnsSource(in instruction, o seen) {
	switch {
	case in.verb == vUpdateIf && o.code == model.Found:
		p.v[in.v] = o.value
	case in.verb == vBegin:
		p.v[in.v], p.knows = o.value, p.knows || o.code == model.Found
	case in.ends():
		// If that went wrong nothing is known.
		p.knows = false
	}
}

// tinyTransaction says whether a program that the engine runs knows of a transaction.
type tinyTransaction struct{ knows bool }

func (l *tinyTransaction) change(c *protocol.Client, v *protocol.Value, in instruction) (model.Code, bool) {
	changed := func(err error) model.Code { return errorCode(err, pick(err == nil, model.Found, model.Stopped)) }
	var err error
	switch in.verb {
	case vUpdate:
		*v, err = c.Source.Update()
		return changed(err), true
	case vUpdateIf:
		updated, done, err := c.Source.UpdateIf(*v)
		if done {
			*v = updated
		}
		if err == nil && !done {
			return model.Refused, true
		}
		return changed(err), true
	case vBegin:
		*v, err = c.Source.Begin()
		l.knows = l.knows || err == nil
		return changed(err), true
	case vCommit, vRollback:
		l.knows = false
		if in.verb == vCommit {
			err = c.Source.Commit()
		} else {
			err = c.Source.Rollback()
		}
		return errorCode(err, model.Done), true
	}
	return 0, false
}

// transactionPrograms draws requests that change the source and cache what they wrote.
func transactionPrograms(t *rapid.T) programs {
	line := func() instruction {
		a, b := span(t, 0, 2)
		return oneOf(t,
			instruction{verb: vSleep, min: a, max: b}, instruction{verb: vCompute, min: a, max: b},
			instruction{verb: vCommit}, instruction{verb: vRollback}, instruction{verb: vRead, v: 1}, instruction{verb: vUpdate, v: 2},
			instruction{verb: vUpdateIf, v: 1}, instruction{verb: vBegin, v: 1}, instruction{verb: vDel, key: keyCache}, instruction{verb: vGo, n: firstChild},
			instruction{verb: vStop}, instruction{verb: vWait, v: 2})
	}
	change := func() instruction {
		return instruction{verb: oneOf(t, vBegin, vBegin, vUpdateIf, vUpdateIf, vUpdate), v: 1}
	}
	end := func() instruction { return instruction{verb: oneOf(t, vCommit, vCommit, vCommit, vRollback)} }
	a, b := span(t, 0, 2)
	p := program{
		{verb: vRead, v: 1},
		change(),
		{verb: vIf, code: oneOf(t, model.Refused, model.Cancelled, model.TimedOut), to: 6},
		{verb: vCompute, min: a, max: b},
		end(),
		{verb: vSet, key: keyCache, v: 1},
	}
	if chance(t, 30) {
		p[4], p[5] = p[5], p[4]
	}
	if chance(t, 35) {
		p = p.with(between(t, 0, 4), instruction{verb: vGo, n: firstChild})
		p = append(p, instruction{verb: oneOf(t, vStop, vStop, vWait), v: 2})
	}
	for chance(t, 50) {
		p = p.with(between(t, 0, len(p)-1), line())
	}
	if chance(t, 20) {
		p = p.without(between(t, 0, len(p)-1))
	}
	if chance(t, 12) {
		p = append(p, instruction{verb: vAgain})
	}
	c, d := span(t, 0, 2)
	update := program{change(), {verb: vSleep, min: c, max: d}, end()}
	if chance(t, 50) {
		update = program{{verb: vUpdate, v: 1}}
	}
	child := program{change(), line(), end(), line()}
	for i := range child {
		if child[i].verb == vGo {
			// It would spawn itself, for ever.
			child[i] = instruction{verb: vSleep, max: 1}
		}
	}
	return programs{p, update, child}
}

func drawTransactions(t *rapid.T, s *setting) {
	s.programs = transactionPrograms(t)
	s.small(t)
}

// transactionOutcomes are cases of it.
func transactionOutcomes() map[string]outcome {
	begin, commit, read := instruction{verb: vBegin, v: 1}, instruction{verb: vCommit}, instruction{verb: vRead, v: 2}
	run := instruction{verb: vGo, n: firstChild}
	equal := func(end int) instruction { return instruction{verb: vIfEqual, v: 1, w: 2, to: end + 1} }
	// same is a program that comes to its mark if both of its values are equal.
	same := func(p ...instruction) program { return marked(append(p, equal(len(p)+1))) }
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	// after is a request that spawns one that waits for its transaction, and then does something.
	after := func(code model.Code, ps ...instruction) *setting {
		child := seeing(code, sleep(1), instruction{verb: vUpdate, v: 1})
		return alone(append(program{begin, run}, ps...), nil, child)
	}
	crashes := after(model.Found, sleep(9))
	crashes.updates, crashes.crashes = 1, 1
	crashes.programs = programs{{begin, sleep(1)}, seeing(model.Found, sleep(2), instruction{verb: vUpdate, v: 1}), nil}
	return map[string]outcome{
		"what a transaction has written is not seen":             {false, 0, alone(same(begin, read), nil)},
		"before it is committed":                                 {true, 0, alone(same(begin, commit, read), nil)},
		"and never if it is rolled back":                         {false, 0, alone(same(begin, instruction{verb: vRollback}, read), nil)},
		"one that is open keeps others back":                     {false, 0, alone(program{begin, run, {verb: vToken}, sleep(2), {verb: vSet}, commit}, nil, seeing(model.Missing, sleep(1), instruction{verb: vUpdate, v: 1}, instruction{verb: vGet, v: 2}))},
		"until its process ends":                                 {true, 0, after(model.Found, sleep(2))},
		"or is gone":                                             {true, 0, crashes},
		"a conditional update of what has changed is refused":    {true, 0, alone(seeing(model.Refused, instruction{verb: vRead, v: 1}, instruction{verb: vUpdate, v: 2}, instruction{verb: vUpdateIf, v: 1}), nil)},
		"of what has not is done":                                {false, 0, alone(seeing(model.Refused, instruction{verb: vRead, v: 1}, instruction{verb: vUpdateIf, v: 1}), nil)},
		"it is tested when the transaction of another has ended": {true, 0, alone(program{{verb: vRead, v: 1}, begin, run, sleep(1), commit}, nil, seeing(model.Refused, instruction{verb: vRead, v: 1}, instruction{verb: vUpdateIf, v: 1}))},
	}
}
