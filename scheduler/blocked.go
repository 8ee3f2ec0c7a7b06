package scheduler

import (
	"fmt"
	"slices"

	"lockstep/model"
)

// Blocked says why no run goes on with the next event of a log.
type Blocked struct {
	// Event is its number, from 0; that of events is the end of the log, until which a run is
	// bound to do more than the log has.
	Event int
	// Instead is what the node of the event can do there in some run, if it can do anything.
	Instead []Alternative
}

// Alternative is an operation that a log would show, and which a run can do where it can go on no
// more.
type Alternative struct {
	// Text says what the process does, Source is the line that does it.
	Text   string
	Source model.Source
	// Fits: it is the event, at another time. Between is when it could take effect.
	Fits    bool
	Between Between
}

// maxAlternatives is how many of them are told.
const maxAlternatives = 6

// blocked finds out what the runs that have come furthest could do.
func (x *explainer) blocked() *Blocked {
	b := &Blocked{Event: x.matched}
	node := -1
	if x.matched < len(x.log.Events) {
		node = x.log.Events[x.matched].Node
	}
	for _, id := range x.furthest {
		x.alternatives(id, node, b)
	}
	slices.SortStableFunc(b.Instead, func(a, c Alternative) int {
		switch {
		case a.Fits != c.Fits && a.Fits:
			return -1
		case a.Fits != c.Fits:
			return 1
		}
		return int(a.Between.Least - c.Between.Least)
	})
	if len(b.Instead) > maxAlternatives {
		b.Instead = b.Instead[:maxAlternatives]
	}
	return b
}

// alternatives adds what the node can do in a stored state, any node for -1.
func (x *explainer) alternatives(id uint32, node int, b *Blocked) {
	e := x.expander
	r := x.states.at(id)
	e.from.Decode(x.table.key(r.key), x.nodes(), x.memory)
	e.from.Left = r.left
	e.before.Load(int(r.zone.dim), x.zones.get(r.zone))
	e.moves.Reset(e.clocks.look(e.rules, &e.from, &e.before))
	e.rules.Moves(&e.from, &e.moves)
	for i := range e.moves.List {
		move := &e.moves.List[i]
		if move.Kind != model.MoveEffect {
			continue
		}
		p := &e.from.Processes[move.Index]
		op := e.rules.Automaton.Operation(p.Local)
		if node >= 0 && int(p.Node) != node || !op.OnStore() && op.Kind != model.SourceRead {
			continue
		}
		z := e.guard(move)
		if z == nil {
			continue
		}
		room := x.room(z, e.from.Since[0])
		e.to.Copy(&e.from)
		if e.rules.Apply(&e.to, move, &e.event) != nil || !e.event.Reached {
			continue
		}
		d := x.observer.deedOf(op, &e.event)
		if !x.log.Sees(d) {
			continue
		}
		a := Alternative{Text: fmt.Sprintf("%s %s", deedName(op), d.Key), Source: op.Source, Between: room}
		if x.matched < len(x.log.Events) {
			a.Fits = x.log.Events[x.matched].Fits(d)
		}
		b.add(a)
	}
}

// add adds an alternative, once for each line.
func (b *Blocked) add(a Alternative) {
	for i := range b.Instead {
		if known := &b.Instead[i]; known.Text == a.Text && known.Source == a.Source && known.Fits == a.Fits {
			known.Between = known.Between.hull(a.Between)
			return
		}
	}
	b.Instead = append(b.Instead, a)
}

func deedName(op *model.Operation) string {
	switch {
	case op.Mode&model.IfAbsent != 0:
		return "SetNX"
	case op.Mode&model.IfPresent != 0:
		return "SetXX"
	}
	return op.Kind.String()
}
