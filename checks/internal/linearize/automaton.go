package linearize

import (
	"fmt"
	"slices"
	"sync"
)

// ID names a state of an [Automaton]: what matters of a history so far.
type ID uint64

const (
	// Start is the empty history.
	Start ID = 0
	// Broken is every history that is not linearizable.
	Broken ID = 1
)

// MaxOperations is how many operations can be pending at once, abandoned ones aside, and
// how many clients there can be. They are numbered from 0.
const MaxOperations = 120

// maxConfigurations is how many ways there may be to linearize a history.
const maxConfigurations = 1 << 14

// TooMuch says, as the value of a panic, which limit of this package a history exceeds.
type TooMuch string

// Limit returns the limit in words.
func (e TooMuch) Limit() string { return string(e) }

// Automaton tells histories of an object apart as far as their futures differ. Several
// goroutines may use it at once.
type Automaton struct {
	object Object
	step   func(state, input, output any) (bool, any)

	mu     sync.RWMutex
	values values
	states map[ID]*state
	steps  map[event]ID
}

// New returns an automaton for the object, which is valid.
func New(o Object) *Automaton {
	a := &Automaton{object: o, step: o.step(), states: map[ID]*state{}, steps: map[event]ID{}}
	a.values = newValues(o.Model)
	a.states[Start] = &state{configurations: []configuration{{state: a.values.state(o.Model.Init())}}}
	a.states[Broken] = &state{}
	return a
}

// eventKind is what an event does.
type eventKind uint8

const (
	called eventKind = iota
	returned
	failed
	abandoned
	joined
	collected
)

// event is a step of the automaton. value is the input or the output, others are the
// clients that live.
type event struct {
	from   ID
	kind   eventKind
	number uint8
	value  *value
	others Numbers
}

// Numbers are a set of numbers below MaxOperations, each a bit.
type Numbers [2]uint64

// Has reports whether a number is in the set.
func (n Numbers) Has(number uint8) bool { return n[number/64]>>(number%64)&1 != 0 }

// With returns the set with a number.
func (n Numbers) With(number uint8) Numbers {
	n[number/64] |= 1 << (number % 64)
	return n
}

// Without returns the set without the numbers of another.
func (n Numbers) Without(other Numbers) Numbers {
	return Numbers{n[0] &^ other[0], n[1] &^ other[1]}
}

// Call begins an operation with a number that no other one has that is pending.
func (a *Automaton) Call(from ID, number uint8, input any) ID {
	in := a.value(input)
	return a.follow(event{from: from, kind: called, number: number, value: in}, func(s *state) *state {
		at := len(s.pending)
		for at > 0 && !s.pending[at-1].abandoned && s.pending[at-1].number > number {
			at--
		}
		next := &state{clients: s.clients, pending: slices.Insert(slices.Clone(s.pending), at, operation{number: number, input: in})}
		for _, c := range s.configurations {
			c.done = slices.Insert(slices.Clone(c.done), at, nil)
			next.configurations = append(next.configurations, c)
		}
		return next
	})
}

// Return lets an operation return. The result is Broken if the history is not linearizable.
func (a *Automaton) Return(from ID, number uint8, output any) ID {
	out := a.value(output)
	return a.follow(event{from: from, kind: returned, number: number, value: out}, func(s *state) *state {
		at := s.find(number)
		next := &state{clients: s.clients, pending: slices.Delete(slices.Clone(s.pending), at, at+1)}
		for _, c := range a.ending(s, at, out) {
			c.done = slices.Delete(slices.Clone(c.done), at, at+1)
			next.configurations = append(next.configurations, c)
		}
		return next
	})
}

// Fail lets an operation end of which it is known that it has not taken effect.
func (a *Automaton) Fail(from ID, number uint8) ID {
	return a.follow(event{from: from, kind: failed, number: number}, func(s *state) *state {
		at := s.find(number)
		next := &state{clients: s.clients, pending: slices.Delete(slices.Clone(s.pending), at, at+1)}
		for _, c := range s.configurations {
			if c.done[at] == nil {
				c.done = slices.Delete(slices.Clone(c.done), at, at+1)
				next.configurations = append(next.configurations, c)
			}
		}
		return next
	})
}

