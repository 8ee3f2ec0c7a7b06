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
	Wilson95 = wilson95
)

func (t *table) Find(key []byte) uint32   { return t.insert(key, mix(key)) }
func (t *table) Key(number uint32) []byte { return t.key(number) }

// Together makes workers work together on however few states.
func (o *Options) Together() { o.together = 1 }
