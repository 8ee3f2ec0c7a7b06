package scheduler

import (
	"fmt"
	"math"

	"lockstep/model"
)

// notDue is a time that does not come, in ns.
const notDue int64 = math.MaxInt64

// shapeID numbers shapes.
type shapeID uint32

// shape is what many processes of a simulation have in common: everything that the rules of
// the world know of a process but where it is, what its tokens, flights and clocks are, and
// time. Processes of one shape do the same. The n-th different token or flight that the
// process refers to has the number n there, and a clock of a register the number n+1; each
// process says which these are.
type shape struct {
	process model.Process
	// operation is the one that the process has issued; nil before its arrival.
	operation *model.Operation
	// references is how many tokens, flights and clocks of registers it refers to.
	references uint8
	// intercepted are the faults that may strike the operation, each as a bit.
	intercepted uint8
	// tokensOnly: it refers to nothing but tokens.
	tokensOnly bool
	// quiet is what the next step of such a process is, if that concerns nobody else.
	quiet quiet
	// cycles: such a process goes on in a circle as long as what is in seen does not change.
	// That was found out when the world had changed so often as checked says.
	checked uint64
	cycles  bool
	seen    dependency
}

// shapes are all the shapes that were met.
type shapes struct {
	list []shape
	ids  map[model.Process]shapeID
	// intercepted returns the faults that may strike an operation, each as a bit.
	intercepted func(*model.Operation) uint8
	// whole: the simulation is.
	whole bool
}

func newShapes(intercepted func(*model.Operation) uint8) shapes {
	return shapes{ids: map[model.Process]shapeID{}, intercepted: intercepted}
}

// of returns the shape of a process, whose references have been numbered.
func (s *shapes) of(p *model.Process, a model.Automaton) (shapeID, error) {
	id, known := s.ids[*p]
	if known {
		return id, nil
	}
	id = shapeID(len(s.list))
	next := shape{process: *p, tokensOnly: true}
	if p.Phase != model.Waiting {
		op := *a.Operation(p.Local)
		next.operation = &op
		if err := followed(&op, s.whole); err != nil {
			return 0, err
		}
		next.intercepted = s.intercepted(&op)
	}
	highest := -1
	for _, r := range p.Held() {
		switch {
		case r.Clock != model.NoClock:
			highest, next.tokensOnly = max(highest, int(r.Clock)-1), false
		case r.Kind == model.KindToken:
			highest = max(highest, int(r.N))
		case r.Kind == model.KindFlight:
			highest, next.tokensOnly = max(highest, int(r.N)), false
		case r.Kind == model.KindTask || r.Kind == model.KindDeadline:
			next.tokensOnly = false
		}
	}
	next.references = uint8(highest + 1)
	s.list = append(s.list, next)
	s.ids[*p] = id
	return id, nil
}

// followed returns why a process that has issued an operation cannot be followed by a simulation
// that is whole or is not, nil if it can.
func followed(op *model.Operation, whole bool) error {
	reason := ""
	switch op.Kind {
	case model.BlockingPop, model.Publish, model.StartWatch, model.EndWatch, model.AwaitWatch:
		reason = "processes that tell each other of changes"
	case model.WaitReplicas:
		reason = "replicas"
	case model.StoreTime, model.TakeStamp, model.ReadStamp, model.GetStamped:
		reason = "times that are written down"
	case model.SourceWrite, model.SourceCommit, model.SourceRollback:
		reason = "transactions of the source"
	case model.StartContext, model.EndContext, model.ReadContext:
		reason = "contexts"
	}
	switch {
	case (op.Kind == model.Sleep || op.Kind == model.Compute) && op.Max == model.Forever:
		return &ScenarioError{Err: fmt.Errorf("%s:%d: %s: a simulation does not follow waits of at least so long: it does not know how much longer they take; lockstep check explores the protocol", op.Source.File, op.Source.Line, op.Kind)}
	case whole:
		return nil
	case reason != "":
	case op.Session != 0:
		reason = "sessions"
	case op.Stamp != 0:
		reason = "times that are written down"
	case op.Patience > 0 || op.Context != model.NoContext:
		reason = "operations that are given up"
	default:
		return nil
	}
	return &wholeError{op.Source, op.Kind, reason}
}

// dependency is what a step depends on besides its process, a bit each: the entries under
// the keys, and what follows.
type dependency uint32

const (
	onSource dependency = 1 << (model.MaxKeys + iota)
	onStores
	dependencies = model.MaxKeys + iota
)

// quiet is a step of which the world keeps no trace: only its process goes on. All
// processes of a shape take the same one as long as what it depends on stays as it is.
type quiet struct {
	// version is that of the world for which it was found out, 0 for none, on what it depends.
	version uint64
	on      uint8
	next    shapeID
	timer   timer
	move    model.MoveKind
	kind    model.OperationKind
	// uses is the store that is used, as a bit.
	uses uint16
	// observation is what the process observes.
	observation model.Observation
	answer      model.Answer
	// command: it is a command of a request to a store. reads: a rebuild starts.
	command, reads, ended, arrives bool
	// loops: the process comes to a place to which it may come again.
	loops bool
	// restarts: the process starts over.
	restarts bool
	// rebuilding is by how much more rebuilds are under way afterwards.
	rebuilding int8
	// references are those of the process afterwards: its own by number, or -1 for a token
	// that is new.
	count      uint8
	references [model.MaxRegisters]int8
}

// timer says when a process takes its next step.
type timer struct {
	kind        timerKind
	least, span int64 // ns
	// patience is after how long the process gives up, in ns, 0 for never.
	patience int64
	// by is by what the time is measured.
	by uint8
	// starts: its clock starts.
	starts bool
	// fault is the one by which a request is late.
	fault uint8
}

type timerKind uint8

const (
	// anyTimeWithin: any time within a range, each as likely as any other.
	anyTimeWithin timerKind = iota
	// blocked: when something happens for which it waits.
	blockedTimer
	// latencyTimer and computeTimer: after a time that is drawn from the distribution for
	// that.
	latencyTimer
	computeTimer
	// lateTimer: after a time that is drawn from the distribution of a fault.
	lateTimer
	// keptTimer: when it would have, anyway.
	keptTimer
)
