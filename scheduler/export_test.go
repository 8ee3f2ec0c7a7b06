package scheduler

import "lockstep/model"

// For external tests, which may import checks and faults.

// Visit returns the options with a function that is called for each stored state.
func Visit(o Options, visit func(s *model.State, rules *model.Rules)) Options {
	o.visit = func(s *model.State, l *learner) { visit(s, &model.Rules{Automaton: l}) }
	return o
}

var (
	NewTable = newTable
	Roundest = roundest
)

func (t *table) Find(key []byte) uint32   { return t.find(key) }
func (t *table) Key(number uint32) []byte { return t.key(number) }
