package model

import "fmt"

// A transaction of the source belongs to a process: what it has written is seen by others
// when it is committed, and until then nobody else can change the source. It is rolled
// back if its process ends, starts over, or is gone with its node.

// changesSource reports whether an operation of the kind changes the source, and so has to wait for the
// transaction of another.
func (k OperationKind) changesSource() bool { return k == SourceUpdate || k == SourceWrite }

// locked reports whether another process than p has a transaction.
func (s *State) locked(p *Process) bool {
	for i := range s.Processes {
		if q := &s.Processes[i]; q.Writing && q != p {
			return true
		}
	}
	return false
}

// sourceEffect lets an operation on the source take effect.
func (r *Rules) sourceEffect(s *State, p *Process, op *Operation) (Observation, error) {
	switch op.Kind {
	case SourceCommit, SourceRollback:
		if !p.Writing {
			return Observe(Refused), nil
		}
		p.Writing = false
		if op.Kind == SourceCommit {
			s.Source++
		}
		return Observe(Done), nil
	}
	if s.locked(p) {
		return Observe(Parked), nil
	}
	if op.Arg != NoRegister && p.Registers[op.Arg].Datum != Version(s.Source) {
		return Observe(Refused), nil
	}
	if s.Source == MaxVersion {
		return 0, &LimitError{op.Source, fmt.Sprintf("the source has been updated more than %d times", MaxVersion)}
	}
	if op.Kind == SourceWrite {
		p.Writing = true
		return bind(p, Version(s.Source+1), op)
	}
	s.Source++
	return bind(p, Version(s.Source), op)
}

// grant lets those change the source who wait for a transaction that has ended, in the
// order in which they came.
func (r *Rules) grant(s *State) error {
	for {
		first := -1
		for i := range s.Processes {
			p := &s.Processes[i]
			if p.parked() && r.Automaton.Operation(p.Local).Kind.changesSource() && (first < 0 || p.place() < s.Processes[first].place()) {
				first = i
			}
		}
		if first < 0 || s.locked(nil) {
			return nil
		}
		p := &s.Processes[first]
		op := r.Automaton.Operation(p.Local)
		observed, err := r.sourceEffect(s, p, op)
		if err != nil {
			return err
		}
		r.unpark(p, op, observed)
	}
}
