package scheduler

import (
	"lockstep/model"
)

// Learner is the automaton of a search, for tests outside of this package.
type Learner struct{ l *learner }

// Origin is how a local state is reached: by an observation in another one, or
// as the start of its program.
type Origin struct {
	Program model.ProgramID
	Start   bool
	From    model.LocalID
	By      model.Observation
}

// Origin returns the last step of the first history of a local state.
func (l Learner) Origin(id model.LocalID) Origin {
	s := &l.l.locals[id]
	return Origin{s.program, s.start, s.from, s.by}
}

// Spawned returns where a program is spawned: after which step, and by the which
// mark of it. It is false for the programs of roles.
func (l Learner) Spawned(p model.ProgramID) (at Origin, mark int, ok bool) {
	q := &l.l.programs[p]
	return Origin{q.spawn.program, q.spawn.start, q.spawn.from, q.spawn.by}, q.spawn.mark, q.spawned
}

// Keys returns store and key by number.
func (l Learner) Keys() []string {
	var names []string
	for _, k := range l.l.keys {
		names = append(names, k.store+"/"+k.key)
	}
	return names
}

// Result returns the value that stands for a class of results.
func (l Learner) Result(class uint16) any { return l.l.classes[class].value }

// Visit makes a search with the options call visit for each state that it
// stores.
func (o *Options) Visit(visit func(s *model.State, l Learner)) {
	o.visit = func(s *model.State, l *learner) { visit(s, Learner{l}) }
}
