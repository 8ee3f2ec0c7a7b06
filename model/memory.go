package model

import (
	"errors"
	"fmt"
)

// MaxMemory is how many keys the memory of a node has.
const MaxMemory = 8

// remember changes what is under a key of the memory.
func (n *Node) remember(key KeyID, d Datum) {
	if n.Memory[key].Kind != KindNone {
		n.Kept--
	}
	if d.Kind != KindNone {
		n.Kept++
	}
	n.Memory[key] = d
}

// forget empties the memory.
func (n *Node) forget() { n.Memory, n.Kept = [MaxMemory]Datum{}, 0 }

// memoryEffect lets an operation on the memory of its node take effect, by the same
// rules as an operation of a store.
func (r *Rules) memoryEffect(s *State, p *Process, op *Operation, e *Event) (Observation, error) {
	before := s.Nodes[p.Node].Memory[op.Key]
	arg := Datum{}
	if op.Arg != NoRegister {
		arg = p.Registers[op.Arg].Datum
	}
	if err := op.Exceeds(before); err != nil {
		return 0, tooLarge(op.Source, err)
	}
	node := p.Node
	after, code := op.Effect(Entry{Value: before}, arg)
	s.Nodes[node].remember(op.Key, after.Value)
	observed := Observe(code)
	if code == Found {
		var err error
		if observed, err = bind(p, after.Value, op); err != nil {
			return 0, err
		}
	}
	if code == Missing && op.Kind == BlockingPop {
		return Observe(Parked), nil
	}
	r.remembered(s, node, op.Key, before, op.Kind == Set && code == Done, e)
	return observed, nil
}

// remembered tells those who watch the memory of a node, or wait there, of a change: also
// of an equal value that was written.
func (r *Rules) remembered(s *State, node uint8, key KeyID, before Datum, written bool, e *Event) {
	after := s.Nodes[node].Memory[key]
	if !s.Attentive || before == after && !written {
		return
	}
	s.tell(key, true, node, false)
	if after.Kind == KindList {
		r.serve(s, key, true, node, e)
	}
}

// lock takes a mutex that is free.
func (r *Rules) lock(s *State, p *Process, op *Operation, e *Event) {
	s.Nodes[p.Node].remember(op.Key, Datum{Kind: KindCounter, N: 1})
	r.remembered(s, p.Node, op.Key, Datum{}, false, e)
}

// unlock frees a mutex, whoever holds it.
func (r *Rules) unlock(s *State, p *Process, op *Operation, e *Event) error {
	before := s.Nodes[p.Node].Memory[op.Key]
	if before.Kind == KindNone {
		return &LimitError{op.Source, "Unlock of a mutex that is not locked"}
	}
	s.Nodes[p.Node].remember(op.Key, Datum{})
	r.remembered(s, p.Node, op.Key, before, false, e)
	return nil
}

// ErrTooLarge is in the errors of operations that would let a value grow beyond [MaxVersion].
var ErrTooLarge = errors.New("grows beyond")

// tooLarge is the error of a line at which a value grows too large: a [LimitError], and what
// exceeds the limit.
func tooLarge(at Source, err error) error {
	return fmt.Errorf("%w%w", &LimitError{at, ""}, err)
}

// Exceeds returns an error with [ErrTooLarge] if the operation would make the value exceed a
// limit.
func (op *Operation) Exceeds(value Datum) error {
	switch {
	case op.Kind == Increment && value.Kind == KindCounter && value.N == MaxVersion:
		return fmt.Errorf("a counter %w %d", ErrTooLarge, MaxVersion)
	case op.Kind == Push && value.Kind == KindList && value.N == MaxVersion:
		return fmt.Errorf("a list %w %d elements", ErrTooLarge, MaxVersion)
	}
	return nil
}
