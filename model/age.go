package model

import (
	"fmt"
	"math/bits"
	"slices"
)

// An atomic step may ask whether the time that an entry carries is at least so old by the
// clock of the store. Only time can tell, so each answer is a move of its own, with a
// guard; the function of the step is run for each of them.

// Ages are the answers to the first questions of an atomic step, a bit each, which is set
// if the time is at least so old, above a bit that says how many there are. The zero
// value has none.
type Ages uint8

// MaxAges is how many questions an atomic step can ask.
const MaxAges = 7

// Age is a question: whether the time that the entry under a key carries is at least so
// old.
type Age struct {
	Key KeyID
	Age Ticks
}

// Count returns how many answers there are.
func (a Ages) Count() int { return max(bits.Len8(uint8(a))-1, 0) }

// Older returns the answer to the i-th question.
func (a Ages) Older(i int) bool { return a>>i&1 != 0 }

// With adds an answer.
func (a Ages) With(older bool) Ages {
	n := a.Count()
	answers := a &^ (1 << n)
	if a == 0 {
		answers = 0
	}
	if older {
		answers |= 1 << n
	}
	return answers | 1<<(n+1)
}

// dated reports whether a time stands with an entry, of which an atomic step may want to know the age.
func (s *State) dated() bool {
	for k := range s.present() {
		if s.Entries[k].Stamp.Clock != NoClock {
			return true
		}
	}
	return false
}

// script returns what the atomic step of process p does, given some answers.
func (r *Rules) script(s *State, p *Process, op *Operation, ages Ages) (*ScriptRun, error) {
	in := ScriptInput{Ages: ages}
	for k := range s.Entries {
		in.Values[k] = s.Entries[k].Value
		if s.Entries[k].Stamp.Clock != NoClock {
			in.Dated |= 1 << k
		}
	}
	for k, from := range op.Results {
		in.Data[k] = p.Registers[from].Datum
	}
	return r.Automaton.Script(p.Local, &in)
}

// ageMoves appends the ways in which an atomic step takes effect, one for all the answers
// to what it asks, and what may strike it instead. The guards that they share begin at
// start.
func (r *Rules) ageMoves(s *State, p *Process, op *Operation, move Move, start int, m *Moves) {
	shared := append([]Guard(nil), m.guards[start:]...)
	m.guards = m.guards[:start]
	r.answers(s, p, op, move.Ages, shared, m, func(ages Ages, guards []Guard) {
		move.Ages = ages
		m.Begin()
		from := m.open
		m.guards = append(m.guards, guards...)
		m.Add(move)
		r.failures(s, p, op, move, from, len(guards), m)
	})
}

// answers calls do for all the answers to what an atomic step asks, with the guards under
// which they are true.
func (r *Rules) answers(s *State, p *Process, op *Operation, ages Ages, guards []Guard, m *Moves, do func(Ages, []Guard)) {
	run, err := r.script(s, p, op, ages)
	if err != nil {
		m.Err = err
		return
	}
	if !run.Asks {
		do(ages, guards)
		return
	}
	asked := run.Asked[len(run.Asked)-1]
	t := s.Entries[asked.Key].Stamp
	if asked.Age > t.Limit {
		m.Err = &LimitError{op.Source, "a time is compared with something longer than what Now was told"}
		return
	}
	if before := slices.Index(run.Asked, asked); before < len(run.Asked)-1 {
		// Who asks once more in the same step is told the same.
		r.answers(s, p, op, ages.With(ages.Older(before)), guards, m, do)
		return
	}
	limit := asked.Age + r.ahead(t.Steps)
	for _, g := range [...]Guard{{t.Clock, false, limit}, {t.Clock, true, limit}} {
		switch {
		case limit < 0 && !g.Lower:
			continue
		case limit >= 0 && !m.possible(g):
			continue
		}
		under := append(guards[:len(guards):len(guards)], g)
		if limit < 0 {
			under = guards
		}
		r.answers(s, p, op, ages.With(g.Lower), under, m, do)
	}
}

// AskedTooOften is the error of an atomic step that asks more than it may.
func AskedTooOften() error {
	return fmt.Errorf("an atomic function asks more than %d times how old something is", MaxAges)
}
