package model

// OperationKind says what an operation asks of the world.
type OperationKind uint8

const (
	// Return is not an operation: the process has ended.
	Return OperationKind = iota
	Get
	Set
	Delete
	PExpire
	PTTL
	DeleteIfEqual
	ExpireIfEqual
	Increment
	GetStamped
	Push
	Pop
	BlockingPop
	Publish
	StartWatch
	EndWatch
	WaitReplicas
	StoreTime
	RunScript
	SourceRead
	SourceWrite
	SourceCommit
	SourceRollback
	SourceUpdate
	Compute
	Sleep
	StopTask
	WaitTask
	StartDeadline
	ResetDeadline
	ReadDeadline
	JoinFlight
	StartFlight
	AwaitFlight
	ResolveFlight
	ForgetFlight
	Choose
	AwaitWatch
	Lock
	Unlock
	TakeStamp
	ReadStamp
	StartContext
	EndContext
	ReadContext
	operationKinds
)

var operationNames = [operationKinds]string{
	"Return", "Get", "Set", "Del", "PExpire", "PTTL", "DelIfEqual", "ExpireIfEqual", "Incr", "GetStamped",
	"Push", "Pop", "BlockingPop", "Publish", "Watch", "Watch.Close", "WaitReplicas", "Store.Now", "Atomic",
	"Source.Read", "Source.Begin", "Source.Commit", "Source.Rollback", "Source.Update", "Compute", "Sleep", "Stop", "Wait",
	"Deadline", "Deadline.Reset", "Deadline.Passed",
	"Flight.Join", "Flight.Start", "Flight.Wait", "Flight.Resolve", "Flight.Forget",
	"Choose", "Watch.Wait", "Lock", "Unlock", "Now", "OlderThan",
	"WithTimeout", "Cancel", "Cancelled",
}

func (k OperationKind) String() string { return operationNames[k] }

// Remote reports whether the operation goes to a store or to the source: it has
// the latency of the scenario, and its reply may take time too.
func (op *Operation) Remote() bool { return op.Kind >= Get && op.Kind <= SourceUpdate && !op.Local }

// OnStore reports whether the operation goes to a store.
func (op *Operation) OnStore() bool { return op.Kind >= Get && op.Kind <= RunScript && !op.Local }

// Writes reports whether the operation may change what is in a store.
func (op *Operation) Writes() bool {
	switch op.Kind {
	case Get, GetStamped, PTTL, WaitReplicas, StoreTime, Publish, StartWatch, EndWatch:
		return false
	}
	return op.OnStore()
}

// OnEntry reports whether the operation concerns what is under one key, of a store or
// of a node's memory; its meaning is then given by [Operation.Effect].
func (k OperationKind) OnEntry() bool { return k >= Get && k <= BlockingPop }

// HasKey reports whether the operation has a key: that of an entry, of a channel or of
// a flight.
func (k OperationKind) HasKey() bool {
	return k.OnEntry() || k == Publish || k == JoinFlight || k == StartFlight || k == ForgetFlight || k == Lock || k == Unlock
}

// SetMode is the condition and the treatment of the TTL of a Set.
type SetMode uint8

const (
	// IfAbsent sets only a key that is absent (NX).
	IfAbsent SetMode = 1 << iota
	// IfPresent sets only a key that is present (XX).
	IfPresent
	// KeepTTL keeps the TTL that the key has, if any. A plain Set drops it.
	KeepTTL
)

// KeyID numbers the keys of all stores in the order in which they were learned.
type KeyID uint8

// StampNow as the Stamp of an operation is the time by the clock of the store.
const StampNow = 0xff

// NoRegister says that an operation has no argument in a register.
const NoRegister = -1

// NoContext says that an operation goes on in the context of its process: that of its
// request.
const NoContext = 0

