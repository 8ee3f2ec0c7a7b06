package linearize

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
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

// Automaton tells histories of an object apart as far as their futures differ. Several
// goroutines may use it at once.
type Automaton struct {
	object Object
	step   func(state, input, output any) (bool, any)

	mu     sync.Mutex
	states map[ID]*state
	steps  map[event]ID
}

// New returns an automaton for the object, which is valid.
func New(o Object) *Automaton {
	a := &Automaton{object: o, step: o.Model.Step, states: map[ID]*state{}, steps: map[event]ID{}}
	if o.Model.StepContext != nil {
		a.step = func(state, input, output any) (bool, any) {
			return o.Model.StepContext(context.Background(), state, input, output)
		}
	}
	first := o.Model.Init()
	a.states[Start] = &state{configurations: []configuration{{state: first, text: a.describe(first)}}}
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

// event is a step of the automaton; text tells inputs and outputs apart.
type event struct {
	from   ID
	kind   eventKind
	number uint8
	text   string
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

// state is a state of the automaton.
type state struct {
	clients Numbers
	// pending are the operations that have not returned, by number; those that are
	// abandoned come first, by text, and have none.
	pending        []operation
	configurations []configuration
}

// operation is one that has not returned.
type operation struct {
	number    uint8
	abandoned bool
	input     any
	text      string
}

// configuration is a way to linearize a history.
type configuration struct {
	state any
	text  string
	// done has for each operation that is pending the output that is foretold, "" if it has
	// not taken effect; gone for one that is abandoned.
	done []string
}

const gone = "!"

// Call begins an operation with a number that no other one has that is pending.
func (a *Automaton) Call(from ID, number uint8, input any) ID {
	return a.follow(event{from, called, number, text(input)}, func(s *state) *state {
		op := operation{number: number, input: input, text: text(input)}
		at := len(s.pending)
		for at > 0 && !s.pending[at-1].abandoned && s.pending[at-1].number > number {
			at--
		}
		next := &state{clients: s.clients, pending: slices.Insert(slices.Clone(s.pending), at, op)}
		for _, c := range s.configurations {
			c.done = slices.Insert(slices.Clone(c.done), at, "")
			next.configurations = append(next.configurations, c)
		}
		return next
	})
}

// Return lets an operation return. The result is Broken if the history is not linearizable.
func (a *Automaton) Return(from ID, number uint8, output any) ID {
	return a.follow(event{from, returned, number, text(output)}, func(s *state) *state {
		at := s.find(number)
		next := &state{clients: s.clients, pending: slices.Delete(slices.Clone(s.pending), at, at+1)}
		for _, c := range a.ending(s, at, output) {
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
			if c.done[at] == "" {
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
		for to < len(next.pending) && next.pending[to].abandoned && next.pending[to].text <= op.text {
			to++
		}
		next.pending = slices.Insert(next.pending, to, op)
		for _, c := range s.configurations {
			done := c.done[at]
			if done != "" {
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
			panic(fmt.Sprintf("a history has more than %d clients", MaxOperations))
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
	return a.follow(event{from: from, kind: collected, text: fmt.Sprint(live)}, func(s *state) *state {
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
		if a.object.Mentions(op.input, client) {
			return true
		}
	}
	for _, c := range s.configurations {
		if a.object.Mentions(c.state, client) {
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
		panic(fmt.Sprintf("a history has more than %d operations that are pending", MaxOperations))
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

// Input returns what a pending operation was called with.
func (a *Automaton) Input(at ID, number uint8) (input any, pending bool) {
	s := a.at(at)
	if k := s.find(number); k >= 0 {
		return s.pending[k].input, true
	}
	return nil, false
}

func (a *Automaton) at(id ID) *state {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.states[id]
}

func (s *state) find(number uint8) int {
	return slices.IndexFunc(s.pending, func(op operation) bool { return !op.abandoned && op.number == number })
}

// follow returns where an event leads to.
func (a *Automaton) follow(e event, make func(*state) *state) ID {
	if e.from == Broken {
		return Broken
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if to, known := a.steps[e]; known {
		return to
	}
	to := a.intern(make(a.states[e.from]))
	a.steps[e] = to
	return to
}

// ending returns the configurations in which the operation at an index has taken effect
// with the output.
func (a *Automaton) ending(s *state, at int, output any) []configuration {
	var ended []configuration
	want := text(output)
	seen := map[string]bool{}
	var visit func(c configuration)
	visit = func(c configuration) {
		key := c.key()
		if seen[key] {
			return
		}
		seen[key] = true
		if len(seen) > maxConfigurations {
			panic(fmt.Sprintf("there are more than %d ways to linearize a history", maxConfigurations))
		}
		if ok, next := a.step(c.state, s.pending[at].input, output); ok {
			ended = append(ended, a.with(c, next, at, want))
		}
		for k := range s.pending {
			op := &s.pending[k]
			if k == at || c.done[k] != "" {
				continue
			}
			for _, o := range a.object.Outputs(c.state, op.input) {
				ok, next := a.step(c.state, op.input, o)
				if !ok {
					continue
				}
				foretold := gone
				if !op.abandoned {
					foretold = text(o)
				}
				visit(a.with(c, next, k, foretold))
			}
		}
	}
	for _, c := range s.configurations {
		if c.done[at] == "" {
			visit(c)
		} else if c.done[at] == want {
			ended = append(ended, c)
		}
	}
	return ended
}

// with returns the configuration after the operation at an index has taken effect.
func (a *Automaton) with(c configuration, next any, at int, foretold string) configuration {
	c.state, c.text = next, a.describe(next)
	c.done = slices.Clone(c.done)
	c.done[at] = foretold
	return c
}

func (a *Automaton) describe(state any) string {
	if a.object.Model.DescribeState != nil {
		return a.object.Model.DescribeState(state)
	}
	return text(state)
}

// key tells configurations of one state of the automaton apart.
func (c *configuration) key() string {
	return fmt.Sprintf("%q%q", c.text, c.done)
}

// intern returns the name of a state. The state is brought into the one form that it has.
func (a *Automaton) intern(s *state) ID {
	s.tidy()
	if len(s.configurations) == 0 {
		return Broken
	}
	var b strings.Builder
	fmt.Fprint(&b, s.clients)
	for _, op := range s.pending {
		fmt.Fprintf(&b, " %d %t %q", op.number, op.abandoned, op.text)
	}
	for i := range s.configurations {
		b.WriteString(s.configurations[i].key())
	}
	h := fnv.New64a()
	h.Write([]byte(b.String()))
	id := ID(h.Sum64())
	if id == Start || id == Broken {
		panic("linearize: a hash is taken")
	}
	if known := a.states[id]; known != nil {
		if !a.same(known, s) {
			panic("linearize: two histories have one name: their states are printed alike and are not equal, or their hashes are equal")
		}
		return id
	}
	a.states[id] = s
	return id
}

// tidy brings the state into its form: of operations that are abandoned and alike those
// come first that have taken effect, one that has in every configuration is forgotten, and
// configurations are sorted, each once.
func (s *state) tidy() {
	for i := range s.configurations {
		done := s.configurations[i].done
		for from := 0; from < len(s.pending) && s.pending[from].abandoned; {
			to := from + 1
			for to < len(s.pending) && s.pending[to].abandoned && s.pending[to].text == s.pending[from].text {
				to++
			}
			slices.SortFunc(done[from:to], func(x, y string) int { return strings.Compare(y, x) })
			from = to
		}
	}
	for k := len(s.pending) - 1; k >= 0; k-- {
		if !s.pending[k].abandoned || slices.ContainsFunc(s.configurations, func(c configuration) bool { return c.done[k] == "" }) {
			continue
		}
		s.pending = slices.Delete(slices.Clone(s.pending), k, k+1)
		for i := range s.configurations {
			s.configurations[i].done = slices.Delete(s.configurations[i].done, k, k+1)
		}
	}
	slices.SortFunc(s.configurations, func(x, y configuration) int { return strings.Compare(x.key(), y.key()) })
	s.configurations = slices.CompactFunc(s.configurations, func(x, y configuration) bool { return x.key() == y.key() })
}

// same reports whether two states are alike.
func (a *Automaton) same(x, y *state) bool {
	alike := slices.EqualFunc(x.pending, y.pending, func(p, q operation) bool {
		return p.number == q.number && p.abandoned == q.abandoned && p.text == q.text
	})
	return alike && x.clients == y.clients && slices.EqualFunc(x.configurations, y.configurations, func(c, d configuration) bool {
		return c.text == d.text && slices.Equal(c.done, d.done) && (a.object.Model.Equal == nil || a.object.Model.Equal(c.state, d.state))
	})
}
