package scheduler

import (
	"fmt"

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
	for p := range l.programs {
		if l.programs[p].spawned && l.programs[p].start != nil {
			if err := l.again(l.programs[p].first, func(x *execution) (protocol.Call, error) {
				x.parentRunsOn = true
				return x.begin(model.ProgramID(p))
			}, sharedVariable); err != nil {
				return err
			}
		}
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
	if err := l.again(e.signature, follow(func(*execution) {}, false), likelyCauses); err != nil {
		return err
	}
	if l.hasSecondHistory(id) {
		err := l.again(e.signature, follow(func(*execution) {}, true),
			"two runs that meet at a Checkpoint with equal locals part afterwards; most likely a local on which the future depends is missing from the Checkpoint")
		if err != nil {
			return err
		}
	}
	if l.programs[l.locals[id].program].spawned {
		if err := l.again(e.signature, follow(func(x *execution) { x.parentRunsOn = true }, false), sharedVariable); err != nil {
			return err
		}
	}
	if l.spawnsBefore(id) {
		return l.again(e.signature, follow(func(x *execution) { x.childrenRunOn = true }, false), sharedVariable)
	}
	return nil
}

const sharedVariable = "a spawned process and its parent share a variable; pass values and tokens as they were at Go, and results through Wait"

// again makes an execution and compares what comes out with the signature.
func (l *learner) again(signature string, run func(*execution) (protocol.Call, error), cause string) error {
	call, err := l.execute(run)
	if err != nil {
		return err
	}
	if got := call.Signature(); got != signature {
		return &ProtocolError{Err: fmt.Errorf("%s: the same process does this in one run and something else in another; %s", call.Describe(), cause)}
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
		call, err := run.Next(x.reply(e.observation))
		if err != nil || call.Kind == model.Return {
			return err
		}
		id = e.edge.To
	}
	return nil
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
		if first, err := run.Next(protocol.Reply{}); err != nil || first.Kind == model.Return {
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