// Operation is one request of a process to its world.
type Operation struct {
	Kind OperationKind
	// Store is the one that the operation goes to, if it goes to one.
	Store StoreID
	// Local: it is about the memory of the node, with no latency, and Key numbers what
	// is in that.
	Local bool
	Key   KeyID
	// Stamp is, for a Set, where the time is that the entry carries, +1; 0 for none: a
	// register, and in an atomic step a place in the Results of that. It is StampNow for
	// the time at which the entry is set, which is compared with nothing longer than Age.
	Stamp uint8
	Age   Ticks
	// Session is, for a Set, the key of the session that the entry is bound to, +1; 0 for
	// none. TTL is then how long the entry may outlive it.
	Session uint8
	// Keys has a bit for each key that a StartWatch watches.
	Keys uint16
	// Arg is the register with the value, token, task, deadline, watch or context that
	// the operation is about, or NoRegister. A RunScript that has one is done only if
	// that watch has seen no change, a SourceUpdate only if that is the version.
	Arg  int8
	Mode SetMode
	// TTL is the TTL that Set (0: none), PExpire and ExpireIfEqual give (0 or
	// less: delete), the constant that PTTL compares with, the limit of a deadline or of a
	// context, with what a time is compared, or how long a BlockingPop waits at the store (0: without
	// end). Ticks.
	TTL Ticks
	// Min and Max bound the time from issue to effect. Max may be Forever.
	Min, Max Ticks
	// Class is, for Return and ResolveFlight, the number of the result, for Choose how
	// many there are to choose from, for WaitReplicas how many it waits for; Results
	// are the registers that the result mentions, in order, or for RunScript those
	// of the data that it is given.
	Class   uint16
	Results []uint8
	// Patience is how long the process waits for it to take effect, at most; 0: for ever.
	// Ticks.
	Patience Ticks
	// Abnormal says, for Return, that a fault has ended the process, and Fatal that this
	// ends its node, too.
	Abnormal, Fatal bool
	// Answer is, for the Return of a request, how it answers; Arg then has the value.
	Answer AnswerKind
	// For is the key +1 for which a SourceRead reads, or for which a request asked that
	// returns; 0 if the protocol does not say. The value that is read carries it.
	For uint8
	// Context is the register of the context in which it goes on, +1, or NoContext.
	Context uint8
	// Detached: it goes on whatever context is cancelled.
	Detached bool
	// OrStart lets a JoinFlight start the flight if there is none.
	OrStart bool
	// Source is the line that issued the operation.
	Source Source
}

// Source is a line of protocol code.
type Source struct {
	// File is the import path of the package and the base name of the file, so
	// that it is the same on every machine.
	File string `json:"file"`
	Line int    `json:"line"`
}

// Code is the kind of an observation.
type Code uint8

const (
	Done Code = iota
	Missing
	Found
	NotMine
	Refused
	NoTTL
	Below
	NotBelow
	Stopped
	Passed
	NotPassed
	Result
	Started
	Shared
	// Failed: an error instead of an effect.
	Failed
	// TimedOut: no reply came; the operation may have taken effect or not.
	TimedOut
	// Cancelled: the context has been cancelled; the operation may have taken effect or
	// not.
	Cancelled
	// Chosen: one of several, which no one decides.
	Chosen
	// Elapsed: what was waited for has not come in time.
	Elapsed
	// Parked: the operation waits at the store; see park.
	Parked
	// Panicked: a panic instead of an effect.
	Panicked
	// Exited: the goroutine of the process is ended, deferred calls and all.
	Exited
	codes
)

var codeNames = [codes]string{
	"ok", "missing", "found", "not mine", "refused", "no TTL", "below", "not below",
	"stopped", "passed", "not passed", "result", "started", "shared", "error", "timeout", "cancelled", "chosen", "not in time", "waits", "panic", "exit",
}

func (c Code) String() string { return codeNames[c] }

// Observation is what a process gets back from an operation: a code, and for
// Found the register that now holds the value; for Result the class of the
// result and up to MaxResults registers.
type Observation uint32

// MaxResults is how many values and tokens the result of a task may mention.
const MaxResults = 3

// Observe makes an observation without registers.
func Observe(c Code) Observation { return Observation(c) << 24 }

// ObserveFound makes the observation of a value that is in a register.
func ObserveFound(register int) Observation {
	return Observation(Found)<<24 | Observation(register)
}

// andStamp adds the register with the time that an entry carries.
func (o Observation) andStamp(register int) Observation { return o | Observation(register+1)<<8 }

