package model

import (
	"slices"
	"time"
)

// Outcome is what a property says of one step.
type Outcome uint8

const (
	// Exercised: the property had something to say: it is not vacuous.
	Exercised Outcome = 1 << iota
	// Violated: the step breaks the property.
	Violated
)

// Property is a rule over steps and states. A property is also a [Monitor], or a
// [DeadEnd].
type Property interface {
	// Name is what the property is called on the command line.
	Name() string
	// Rule says in one sentence what must hold.
	Rule() string
	// Vacuous says what never happened if the property was never exercised.
	Vacuous() string
	// Explain says in words why the last step of the trace violates the
	// property.
	Explain(t *Trace) string
}

// Argued is a property that takes an argument.
type Argued interface {
	Property
	// Argument is what stands after the name on the command line: 10s, 2 or 2/10s.
	Argument() string
}

// Validator is a property that can make no sense, a bound that is out of range for
// example: a check that has it is refused with the error.
type Validator interface {
	Property
	// Valid returns what is wrong, nil for nothing.
	Valid() error
}

// Monitor is a property that is decided step by step. Whatever it remembers is in
// the memory that it is given: several goroutines may use it at once.
type Monitor interface {
	Property
	// Memory is the number of bytes that the monitor keeps in the state. They
	// start as zero.
	Memory() int
	// Check looks at a step: the state after it, what happened, and the
	// monitor's memory, which it may change. It must not care whether a Sleep after
	// which the request has only issued its next operation ends before or after
	// the steps of others at that instant: see [Rules.GoesOn].
	Check(s *State, e *Event, memory []byte) Outcome
}

// Named is a Monitor that tells keys by their names.
type Named interface {
	Monitor
	// WithNames returns the monitor for a search in which keys have these names: the store
	// and the key, empty for a key that is not known yet.
	WithNames(name func(k KeyID) (store, key string)) Monitor
}

// Patient is a Monitor about how long requests wait: a [MoveLate] tells it that one
// has waited for longer than the duration.
type Patient interface {
	Monitor
	// Patience returns the longest wait that is allowed.
	Patience() time.Duration
}

// Watching is a Patient that is not about requests from their arrival on: its Check
// starts and stops the clocks itself that are watched, [Process.Watch] and [State.Watches],
// by setting them to [Fresh] and to [NoClock]. It must look at all of them each time, since
// nobody else does: an entry that is not present has none. The clocks [State.Since] are its
// own: each stands for the key of its number, or, if the property is [Windowed], for what
// that says.
type Watching interface {
	Patient
	Watches()
}

// Windowed is a Watching about what happens soon after something else: less than its
// Patience later. The clocks that tell are [State.Since]; they do not end by themselves.
type Windowed interface {
	Watching
	// Compares reports whether it matters, in a step that follows from the operation, how
	// long the clock Since[k] has run; op is nil for a step of no operation. If it may have
	// run for less than Patience the step comes once more, with the bit k in [Move.Soon] and
	// the clock bounded by that. What Check makes of the state and of its memory must be the
	// same both times.
	Compares(s *State, op *Operation, k int) bool
}

// DeadEnd is a property of the graph of all states: from every reachable state
// there is a continuation without further faults to a state that is settled.
type DeadEnd interface {
	Property
	// Settled reports whether nothing is left to wait for.
	Settled(s *State) bool
	// Pending reports whether somebody waits: a vacuity check.
	Pending(s *State) bool
}

// Endless is a DeadEnd of which only those dead ends count in which there is no rest: in
// whatever may follow, one of the processes that it asks for is bound to take a step.
type Endless interface {
	DeadEnd
	// Asks reports whether it is a process whose steps count.
	Asks(s *State, p *Process) bool
}

// Fault is an injected failure with a budget. A package outside of model
// implements it; the rules, the search and the replay know it only as this. Several
// goroutines may use it at once.
type Fault interface {
	// Name is what the fault is called on the command line.
	Name() string
	// Budget is how many faults of this kind a run may contain.
	Budget() int
	// Value is the budget as it is written on the command line: 1, 1x12s.
	Value() string
	// Durations returns the durations that the fault knows.
	Durations() []time.Duration
	// Resolve returns the fault with its durations in ticks. It fails if the
	// fault makes no sense.
	Resolve(t Tick) (Fault, error)
	// Halts reports whether the fault can halt a node: the upper bounds of its
	// processes' timers may then be missed.
	Halts() bool
	// Strikes says what a fault of this kind happens to.
	Strikes() Target
	// Offer appends the ways in which the fault can begin or end in s. Moves of
	// kind MoveFault take from the budget, which Offer need not look at; those
	// of kind MoveRecovery do not. An [Interceptor] offers nothing.
	Offer(r *Rules, s *State, m *Moves)
	// Apply changes s as the move says, and notes in e what it strikes: the node,
	// the changes of entries, or the operation.
	Apply(r *Rules, s *State, m *Move, e *Event) error
	// Describe says in words what a move does, to go after the name of what it
	// strikes, or after the operation in brackets.
	Describe(k MoveKind) string
}