// Abandon says that an operation will never return.
func (a *Automaton) Abandon(from ID, number uint8) ID {
	return a.follow(event{from: from, kind: abandoned, number: number}, func(s *state) *state {
		at := s.find(number)
		op := s.pending[at]
		op.number, op.abandoned = 0, true
		next := &state{clients: s.clients, pending: slices.Delete(slices.Clone(s.pending), at, at+1)}
		to := 0
		for to < len(next.pending) && next.pending[to].abandoned && next.pending[to].input.hash <= op.input.hash {
			to++
		}
		next.pending = slices.Insert(next.pending, to, op)
		for _, c := range s.configurations {
			done := c.done[at]
			if done != nil {
				done = gone
			}
			c.done = slices.Insert(slices.Delete(slices.Clone(c.done), at, at+1), to, done)
			next.configurations = append(next.configurations, c)
		}
		return next
	})
}

// Join returns the smallest number that no client has.
func (a *Automaton) Join(from ID) (next ID, client uint8) {
	for taken := a.at(from).clients; taken.Has(client); client++ {
		if client == MaxOperations-1 {
			panic(TooMuch(fmt.Sprintf("a history has more than %d clients", MaxOperations)))
		}
	}
	return a.follow(event{from: from, kind: joined, number: client}, func(s *state) *state {
		return &state{clients: s.clients.With(client), pending: s.pending, configurations: slices.Clone(s.configurations)}
	}), client
}

// Collect lets the numbers of clients be used again that are gone and that nothing
// mentions.
func (a *Automaton) Collect(from ID, live Numbers) ID {
	left := a.at(from).clients.Without(live)
	if left == (Numbers{}) || a.object.Mentions == nil {
		return from
	}
	return a.follow(event{from: from, kind: collected, others: live}, func(s *state) *state {
		next := &state{clients: s.clients, pending: s.pending, configurations: slices.Clone(s.configurations)}
		for client := range uint8(MaxOperations) {
			if left.Has(client) && !a.mentions(s, int(client)) {
				next.clients = next.clients.Without(Numbers{}.With(client))
			}
		}
		return next
	})
}

// mentions reports whether a client plays a part in the history.
func (a *Automaton) mentions(s *state, client int) bool {
	for _, op := range s.pending {
		if a.object.Mentions(op.input.is, client) {
			return true
		}
	}
	for _, c := range s.configurations {
		if a.object.Mentions(c.state.is, client) {
			return true
		}
	}
	return false
}

// Unused returns the smallest number that no operation has that is pending.
func (a *Automaton) Unused(at ID) uint8 {
	unused := uint8(0)
	for _, op := range a.at(at).pending {
		if !op.abandoned && op.number == unused {
			unused++
		}
	}
	if unused == MaxOperations {
		panic(TooMuch(fmt.Sprintf("a history has more than %d operations that are pending", MaxOperations)))
	}
	return unused
}

// Pending returns the numbers of the operations that are pending and not abandoned.
func (a *Automaton) Pending(at ID) (numbers Numbers) {
	for _, op := range a.at(at).pending {
		if !op.abandoned {
			numbers = numbers.With(op.number)
		}
	}
	return numbers
}

// Clients returns the numbers of the clients that there are or that are mentioned.
func (a *Automaton) Clients(at ID) Numbers { return a.at(at).clients }

// Input returns what a pending operation was called with.
func (a *Automaton) Input(at ID, number uint8) (input any, pending bool) {
	s := a.at(at)
	if k := s.find(number); k >= 0 {
		return s.pending[k].input.is, true
	}
	return nil, false
}

func (a *Automaton) at(id ID) *state {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.states[id]
}

func (a *Automaton) value(v any) *value {
	a.mu.RLock()
	known := a.values.known(v)
	a.mu.RUnlock()
	if known != nil {
		return known
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.values.of(v)
}

func (s *state) find(number uint8) int {
	return slices.IndexFunc(s.pending, func(op operation) bool { return !op.abandoned && op.number == number })
}

// follow returns where an event leads to.
func (a *Automaton) follow(e event, make func(*state) *state) ID {
	if e.from == Broken {
		return Broken
	}
	a.mu.RLock()
	to, known := a.steps[e]
	a.mu.RUnlock()
	if known {
		return to
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if to, known = a.steps[e]; !known {
		to = a.intern(make(a.states[e.from]))
		a.steps[e] = to
	}
	return to
}
