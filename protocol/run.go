package protocol

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/model"
)

// World is what protocol code can ask of its scenario, and where it is noted
// that it broke a rule. All runs of a protocol share one World, since a goroutine
// that protocol code has started may break a rule after the run is over. It and the
// rest of this file are for the scheduler; protocol code has no use for them.
type World struct {
	valueTTL    time.Duration
	invalidates bool

	mu       sync.Mutex
	err      error
	routines []string
	clients  []*Client // those of the routines
}

// NewWorld returns a World for the given scenario.
func NewWorld(valueTTL time.Duration, invalidates bool) *World {
	return &World{valueTTL: valueTTL, invalidates: invalidates}
}

// Err returns the first error noted, or nil.
func (w *World) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Routines returns the numbers of the goroutines that run protocol code of this
// World, as a stack trace names them.
func (w *World) Routines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.routines)
}

// Begin forgets the goroutines of earlier runs.
func (w *World) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.routines, w.clients = nil, nil
}

func (w *World) started(routine string, c *Client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.routines, w.clients = append(w.routines, routine), append(w.clients, c)
}

// running returns the client of the process that runs on this goroutine, nil if none
// does.
func (w *World) running() *Client {
	w.mu.Lock()
	defer w.mu.Unlock()
	if k := slices.Index(w.routines, routine()); k >= 0 {
		return w.clients[k]
	}
	return nil
}

func (w *World) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// Call is an operation in terms of the protocol: durations instead of ticks.
type Call struct {
	Kind  model.OperationKind
	Store string
	Key   string
	// stamp is, for a Set, where the time is that the entry carries, +1.
	stamp uint8
	// Age is the longest age that the time is compared with which the store reads from
	// its clock.
	Age time.Duration
	// Session is the key of the session that a Set binds its entry to.
	Session string
	// Keys are those that a StartWatch watches.
	Keys   []string
	Arg    int8
	hasArg bool
	Mode   model.SetMode
	TTL    time.Duration
	Span   model.Range
	Source model.Source
	Marks  []Mark

	// For what gives a result to others (Return, ResolveFlight): the result, the
	// result as text, the registers that it mentions. For RunScript, Text has the
	// function and its arguments, and Results the registers that these mention.
	Result  any
	Text    string
	Results []uint8
	// Again says, for a Return, that the process starts over; OrStart, for a
	// JoinFlight, that it starts what it does not find.
	Again, OrStart bool
	// Abnormal says, for a Return, that a fault has ended the process, Fatal that this
	// ends the node.
	Abnormal, Fatal bool
	// Answer is, for the Return of a request, how it answers.
	Answer model.AnswerKind
	// For is, for a SourceRead, the key of the cache for which it reads, and for a Return of
	// a request the one for which that asked.
	For string
	// Context is the register of the context in which it goes on, +1; 0 for that of the
	// request.
	Context uint8
	// Detached: it goes on whatever context is cancelled.
	Detached bool
	// Patience is how long the process waits for an operation of a store or of the source.
	Patience time.Duration
	// Among is how many a Choose has to choose from.
	Among int
	// Script runs an atomic step on the data that the arguments mention and
	// returns the result, the result as text, and the data that it mentions.
	Script func(do ScriptDo, data []model.Datum) (result any, text string, mentions []model.Datum, err error)
}

// Stamp returns where the time is that a Set lets its entry carry, +1; 0 for none.
func (c *Call) Stamp() uint8 { return c.stamp }

// Local reports whether the call is about the memory of the node.
func (c *Call) Local() bool { return c.Store == MemoryName }

// Argument returns the register of the argument, or model.NoRegister.
func (c *Call) Argument() int8 {
	if !c.hasArg {
		return model.NoRegister
	}
	return c.Arg
}

// Signature returns text that is equal for equal calls: what a second run of the
// same code has to repeat.
func (c *Call) Signature() string {
	var b strings.Builder
	for _, m := range c.Marks {
		fmt.Fprintf(&b, "%d %s/%s r%d %v %q %s:%d", m.Kind, m.Store, m.Key, m.Register, m.Keep, m.Locals, m.Source.File, m.Source.Line)
		if m.Kind == model.MarkContext {
			fmt.Fprintf(&b, " below %d %t", m.Context, m.Detached)
		}
		b.WriteString("; ")
	}
	fmt.Fprintf(&b, "%s %s/%s%v r%d %d %d %s %s:%d %q %v %t %t %d %d %t %d %s %d %t %t %s", c.Kind, c.Store, c.Key, c.Keys, c.Argument(), c.Mode, c.TTL, c.Span, c.Source.File, c.Source.Line, c.Text, c.Results, c.Again, c.OrStart, c.Among, c.Context, c.Detached, c.stamp, c.Age, c.Patience, c.Abnormal, c.Fatal, c.Session)
	if c.For != "" {
		fmt.Fprintf(&b, " for %q", c.For)
	}
	return b.String()
}

