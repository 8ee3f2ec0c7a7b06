package scheduler

import (
	"errors"
	"fmt"
	"slices"

	"lockstep/model"
	"lockstep/protocol"
)

// audit runs all that was learned once more, in other company: a process whose
// checkpoint was reached by another history, a spawned process whose parent has
// run on, a parent whose spawned processes have run on. Code that keeps the rules
// does the same every time.
func (l *learner) audit() error {
	for id := range l.locals {
		for _, e := range l.locals[id].edges {
			if err := l.auditEdge(model.LocalID(id), e); err != nil {
				return err
			}
		}
	}
	for id := range l.locals {
		if l.locals[id].checkpoint {
			if err := l.auditLoops(model.LocalID(id)); err != nil {
				return err
			}
		}
	}
	for p := range l.programs {
		if l.programs[p].spawned && l.programs[p].start != nil {
			if err := l.again(l.programs[p].call, func(x *execution) (protocol.Call, error) {
				x.parentRunsOn = true
				return x.begin(model.ProgramID(p))
			}, sharedVariable); err != nil {
				return err
			}
		}
	}
	// A goroutine that protocol code has started may have been late.
	if err := l.world.Err(); err != nil {
		return &ProtocolError{err}
	}
	return nil
}

func (l *learner) auditEdge(id model.LocalID, e learned) error {
	follow := func(prepare func(x *execution), second bool) func(x *execution) (protocol.Call, error) {
		return func(x *execution) (protocol.Call, error) {
			prepare(x)
			return x.follow(id, e.observation, second)
		}
	}
	if err := l.again(e.call, follow(func(*execution) {}, false), likelyCauses); err != nil {
		return err
	}
	if l.hasSecondHistory(id) {
		err := l.again(e.call, follow(func(*execution) {}, true),
			"two runs that meet at a Checkpoint with equal locals part afterwards; most likely a local on which the future depends is missing from the Checkpoint")
		if err != nil {
			return err
		}
	}
	if l.programs[l.locals[id].program].spawned {
		if err := l.again(e.call, follow(func(x *execution) { x.parentRunsOn = true }, false), sharedVariable); err != nil {
			return err
		}
	}
	if l.spawnsBefore(id) {
		return l.again(e.call, follow(func(x *execution) { x.childrenRunOn = true }, false), sharedVariable)
	}
	return nil
}

// rounds is how often a loop through a checkpoint is run in an audit.
const rounds = 50

// auditLoops runs each loop that leads back to the checkpoint many times over: a
// counter that the checkpoint does not name shows itself only after some rounds.
func (l *learner) auditLoops(id model.LocalID) error {
	for _, first := range l.locals[id].edges {
		loop := l.wayBack(id, first)
		if loop == nil {
			continue
		}
		_, err := l.execute(func(x *execution) (protocol.Call, error) {
			path := l.path(id, false)
			for range rounds {
				path = append(path, loop...)
			}
			return x.along(l.locals[id].program, path, -1)
		})
		if err != nil {
			var broken *ProtocolError
			if errors.As(err, &broken) {
				err = broken.Err
			}
			return &ProtocolError{Err: fmt.Errorf("%s:%d: after some rounds the loop through this Checkpoint goes on in another way; most likely a local on which the future depends is missing from the Checkpoint, a counter for example (%w)", l.locals[id].place.File, l.locals[id].place.Line, err)}
		}
	}
	return nil
}

// wayBack returns the shortest known way that leaves the local state by the edge
// and comes back to it, nil if there is none.
func (l *learner) wayBack(id model.LocalID, first learned) []pathStep {
	came := map[model.LocalID]pathStep{first.edge.To: {id, first.observation}}
	queue := []model.LocalID{first.edge.To}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == id {
			back := []pathStep{came[id]}
			for s := back[0]; s.from != id; back = append(back, s) {
				s = came[s.from]
			}
			slices.Reverse(back)
			return back
		}
		for _, e := range l.locals[at].edges {
			// Starting over leads nowhere that a single run could follow.
			if _, seen := came[e.edge.To]; !seen && !restarts(e.edge) {
				came[e.edge.To] = pathStep{at, e.observation}
				queue = append(queue, e.edge.To)
			}
		}
	}
	return nil
}

func restarts(e *model.Edge) bool {
	return slices.ContainsFunc(e.Marks, func(m model.Mark) bool { return m.Kind == model.MarkRestart })
}

const sharedVariable = "a spawned process and its parent share a variable; pass values and tokens as they were at Go, and results through Wait"

// again makes an execution and compares what comes out with the call that is
// known.
func (l *learner) again(known protocol.Call, run func(*execution) (protocol.Call, error), cause string) error {
	call, err := l.execute(run)
	if err != nil {
		return err
	}
	if call.Signature() != known.Signature() {
		return parted(known, call, cause)
	}
	return nil
}

// hasSecondHistory reports whether a checkpoint on the way to the local state was
// reached by two histories.
func (l *learner) hasSecondHistory(id model.LocalID) bool {
	for {
		s := &l.locals[id]
		if s.checkpoint {
			return s.hasSecond
		}
		if s.start {
			return false
		}
		id = s.from
	}
}

// spawnsBefore reports whether the process has spawned others on its way to the
// local state.
func (l *learner) spawnsBefore(id model.LocalID) bool {
	for {
		s := &l.locals[id]
		for i := range s.call.Marks {
			if s.call.Marks[i].Kind == model.MarkSpawn {
				return true
			}
		}
		if s.start {
			return false
		}
		id = s.from
	}
}

// maxRunOn is how far a process is run on in an audit.
const maxRunOn = 60

// runOn lets a process, which has just made the call that belongs to the local
// state, go on along what is known.
func (x *execution) runOn(run *protocol.Run, id model.LocalID) error {
	for range maxRunOn {
		edges := x.l.locals[id].edges
		if len(edges) == 0 {
			return nil
		}
		// The last one learned tends to be the one that leads on: polls end.
		e := edges[len(edges)-1]
		call, err := x.next(run, x.reply(e.observation))
		if err != nil || call.Kind == model.Return {
			return err
		}
		id = e.edge.To
	}
	return nil
}

// runParentOn lets a process that is suspended where it has spawned another go on
// along what is known.
func (x *execution) runParentOn(run *protocol.Run, at spawnPoint) error {
	call, err := x.next(run, protocol.Reply{})
	if err != nil || call.Kind == model.Return {
		return err
	}
	return x.runOn(run, x.l.target(at))
}

// spawned lets the processes that a call has spawned run on.
func (x *execution) spawned(at spawnPoint, call protocol.Call) error {
	for i := range call.Marks {
		at.mark = i
		p, known := x.l.children[at]
		if call.Marks[i].Kind != model.MarkSpawn || !known || x.l.programs[p].start == nil {
			continue
		}
		run := call.Marks[i].Child(x.world, p)
		x.runs = append(x.runs, run)
		if first, err := x.next(run, protocol.Reply{}); err != nil || first.Kind == model.Return {
			if err != nil {
				return err
			}
			continue
		}
		if err := x.runOn(run, x.l.programs[p].start.To); err != nil {
			return err
		}
	}
	return nil
}
