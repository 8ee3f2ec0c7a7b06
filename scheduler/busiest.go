package scheduler

import (
	"cmp"
	"slices"

	"lockstep/model"
)

// LineStats tells how much of the search belongs to a line of protocol code.
type LineStats struct {
	Source model.Source
	// Locals is the number of local states in which a process is about to do
	// what the line says, States that of stored states in which some process is.
	Locals int
	States int64
}

// busiest returns the lines with the most states, the ten busiest first.
func (x *explorer) busiest() []LineStats {
	byLine := map[model.Source]*LineStats{}
	line := func(l model.LocalID) *LineStats {
		source := x.learner.locals[l].operation.Source
		s := byLine[source]
		if s == nil {
			s = &LineStats{Source: source}
			byLine[source] = s
		}
		return s
	}
	for l := range x.learner.locals {
		if x.learner.locals[l].operation.Kind != model.Return {
			line(model.LocalID(l)).Locals++
		}
	}
	perKey := make([]int64, x.table.keys.len())
	for i := range uint32(x.states.len()) {
		perKey[x.states.at(i).key]++
	}
	for k, count := range perKey {
		x.from.Decode(x.table.key(uint32(k)), x.nodes(), x.memory)
		for i := range x.from.Processes {
			if p := &x.from.Processes[i]; p.Active() {
				line(p.Local).States += count
			}
		}
	}
	var all []LineStats
	for _, s := range byLine {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b LineStats) int {
		return cmp.Or(cmp.Compare(b.States, a.States), cmp.Compare(a.Source.File, b.Source.File), cmp.Compare(a.Source.Line, b.Source.Line))
	})
	return all[:min(len(all), 10)]
}