// Describe says in words what the call does.
func (c *Call) Describe() string {
	what := c.Kind.String()
	if c.Key != "" {
		what += " " + c.Key
	}
	if len(c.Keys) > 0 {
		what += " " + strings.Join(c.Keys, " ")
	}
	if c.Span != (model.Range{}) {
		what += " " + c.Span.Describe()
	}
	if c.TTL > 0 {
		what += " " + model.FormatDuration(c.TTL)
	}
	if c.Text != "" {
		what += " " + c.Text
	}
	if c.Among > 0 {
		what += fmt.Sprintf(" %d", c.Among)
	}
	if c.Source.File != "" {
		what += fmt.Sprintf(" at %s:%d", c.Source.File, c.Source.Line)
	}
	return what
}

// Mark is a mark in terms of the protocol.
type Mark struct {
	Kind       model.MarkKind
	Store, Key string
	Register   uint8
	Keep       []uint8
	// Locals is, for a checkpoint, what it names, as text.
	Locals string
	// Context is, for a new context, the register of that above it, +1; 0 for that of the
	// request. Detached: there is none above it.
	Context  uint8
	Detached bool
	Source   model.Source

	child     func(*Client) any
	inherited []slot
}

// Reply is what a process gets back: an observation, and for a Wait the result
// that it stands for.
type Reply struct {
	Observation model.Observation
	Result      any
}

// Run is one process that runs alone, as a coroutine.
type Run struct {
	world    *World
	program  model.ProgramID
	yield    func(Call) bool
	next     func() (Call, bool)
	stop     func()
	reply    Reply
	routine  string
	stopping atomic.Bool
	client   *Client
	holdings holdings
	spawned  bool
	returned bool // the function has
	exiting  bool // a fault ends the goroutine
	// underWay: it has been let run and has not stopped since.
	underWay  atomic.Bool
	retracing atomic.Bool
	unwound   int // how often it was unwound
	origin    model.Source
	// suspendAt is the mark, counted from the last operation, at which the run
	// is to be suspended, -1 for none.
	suspendAt int
}

// unwind is thrown through protocol code that is not to run on.
type unwind struct{}

// NewRun prepares a run of fn. Its program is where the process comes from: ids
// of what it creates are unique among programs.
func NewRun(w *World, program model.ProgramID, fn func(*Client) any) *Run {
	return newRun(w, program, fn, nil, model.Source{})
}

// Child prepares a run of the process that the mark spawns. The run of the
// parent must stay as it is until the child has been stopped.
func (m *Mark) Child(w *World, program model.ProgramID) *Run {
	return newRun(w, program, m.child, m.inherited, m.Source)
}

func newRun(w *World, program model.ProgramID, fn func(*Client) any, inherited []slot, origin model.Source) *Run {
	r := &Run{world: w, program: program, spawned: inherited != nil || origin != model.Source{}, origin: origin, suspendAt: -1}
	r.holdings.slots = append([]slot(nil), inherited...)
	c := newClient(r)
	r.client = c
	r.next, r.stop = iter.Pull(func(yield func(Call) bool) {
		defer r.recover()
		r.yield = yield
		r.routine = routine()
		w.started(r.routine, c)
		startsRun()
		result := fn(c)
		r.returned = true
		call := returned(c, result)
		if !r.stopping.Load() {
			yield(call)
		}
	})
	return r
}

// exit ends the goroutine, for a fault.
func (r *Run) exit() {
	r.exiting = true
	runtime.Goexit()
}

// ended is the call of a process that a fault has ended.
func (r *Run) ended(how string) Call {
	return Call{Kind: model.Return, Text: how, Answer: model.AnsweredFailed, Abnormal: true, Fatal: r.spawned && how == "panicked", Marks: r.client.marks}
}

// returned is the call that a process makes when its function has returned.
func returned(c *Client, result any) Call {
	call := Call{Kind: model.Return, Marks: c.marks, Result: result}
	if a, ok := result.(Answer); ok {
		call.Text, call.Again, call.Source = a.kind.String(), a.again, a.source
		if a.again {
			call.Text = "again"
			return call
		}
		call.Answer = a.kind
		if a.key != "" {
			call.For = a.key
			call.Text += " for " + a.key
		}
		if a.value.id != 0 && !c.run.spawned {
			call.Arg, call.hasArg = c.argument(a.value.id, "protocol.Fresh"), true
		}
		return call
	}
	c.pass(&call, "the result of a spawned process", result)
	return call
}

