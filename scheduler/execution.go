package scheduler

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// execution runs protocol code: one process, and those that it descends from.
type execution struct {
	l     *learner
	world *protocol.World
	runs  []*protocol.Run
	// calls counts the calls that the processes have made: a sign of life.
	calls atomic.Int64
	// again: the same was executed just before.
	again bool
	// For an audit: a parent runs on after it has spawned the process that is
	// run; spawned processes run on as soon as they have been spawned.
	parentRunsOn, childrenRunOn bool
}

// twice makes an execution two times and compares what comes out: code that is
// not deterministic shows itself early.
func (l *learner) twice(run func(*execution) (protocol.Call, error)) (protocol.Call, error) {
	first, err := l.execute(run)
	if err != nil {
		return first, err
	}
	second, err := l.execute(func(x *execution) (protocol.Call, error) {
		x.again = true
		return run(x)
	})
	if err != nil {
		return first, err
	}
	if first.Signature() != second.Signature() {
		return first, nondeterminism(first, second)
	}
	return first, nil
}

// execute runs protocol code on a goroutine of its own, so that code that never
// ends or ends its goroutine can be reported.
func (l *learner) execute(run func(*execution) (protocol.Call, error)) (protocol.Call, error) {
	l.runs++
	x := &execution{l: l, world: l.world}
	l.world.Begin()
	var call protocol.Call
	err := errors.New("the protocol code ended its goroutine; return instead")
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer x.close()
		call, err = run(x)
	}()
	patience := time.NewTimer(l.patience)
	defer patience.Stop()
	for waiting, seen := true, int64(0); waiting; {
		select {
		case <-done:
			waiting = false
		case <-patience.C:
			calls := x.calls.Load()
			if calls == seen {
				return protocol.Call{}, &ProtocolError{Err: fmt.Errorf("%s: the protocol code ran for %s without an operation: it never ends, or waits for something outside of its Client", stuckAt(x.world.Routines()), l.patience)}
			}
			seen = calls
			patience.Reset(l.patience)
		}
	}
	if noted := x.world.Err(); noted != nil {
		err = noted
	}
	if err == nil {
		return call, nil
	}
	var broken *ProtocolError
	if errors.As(err, &broken) {
		return call, err
	}
	return call, &ProtocolError{Err: err}
}

// close abandons the processes, children before their parents: a parent's
// deferred calls must not touch what a child has captured.
func (x *execution) close() {
	for i := range x.runs {
		// Deferred, since stopping code that recovers from everything ends
		// this goroutine.
		defer x.runs[i].Stop()
	}
}

// begin starts a process that runs the program, after those that it descends
// from, and returns its first call.
func (x *execution) begin(p model.ProgramID) (protocol.Call, error) {
	run, err := x.open(p)
	if err != nil {
		return protocol.Call{}, err
	}
	return x.next(run, protocol.Reply{})
}

func (x *execution) open(p model.ProgramID) (*protocol.Run, error) {
	prog := &x.l.programs[p]
	var run *protocol.Run
	if role, variant, ok := p.Role(len(x.l.codes)); ok {
		run = protocol.NewRun(x.world, p, x.l.codes[variant][role])
	} else {
		at := prog.spawn
		var path []pathStep
		if !at.start {
			path = append(x.l.path(at.from, false), pathStep{at.from, at.by})
		}
		parent, err := x.along(at.program, path, at.mark)
		if err != nil {
			return nil, err
		}
		if at.mark >= len(parent.Marks) || parent.Marks[at.mark].Kind != model.MarkSpawn {
			return nil, fmt.Errorf("%s: the process that was spawned here in one run is not spawned in another; %s", parent.Describe(), likelyCauses)
		}
		run = parent.Marks[at.mark].Child(x.world, p)
		if x.parentRunsOn {
			if err := x.runParentOn(x.runs[len(x.runs)-1], at); err != nil {
				return nil, err
			}
		}
	}
	x.runs = append(x.runs, run)
	return run, nil
}

// follow runs a process through the history of a local state, the second history
// of the last checkpoint if second is set, lets it observe o and returns its
// next call.
func (x *execution) follow(id model.LocalID, o model.Observation, second bool) (protocol.Call, error) {
	return x.along(x.l.locals[id].program, append(x.l.path(id, second), pathStep{id, o}), -1)
}

