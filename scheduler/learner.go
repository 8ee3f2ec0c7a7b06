package scheduler

import (
	"fmt"
	"hash/fnv"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// maxHistory is how many operations a process may do between its start (or a
// checkpoint) and its end.
const maxHistory = 400

// maxLocals is how many different locals a checkpoint may be met with.
const maxLocals = 200

// learner learns protocol code as an automaton: it is the model.Automaton of a
// search. A process is deterministic, so what it does next is a function of what
// it has observed. Where that is not known yet, the process is run alone from
// its start through its history; from then on the move is a look-up.
type learner struct {
	codes    []code // by variant
	tick     model.Tick
	latency  model.Range
	patience time.Duration

	world    *protocol.World
	locals   []local
	programs []program
	classes  []class
	keys     []storeKey               // of the stores
	memory   []string                 // keys of the memory of nodes
	points   map[string]model.LocalID // checkpoints by program, place and locals
	met      map[model.Source]int     // the number of different locals by place
	children map[spawnPoint]model.ProgramID
	runs     int
}

// code is what a variant of the protocol does, by role.
type code [4]func(*protocol.Client) any

// local is a local state: how one gets there, and what the process does there.
type local struct {
	program   model.ProgramID
	operation model.Operation
	call      protocol.Call
	signature string
	rank      uint64
	depth     int
	// from and by are the last step of the history: a local state and what was
	// observed there. A state in which a program starts has none.
	from  model.LocalID
	by    model.Observation
	start bool
	// A checkpoint has a second history, if one was met.
	checkpoint  bool
	place       model.Source
	hasSecond   bool
	secondFrom  model.LocalID
	secondBy    model.Observation
	secondStart bool
	edges       []learned
	scripts     map[model.ScriptInput]*model.ScriptRun
}

type learned struct {
	observation model.Observation
	edge        *model.Edge
	signature   string
	call        protocol.Call
}

// program is code that a process runs.
type program struct {
	// A spawned program comes from the mark-th mark of the edge that leaves
	// parent by an observation, or with which the parent's program starts.
	spawn   spawnPoint
	spawned bool
	start   *model.Edge
	first   string // signature of the first call
	call    protocol.Call
	rank    uint64
}

type spawnPoint struct {
	program model.ProgramID
	start   bool
	from    model.LocalID
	by      model.Observation
	mark    int
}

// class is a result that a process can return.
type class struct {
	text  string
	value any
}

func newLearner(codes []code, w *protocol.World, tick model.Tick, latency model.Range, patience time.Duration) *learner {
	l := &learner{
		codes: codes, tick: tick, latency: latency, patience: patience,
		world:    w,
		points:   make(map[string]model.LocalID),
		met:      make(map[model.Source]int),
		children: make(map[spawnPoint]model.ProgramID),
	}
	for n := range model.RolePrograms(len(codes)) {
		l.programs = append(l.programs, program{rank: uint64(n + 1)})
	}
	return l
}

func (l *learner) Operation(id model.LocalID) *model.Operation { return &l.locals[id].operation }

func (l *learner) Rank(id model.LocalID) uint64 { return l.locals[id].rank }

func (l *learner) Next(id model.LocalID, o model.Observation) (*model.Edge, error) {
	if e := l.known(id, o); e != nil {
		return e.edge, nil
	}
	return l.learn(id, o)
}

// known returns what was learned of the observation, nil if that is nothing.
func (l *learner) known(id model.LocalID, o model.Observation) *learned {
	edges := l.locals[id].edges
	for i := range edges {
		if edges[i].observation == o {
			return &edges[i]
		}
	}
	return nil
}

func (l *learner) Start(p model.ProgramID) (*model.Edge, error) {
	if edge := l.programs[p].start; edge != nil {
		return edge, nil
	}
	call, err := l.twice(func(x *execution) (protocol.Call, error) { return x.begin(p) })
	if err != nil {
		return nil, err
	}
	point := spawnPoint{program: p, start: true}
	edge, err := l.intern(p, point, call)
	if err != nil {
		return nil, err
	}
	l.programs[p].first, l.programs[p].call = call.Signature(), call
	l.programs[p].start = edge
	return edge, nil
}

// learn runs the process to what it does after observing o.
func (l *learner) learn(id model.LocalID, o model.Observation) (*model.Edge, error) {
	from := &l.locals[id]
	if from.depth >= maxHistory {
		return nil, &ProtocolError{Err: fmt.Errorf("%s:%d: a process has done %d operations without end; let an endless loop mark its head with Checkpoint, or end a try with protocol.Again",
			from.call.Source.File, from.call.Source.Line, maxHistory)}
	}
	call, err := l.twice(func(x *execution) (protocol.Call, error) { return x.follow(id, o, false) })
	if err != nil {
		return nil, err
	}
	edge, err := l.intern(from.program, spawnPoint{program: from.program, from: id, by: o}, call)
	if err != nil {
		return nil, err
	}
	l.locals[id].edges = append(l.locals[id].edges, learned{o, edge, call.Signature(), call})
	return edge, nil
}

// intern makes the edge to the local state in which the process makes the call.
func (l *learner) intern(p model.ProgramID, at spawnPoint, call protocol.Call) (*model.Edge, error) {
	edge := &model.Edge{}
	last := -1
	for i := range call.Marks {
		m := &call.Marks[i]
		mark := model.Mark{Kind: m.Kind, Register: m.Register, Keep: m.Keep, Context: m.Context, Detached: m.Detached, Source: m.Source}
		switch m.Kind {
		case model.MarkAcquired, model.MarkReleasing:
			key, err := l.key(m.Store, m.Key, m.Source)
			if err != nil {
				return nil, err
			}
			mark.Key = key
		case model.MarkSpawn:
			point := at
			point.mark = i
			mark.Program = l.child(point)
		case model.MarkKeep:
			last = i
		}
		edge.Marks = append(edge.Marks, mark)
	}
	if call.Again {
		if at.start {
			return nil, &ProtocolError{Err: fmt.Errorf("%s:%d: a request answers Again before it has done any operation: it would never end", call.Source.File, call.Source.Line)}
		}
		start, err := l.Start(p)
		if err != nil {
			return nil, err
		}
		edge.Marks = append(append(edge.Marks, model.Mark{Kind: model.MarkRestart, Source: call.Source}), start.Marks...)
		edge.To = start.To
		return edge, nil
	}
	if last >= 0 {
		return edge, l.meet(edge, p, at, call, call.Marks[last])
	}
	return edge, l.add(edge, p, at, call, l.rankOf(p, at))
}

// meet leads the edge to the local state of a checkpoint.
func (l *learner) meet(edge *model.Edge, p model.ProgramID, at spawnPoint, call protocol.Call, m protocol.Mark) error {
	place := fmt.Sprintf("%d %s:%d %s", p, m.Source.File, m.Source.Line, m.Locals)
	id, known := l.points[place]
	if !known {
		if err := l.add(edge, p, at, call, hash(l.programs[p].rank, place)); err != nil {
			return err
		}
		l.points[place] = edge.To
		if l.met[m.Source]++; l.met[m.Source] > maxLocals {
			return &ProtocolError{Err: fmt.Errorf("%s:%d: this Checkpoint has been met with %d different locals; does a number among them grow without end?", m.Source.File, m.Source.Line, maxLocals)}
		}
		l.locals[edge.To].checkpoint, l.locals[edge.To].place = true, m.Source
		l.locals[edge.To].depth = 0
		return nil
	}
	point := &l.locals[id]
	edge.To = id
	if after(point.call, m) != after(call, m) {
		return checkpointError(m, point.call, call)
	}
	if !point.hasSecond {
		point.hasSecond = true
		point.secondFrom, point.secondBy, point.secondStart = at.from, at.by, at.start
	}
	return nil
}

// after is what the call does from the checkpoint on.
func after(c protocol.Call, checkpoint protocol.Mark) string {
	for i := len(c.Marks) - 1; i >= 0; i-- {
		if c.Marks[i].Kind == model.MarkKeep {
			c.Marks = c.Marks[i+1:]
			break
		}
	}
	return c.Signature()
}

func checkpointError(m protocol.Mark, a, b protocol.Call) error {
	return &ProtocolError{Err: fmt.Errorf("%s:%d: two runs that meet at this Checkpoint with equal locals part afterwards (%s, and %s); most likely a local on which the future depends is missing from the Checkpoint",
		m.Source.File, m.Source.Line, a.Describe(), b.Describe())}
}

// add makes a new local state and leads the edge to it.
func (l *learner) add(edge *model.Edge, p model.ProgramID, at spawnPoint, call protocol.Call, rank uint64) error {
	op, err := l.operation(call)
	if err != nil {
		return err
	}
	depth := 0
	if !at.start {
		depth = l.locals[at.from].depth + 1
	}
	edge.To = model.LocalID(len(l.locals))
	l.locals = append(l.locals, local{
		program: p, operation: op, call: call, signature: call.Signature(), rank: rank, depth: depth,
		from: at.from, by: at.by, start: at.start,
	})
	return nil
}

// operation converts a call to ticks and numbers.
func (l *learner) operation(call protocol.Call) (model.Operation, error) {
	op := model.Operation{Kind: call.Kind, Arg: call.Argument(), Mode: call.Mode, Store: storeID(call.Store), Local: call.Local(), Stamp: call.Stamp(), Source: call.Source, Results: call.Results, OrStart: call.OrStart, Answer: call.Answer, Abnormal: call.Abnormal, Fatal: call.Fatal, Context: call.Context, Detached: call.Detached}
	var err error
	ticks := func(d time.Duration) model.Ticks {
		if d == model.Unbounded {
			return model.Forever
		}
		if !l.tick.Fits(d) {
			err = &finerTick{l.tick.With(d)}
			return 0
		}
		t, e := l.tick.Ticks(d)
		if e != nil && err == nil {
			err = &ProtocolError{Err: fmt.Errorf("%s:%d: %w", call.Source.File, call.Source.Line, e)}
		}
		return t
	}
	switch {
	case call.Kind == model.Return, call.Kind == model.ResolveFlight:
		op.Class, err = l.class(call.Text, call.Result)
	case call.Kind == model.Choose:
		op.Class = uint16(call.Among)
	case op.Remote():
		op.Min, op.Max, op.Patience = ticks(l.latency.Min), ticks(l.latency.Max), ticks(call.Patience)
	default:
		op.Min, op.Max = ticks(call.Span.Min), ticks(call.Span.Max)
	}
	if call.Kind == model.WaitReplicas {
		op.Class = uint16(call.Among)
	}
	if call.TTL > 0 {
		op.TTL = ticks(call.TTL)
	}
	if call.Age > 0 {
		op.Age = ticks(call.Age)
	}
	if err != nil {
		return op, err
	}
	if call.Key != "" {
		if op.Key, err = l.key(call.Store, call.Key, call.Source); err != nil {
			return op, err
		}
	}
	if call.Session != "" {
		k, err := l.key(call.Store, call.Session, call.Source)
		if err != nil {
			return op, err
		}
		op.Session = uint8(k) + 1
	}
	if call.For != "" {
		k, err := l.key(protocol.CacheName, call.For, call.Source)
		if err != nil {
			return op, err
		}
		op.For = uint8(k) + 1
	}
	for _, key := range call.Keys {
		k, err := l.key(call.Store, key, call.Source)
		if err != nil {
			return op, err
		}
		op.Keys |= 1 << k
	}
	return op, nil
}

func (l *learner) class(text string, result any) (uint16, error) {
	for i := range l.classes {
		if l.classes[i].text == text {
			return uint16(i), nil
		}
	}
	if len(l.classes) == 1<<12 {
		return 0, &ProtocolError{Err: fmt.Errorf("the processes of the protocol return more than %d different results, the last one %s; does a number in them grow without end?", 1<<12, text)}
	}
	l.classes = append(l.classes, class{text, result})
	return uint16(len(l.classes) - 1), nil
}

func (l *learner) child(at spawnPoint) model.ProgramID {
	if p, ok := l.children[at]; ok {
		return p
	}
	p := model.ProgramID(len(l.programs))
	l.programs = append(l.programs, program{spawn: at, spawned: true, rank: hash(l.rankOf(at.program, at), fmt.Sprint("spawn ", at.mark))})
	l.children[at] = p
	return p
}

// rankOf numbers the place that is reached from at independently of the order in
// which anything was learned.
func (l *learner) rankOf(p model.ProgramID, at spawnPoint) uint64 {
	if at.start {
		return hash(l.programs[p].rank, "start")
	}
	observed := fmt.Sprint(uint32(at.by))
	if at.by.Code() == model.Result {
		observed = fmt.Sprint(l.classes[at.by.Class()].text, at.by>>12)
	}
	return hash(l.locals[at.from].rank, observed)
}

func hash(seed uint64, text string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, " ", text)
	return h.Sum64()
}

// finerTick says that a duration has turned up that is not a whole number of
// ticks: the search has to start again with a finer tick.
type finerTick struct{ tick model.Tick }

func (e *finerTick) Error() string { return "scheduler: the tick is too coarse" }

// ProtocolError says that protocol code broke a rule: it is not deterministic,
// never ends, panics, or uses what it may not use.
type ProtocolError struct{ Err error }

func (e *ProtocolError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ProtocolError) Unwrap() error { return e.Err }