// Target is what a fault happens to.
type Target uint8

const (
	// OnNode: a node stops in some way.
	OnNode Target = iota
	// OnKey: what is under a key changes.
	OnKey
	// OnStore: a whole store does something.
	OnStore
	// OnRequest: a request is given up by whoever waits for it.
	OnRequest
	// OnOperation: an operation fails; see [Interceptor].
	OnOperation
)

// Interceptor is a fault that strikes operations in the place of their effect, by a
// [MoveFailure].
type Interceptor interface {
	Fault
	// Intercepts reports whether it can strike the operation.
	Intercepts(op *Operation) bool
	// TimesOut reports whether a process then waits for its timeout to learn of it.
	TimesOut() bool
}

// Foresighted is a fault whose Offer depends on which operations are under way, and not
// only on what has taken effect. Waits are then not merged with what follows.
type Foresighted interface {
	Fault
	SeesPending() bool
}

// Event is what a step did. Indices are those of the state to which the step was
// applied, before it is brought into canonical form.
type Event struct {
	Move Move
	// Node and Process are where it happened, -1 for nowhere.
	Node, Process int
	// Store is the store that a fault struck as a whole.
	Store StoreID
	// Drift is the clock that drifts from then on, if one does.
	Drift Meter
	// Overdue are the processes that are due when a fault ends, and so act at that
	// instant.
	Overdue []int
	// Operation is the one that took effect, or whose reply arrived, or that failed.
	Operation *Operation
	// Believed has a bit for each lock that the process believed to hold before the step, if
	// it has done an operation in it.
	Believed uint16
	// Known is the newest version that the process knew when a Get found another, or when it
	// committed a newer one, which Committed says; 0 for none.
	Known     uint8
	Committed bool
	// Brought is the highest number that an atomic step was given, 0 for none.
	Brought uint8
	// Reached: in this step the operation got to where it goes, a store for example,
	// whether or not it was done there and the process learns of it.
	Reached bool
	// GoesOn: the operation is still under way, without the process.
	GoesOn bool
	// Stale: a replica that lags has served it.
	Stale bool
	// Observation is what the process observes, Data what it refers to: what was
	// found, or what a result mentions.
	Observation Observation
	Data        [MaxResults]Datum
	// Asked are the ages that an atomic step has asked for, Ages the answers.
	Asked []Age
	Ages  Ages
	// Changes tell what became of the entries that the step was about, in order.
	Changes []Change
	// Marks are what the process did next, before its next operation.
	Marks []Mark
	// Ended: the process returned. Answer is what it answers if it is a request.
	Ended  bool
	Answer Answer
	// Begun are the processes that it spawned in this step.
	Begun []Begun
	// Entered are the processes that have gone on in this step, a parent before those it has
	// begun; only if a monitor is [Recording].
	Entered []Entered
}

// begin makes e the event of a move of which nothing has happened yet.
func (e *Event) begin(move *Move) {
	changes, begun, entered, overdue := e.Changes[:0], e.Begun[:0], e.Entered[:0], e.Overdue[:0]
	*e = Event{}
	e.Move, e.Node, e.Process = *move, -1, -1
	e.Changes, e.Begun, e.Entered, e.Overdue = changes, begun, entered, overdue
}

// Weight is what the step adds to the length of a run.
func (e *Event) Weight() int { return e.Move.Kind.Weight() }

// Clone returns a copy of the event that the next step leaves alone.
func (e *Event) Clone() Event {
	c := *e
	c.Changes, c.Begun, c.Overdue = slices.Clone(e.Changes), slices.Clone(e.Begun), slices.Clone(e.Overdue)
	c.Entered = slices.Clone(e.Entered)
	return c
}

// Change is what a step did to an entry, if only to look at it.
type Change struct {
	Key           KeyID
	Before, After Entry
	// Written: a Set was accepted. Refused: its condition did not hold.
	Written, Refused bool
	// Deleted: a delete was done, whether or not there was anything.
	Deleted bool
	// ByClock: the clock of the store has stepped.
	ByClock bool
	// Owner is who created the token in Before; its slot may have been given to
	// another token since.
	Owner Owner
}

// Entered is a process that has gone on, the locks that it believed to hold before that,
// each as a bit, and the operation that it has issued: a Return if it has ended.
type Entered struct {
	Process  int
	Believed uint16
	Issued   *Operation
}

// Begun is a process that was spawned in a step, and what it did before its first
// operation.
type Begun struct {
	Process int
	Marks   []Mark
	Ended   bool
}