// pass makes the call one that gives a result to others; what says what it is.
func (c *Client) pass(call *Call, what string, result any) {
	text, registers, err := c.mention([]any{result}, "a task, a deadline, a watch, a time or a flight cannot be the result of a process", false)
	if err == nil && len(registers) > model.MaxResults {
		err = fmt.Errorf("it mentions %d values or tokens; at most %d can be passed on", len(registers), model.MaxResults)
	}
	if err != nil {
		c.run.misuse("%s: %v", what, err)
	}
	call.Result, call.Results, call.Text = result, registers, fmt.Sprintf("%T %s", result, text)
}

// Next lets the process run to its next call. The first reply is not looked at.
func (r *Run) Next(reply Reply) (Call, error) {
	r.reply = reply
	r.underWay.Store(true)
	call, ok := r.next()
	r.underWay.Store(false)
	if err := r.world.Err(); err != nil {
		return Call{}, err
	}
	if !ok {
		return Call{}, fmt.Errorf("a process that had returned was run on")
	}
	return call, nil
}

// Retrace says whether what the process does next is what an earlier run has done.
func (r *Run) Retrace(known bool) { r.retracing.Store(known) }

// Stop abandons the process. Its deferred calls run and reach nothing.
func (r *Run) Stop() {
	r.stopping.Store(true)
	r.stop()
}

func (r *Run) ask(call Call) Reply {
	if !r.yield(call) {
		r.unwind()
	}
	return r.reply
}

// SuspendAt lets the run stop at the mark of the given number, counted from the
// last operation, the next time that it gets there: [Run.Next] then returns a call
// that has the marks up to there and is no operation.
func (r *Run) SuspendAt(mark int) { r.suspendAt = mark }

// suspend stops at a mark if that is wanted.
func (r *Run) suspend(marks []Mark) {
	if len(marks)-1 != r.suspendAt {
		return
	}
	r.suspendAt = -1
	r.ask(Call{Kind: model.Return, Marks: slices.Clone(marks)})
}

// maxUnwound is how often code may recover from being unwound and go on.
const maxUnwound = 100

// unwind ends the protocol code, deferred calls and all.
func (r *Run) unwind() {
	r.stopping.Store(true)
	if r.unwound++; r.unwound > maxUnwound {
		source := caller()
		r.world.note(fmt.Errorf("%s:%d: the protocol code recovers from every panic, also from the one that ends it, and so never ends; recover only from what is yours", source.File, source.Line))
		runtime.Goexit()
	}
	panic(unwind{})
}

// enter is called first by whatever protocol code calls. It returns from where.
func (r *Run) enter() model.Source {
	var s stack
	s.look()
	if r.foreign(&s) {
		source := s.source()
		r.world.note(fmt.Errorf("%s:%d: a Client was used by another process than the one that it was given to; use the Client that is the argument of the function, and protocol.Go instead of the go statement", source.File, source.Line))
		// A panic here would end the program if the code runs in a goroutine
		// of its own.
		runtime.Goexit()
	}
	if r.stopping.Load() {
		r.unwind()
	}
	return s.source()
}

// foreign reports whether the stack is that of another goroutine than that of the run. To
// ask for the number of a goroutine is slow. It is not needed where a run retraces what
// another has done: that the goroutine is one of a run, and that this run is under way, then
// tells enough, since the runs of a world are one at a time.
func (r *Run) foreign(s *stack) bool {
	if r.retracing.Load() && s.ofRun() {
		return !r.underWay.Load()
	}
	return routine() != r.routine
}

// misuse notes that protocol code broke a rule and unwinds it.
func (r *Run) misuse(format string, args ...any) {
	source := caller()
	if source.File == "" {
		source = r.origin
	}
	r.world.note(fmt.Errorf("%s:%d: %s", source.File, source.Line, fmt.Sprintf(format, args...)))
	r.unwind()
}

func (r *Run) recover() {
	p := recover()
	if r.stopping.Load() {
		return
	}
	if failure, ok := p.(*PanicError); ok && failure.fault {
		r.yield(r.ended("panicked"))
		return
	}
	if p == nil && r.exiting && !r.returned {
		r.yield(r.ended("exited"))
		return
	}
	if p == nil {
		if !r.returned {
			source := panicSource()
			r.world.note(fmt.Errorf("%s:%d: the protocol code ended its goroutine (runtime.Goexit, or FailNow of a test); return instead", source.File, source.Line))
		}
		return
	}
	if _, ok := p.(unwind); ok {
		return
	}
	source := panicSource()
	r.world.note(fmt.Errorf("%s:%d: the protocol code panicked: %v", source.File, source.Line, p))
}