// along runs a process of the program along a path and returns the call to which
// it leads. Whatever the process does on the way is compared with what it did
// before. If suspendAt is not negative, the run is suspended at that mark before
// the call to which the path leads.
func (x *execution) along(p model.ProgramID, path []pathStep, suspendAt int) (protocol.Call, error) {
	run, err := x.open(p)
	if err != nil {
		return protocol.Call{}, err
	}
	defer run.Retrace(false)
	if len(path) == 0 && suspendAt >= 0 {
		run.Retrace(true)
		run.SuspendAt(suspendAt)
		return x.next(run, protocol.Reply{})
	}
	run.Retrace(x.again || x.l.programs[p].first != "")
	call, err := x.next(run, protocol.Reply{})
	if err != nil {
		return call, err
	}
	if known := x.l.programs[p].first; known != "" && known != call.Signature() {
		return call, fmt.Errorf("the first operation of a process is %s in one run and another in the next; %s", call.Describe(), likelyCauses)
	}
	at := spawnPoint{program: p, start: true}
	for i, step := range path {
		if x.childrenRunOn {
			if err := x.spawned(at, call); err != nil {
				return call, err
			}
		}
		if i+1 == len(path) && suspendAt >= 0 {
			run.SuspendAt(suspendAt)
		}
		known := x.l.known(step.from, step.by)
		run.Retrace(x.again || known != nil)
		if call, err = x.next(run, x.reply(step.by)); err != nil {
			return call, err
		}
		// The caller knows what to make of the last call.
		if i+1 < len(path) && known != nil && known.signature != call.Signature() {
			return call, nondeterminism(x.l.after(step), call)
		}
		at = spawnPoint{program: p, from: step.from, by: step.by}
	}
	return call, nil
}

// next lets the process run to its next call.
func (x *execution) next(run *protocol.Run, reply protocol.Reply) (protocol.Call, error) {
	call, err := run.Next(reply)
	x.calls.Add(1)
	return call, err
}

// reply is what a process gets for an observation.
func (x *execution) reply(o model.Observation) protocol.Reply {
	r := protocol.Reply{Observation: o}
	if o.Code() == model.Result {
		r.Result = x.l.classes[o.Class()].value
	}
	return r
}

// target returns the local state that is entered with the spawn.
func (l *learner) target(at spawnPoint) model.LocalID {
	if at.start {
		return l.programs[at.program].start.To
	}
	for _, e := range l.locals[at.from].edges {
		if e.observation == at.by {
			return e.edge.To
		}
	}
	return at.from
}

// after returns the call that followed a step of a history when it was learned.
func (l *learner) after(step pathStep) protocol.Call {
	return l.locals[l.target(spawnPoint{from: step.from, by: step.by})].call
}

// pathStep is one step of a history.
type pathStep struct {
	from model.LocalID
	by   model.Observation
}

// path returns the history of a local state from the start of its program.
func (l *learner) path(id model.LocalID, second bool) []pathStep {
	var back []pathStep
	for at := id; ; {
		s := &l.locals[at]
		step, start := pathStep{s.from, s.by}, s.start
		if second && s.checkpoint && s.hasSecond {
			step, start, second = pathStep{s.secondFrom, s.secondBy}, s.secondStart, false
		}
		if start {
			break
		}
		back = append(back, step)
		at = step.from
	}
	for i, k := 0, len(back)-1; i < k; i, k = i+1, k-1 {
		back[i], back[k] = back[k], back[i]
	}
	return back
}

const likelyCauses = "protocol code must depend on nothing but what its Client answers: likely causes are time.Now, randomness, the order of a map, a global or captured variable that a run changes, and a variable shared with a spawned process"

func nondeterminism(a, b protocol.Call) error {
	return parted(a, b, likelyCauses)
}

// parted says that a process did two things where it had to do the same.
func parted(a, b protocol.Call, cause string) error {
	one, other := a.Describe(), b.Describe()
	if one == other {
		other += " with other marks or arguments"
	}
	return &ProtocolError{Err: fmt.Errorf("the same process does %s in one run and %s in another; %s", one, other, cause)}
}

// stuckAt looks for the protocol code that runs or waits outside of its Client,
// on one of the goroutines of the given numbers. The last one runs.
func stuckAt(routines []string) string {
	buffer := make([]byte, 1<<20)
	text := string(buffer[:runtime.Stack(buffer, true)])
	for _, routine := range strings.Split(text, "\n\n") {
		lines := strings.Split(routine, "\n")
		number, _, _ := strings.Cut(strings.TrimPrefix(lines[0], "goroutine "), " ")
		if !slices.Contains(routines, number) {
			continue
		}
		for i := 1; i+1 < len(lines); i += 2 {
			name, place := lines[i], strings.TrimSpace(lines[i+1])
			if strings.HasPrefix(name, "lockstep/protocol.(*Run).ask") {
				// It waits for the scheduler.
				break
			}
			place, _, _ = strings.Cut(place, " ")
			if !userCode(name) || protocol.FromGo(place) {
				continue
			}
			file, line, _ := strings.Cut(place, ":")
			source := protocol.SourceOf(name, file, 0)
			return source.File + ":" + line
		}
	}
	return "somewhere in the protocol"
}

// userCode reports whether a function is neither Go's nor ours.
func userCode(name string) bool {
	for _, prefix := range []string{"runtime.", "runtime/", "internal/", "iter.", "sync.", "sync/", "time.", "lockstep/protocol."} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}
