package linearize

import (
	"fmt"
	"slices"
)

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
	input     *value
}

// configuration is a way to linearize a history.
type configuration struct {
	state *value
	// done has for each operation that is pending the output that is foretold, nil if it has
	// not taken effect; gone for one that is abandoned.
	done []*value
}

// gone is foretold where nobody will ask.
var gone = &value{text: "gone", hash: hashOf("gone")}

// ending returns the configurations in which the operation at an index has taken effect
// with the output.
func (a *Automaton) ending(s *state, at int, output *value) []configuration {
	var ended []configuration
	seen := map[uint64]configuration{}
	var visit func(c configuration)
	visit = func(c configuration) {
		h := c.hash()
		if known, is := seen[h]; is {
			if compare(&known, &c) != 0 {
				panic(collision)
			}
			return
		}
		seen[h] = c
		if len(seen) > maxConfigurations {
			panic(TooMuch(fmt.Sprintf("there are more than %d ways to linearize a history: bound how many operations can be lost", maxConfigurations)))
		}
		if ok, next := a.step(c.state.is, s.pending[at].input.is, output.is); ok {
			ended = append(ended, a.with(c, next, at, output))
		}
		for k := range s.pending {
			op := &s.pending[k]
			if k == at || c.done[k] != nil {
				continue
			}
			for _, o := range a.object.Outputs(c.state.is, op.input.is) {
				ok, next := a.step(c.state.is, op.input.is, o)
				if !ok {
					continue
				}
				foretold := gone
				if !op.abandoned {
					foretold = a.values.of(o)
				}
				visit(a.with(c, next, k, foretold))
			}
		}
	}
	for _, c := range s.configurations {
		switch c.done[at] {
		case nil:
			visit(c)
		case output:
			ended = append(ended, c)
		}
	}
	return ended
}

// with returns the configuration after the operation at an index has taken effect.
func (a *Automaton) with(c configuration, next any, at int, foretold *value) configuration {
	c.state = a.values.state(next)
	c.done = slices.Clone(c.done)
	c.done[at] = foretold
	return c
}

const collision = "linearize: two histories have one name: their states are printed alike and are not equal, or their hashes are equal"

// intern returns the name of a state. The state is brought into the one form that it has.
func (a *Automaton) intern(s *state) ID {
	s.tidy()
	if len(s.configurations) == 0 {
		return Broken
	}
	h := seed.with(s.clients[0]).with(s.clients[1])
	for _, op := range s.pending {
		h = h.with(uint64(op.number)).with(op.input.hash)
		if op.abandoned {
			h = h.with(1)
		}
	}
	for i := range s.configurations {
		h = h.with(s.configurations[i].hash())
	}
	id := ID(h)
	known := a.states[id]
	switch {
	case id == Start, id == Broken, known != nil && !known.same(s):
		panic(collision)
	case known == nil:
		a.states[id] = s
	}
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
			for to < len(s.pending) && s.pending[to].abandoned && s.pending[to].input == s.pending[from].input {
				to++
			}
			slices.SortFunc(done[from:to], func(x, y *value) int { return -x.compare(y) })
			from = to
		}
	}
	for k := len(s.pending) - 1; k >= 0; k-- {
		if !s.pending[k].abandoned || slices.ContainsFunc(s.configurations, func(c configuration) bool { return c.done[k] == nil }) {
			continue
		}
		s.pending = slices.Delete(slices.Clone(s.pending), k, k+1)
		for i := range s.configurations {
			s.configurations[i].done = slices.Delete(s.configurations[i].done, k, k+1)
		}
	}
	order := func(x, y configuration) int { return compare(&x, &y) }
	slices.SortFunc(s.configurations, order)
	s.configurations = slices.CompactFunc(s.configurations, func(x, y configuration) bool { return order(x, y) == 0 })
}

// compare orders configurations, the same way in every search.
func compare(c, d *configuration) int {
	if o := c.state.compare(d.state); o != 0 {
		return o
	}
	return slices.CompareFunc(c.done, d.done, (*value).compare)
}

func (c *configuration) hash() uint64 {
	h := seed.with(c.state.hash)
	for _, d := range c.done {
		if d == nil {
			h = h.with(0)
		} else {
			h = h.with(d.hash)
		}
	}
	return uint64(h)
}

// same reports whether two states are alike.
func (s *state) same(other *state) bool {
	return s.clients == other.clients && slices.Equal(s.pending, other.pending) &&
		slices.EqualFunc(s.configurations, other.configurations, func(c, d configuration) bool {
			return c.state == d.state && slices.Equal(c.done, d.done)
		})
}