// Stamp returns the register with the time that an entry carries, if it carries one.
func (o Observation) Stamp() (register int, ok bool) {
	register = int(o>>8&0xff) - 1
	return register, register >= 0
}

// ObserveStarted makes the observation of a flight that was started and is in a
// register.
func ObserveStarted(register int) Observation {
	return Observation(Started)<<24 | Observation(register)
}

// ObserveResult makes the observation of a task's result.
func ObserveResult(class uint16, registers []uint8) Observation {
	o := Observation(Result)<<24 | Observation(class&0xfff)
	for i, r := range registers {
		o |= Observation(r&0xf) << (12 + 4*i)
	}
	return o
}

// ObserveChosen makes the observation of a choice, from 0.
func ObserveChosen(n int) Observation { return Observation(Chosen)<<24 | Observation(n) }

// Choice returns what an observation of code Chosen chose.
func (o Observation) Choice() int { return int(o & 0xff) }

// Code returns the kind of the observation.
func (o Observation) Code() Code { return Code(o >> 24) }

// Register returns the register of an observation of code Found or Started.
func (o Observation) Register() int { return int(o & 0xff) }

// Class returns the class of an observation of code Result.
func (o Observation) Class() uint16 { return uint16(o & 0xfff) }

// ResultRegister returns the i-th register of an observation of code Result.
func (o Observation) ResultRegister(i int) int { return int(o>>(12+4*i)) & 0xf }

// Effect says what the operation does to the entry under its key, and the code
// that the process observes; arg is the value or token that it brings. It is
// the one definition of the store's semantics: those of Redis. The Clock of the
// result is that of e (the TTL runs on), Fresh (it starts anew) or NoClock (there
// is none). For PTTL on a key that has a TTL the code is Below: only time can
// tell, so the caller compares.
func (op *Operation) Effect(e Entry, arg Datum) (Entry, Code) {
	switch op.Kind {
	case Get, GetStamped:
		if e.Present() {
			return e, Found
		}
		return e, Missing
	case Set:
		if op.Mode&IfAbsent != 0 && e.Present() || op.Mode&IfPresent != 0 && !e.Present() {
			return e, Refused
		}
		after := Entry{Value: arg}
		if op.Mode&KeepTTL != 0 && e.Session == 0 {
			after.TTL, after.Clock = e.TTL, e.Clock
		}
		if op.TTL > 0 {
			after.TTL, after.Clock = op.TTL, Fresh
		}
		return after, Done
	case Delete:
		if !e.Present() {
			return e, Missing
		}
		return Entry{}, Done
	case DeleteIfEqual:
		return ifEqual(e, arg, Entry{})
	case PExpire:
		if !e.Present() {
			return e, Missing
		}
		return op.expire(e), Done
	case ExpireIfEqual:
		return ifEqual(e, arg, op.expire(e))
	case Increment:
		switch e.Value.Kind {
		case KindNone:
			e.Value = Datum{Kind: KindCounter, N: 1}
		case KindCounter:
			e.Value.N++
		default:
			return e, Refused
		}
		return e, Found
	case Push:
		switch e.Value.Kind {
		case KindNone:
			e.Value = Datum{Kind: KindList, N: 1}
		case KindList:
			e.Value.N++
		default:
			return e, Refused
		}
		return e, Done
	case Pop, BlockingPop:
		switch {
		case !e.Present():
			return e, Missing
		case e.Value.Kind != KindList:
			return e, Refused
		case e.Value.N == 1:
			return Entry{}, Done
		}
		e.Value.N--
		return e, Done
	case PTTL:
		switch {
		case !e.Present():
			return e, Missing
		case e.TTL == 0:
			return e, NoTTL
		}
		return e, Below
	}
	panic("model: " + op.Kind.String() + " has no effect on an entry")
}

func ifEqual(e Entry, arg Datum, after Entry) (Entry, Code) {
	switch {
	case !e.Present():
		return e, Missing
	case e.Value != arg:
		return e, NotMine
	}
	return after, Done
}

func (op *Operation) expire(e Entry) Entry {
	if op.TTL <= 0 {
		return Entry{}
	}
	e.TTL, e.Clock, e.Session = op.TTL, Fresh, 0
	return e
}
