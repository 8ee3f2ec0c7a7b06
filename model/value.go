package model

// Kind tells what a datum is.
type Kind uint8

const (
	// KindNone is the absence of a datum.
	KindNone Kind = iota
	// KindVersion is a value computed from a version of the source.
	KindVersion
	// KindToken is an opaque unique owner value; N is its slot in the state.
	KindToken
	// KindTask is a process that another process spawned; N is the label of the
	// spawned process within its family.
	KindTask
	// KindCounter is a number that a store counted; N is the number.
	KindCounter
	// KindFlight is a flight of its node: work in progress that other requests
	// of the node can join. N is its slot in the state.
	KindFlight
	// KindDeadline is a clock that a process compares with one constant.
	KindDeadline
	// KindList is a list of elements that are all alike, as signals are; N is how many.
	KindList
	// KindWatch is what a process knows of keys that it watches; N is 1 if one of
	// them has changed.
	KindWatch
	// KindStamp is a time that was read from a wall clock; see [Stamp].
	KindStamp
	// KindContext is a context below that of a request; see context.go.
	KindContext
)

// Datum is what a store entry contains or what a process can refer to. Versions
// are compared as numbers by properties, tokens only for equality.
type Datum struct {
	Kind Kind
	N    uint8
	// For is the key +1 for which a value was read, 0 if nobody has said; see
	// [Operation.For].
	For uint8
}

// Version returns the datum for a value computed from version n of the source.
func Version(n uint8) Datum { return Datum{Kind: KindVersion, N: n} }

// Register is a datum that a process holds on to. A deadline has a clock and
// the constant, in ticks, that it is compared with; a flight has its key and what
// is known of it in Limit, a watch its keys, a context what ends it.
type Register struct {
	Datum
	Clock uint8
	Limit Ticks
}

// Entry is what a store keeps under one key: nothing if Value is of KindNone.
// TTL is in ticks, 0 for none; Clock is then 0, too. Stamp is a time that the entry
// carries, if its Clock is not 0.
type Entry struct {
	Value Datum
	Clock uint8
	// Session is the key of the session that the entry is bound to, +1; 0 for none.
	Session uint8
	TTL     Ticks
	Stamp   Stamp
}

// Present reports whether there is anything under the key.
func (e Entry) Present() bool { return e.Value.Kind != KindNone }

// Clock numbers with a meaning of their own. Any other is an index into the
// time that goes with a state.
const (
	// NoClock says that a timer needs none or is not running.
	NoClock uint8 = 0
	// Fresh says that a clock starts at zero in this step.
	Fresh uint8 = 255
)
