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

// Spawned returns where a program is spawned: in which step, and how many others
// that step spawns before it. It is false for the programs of roles.
func (l Learner) Spawned(p model.ProgramID) (at Origin, before int, ok bool) {
	q := &l.l.programs[p]
	if !q.spawned {
		return Origin{}, 0, false
	}
	edge := l.l.programs[q.spawn.program].start
	if !q.spawn.start {
		edge, _ = l.l.Next(q.spawn.from, q.spawn.by)
	}
	for _, m := range edge.Marks[:q.spawn.mark] {
		if m.Kind == model.MarkSpawn {
			before++
		}
	}
	return Origin{q.spawn.program, q.spawn.start, q.spawn.from, q.spawn.by}, before, true
}

// Keys returns store and key by number.
func (l Learner) Keys() []string {
	var names []string
	for _, k := range l.l.keys {
		names = append(names, k.store+"/"+k.key)
	}
	return names
}

// Memory returns what is in the memory of a node, by number.
func (l Learner) Memory() []string { return l.l.memory }

// Result returns the value that stands for a class of results.
func (l Learner) Result(class uint16) any { return l.l.classes[class].value }

// Visit makes a search with the options call visit for each state that it
// stores.
func (o *Options) Visit(visit func(s *model.State, l Learner)) {
	o.visit = func(s *model.State, l *learner) { visit(s, Learner{l}) }
}
