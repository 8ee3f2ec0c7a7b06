package model

// LocalID names a local state of a process: what it has observed so far, and so
// the operation that it is about to do. Local states are learned by running the
// protocol code; see package scheduler.
type LocalID uint32

// ProgramID names the code that a process runs: that of a role (see [ProgramOf]), or a
// function that a process spawned at a certain point of its run.
type ProgramID uint16

// MarkKind is the kind of a mark.
type MarkKind uint8

const (
	// MarkToken: NewToken was called; Register holds the fresh token.
	MarkToken MarkKind = iota
	// MarkAcquired: from here the process believes that it holds the lock Key.
	MarkAcquired
	// MarkReleasing: from here it no longer believes so.
	MarkReleasing
	// MarkSpawn: a process that runs Program was started; Register refers to it.
	MarkSpawn
	// MarkKeep: a checkpoint; of all registers those in Keep are kept, in that
	// order.
	MarkKeep
	// MarkRestart: the process starts over from the beginning of its program; the
	// marks of that beginning follow.
	MarkRestart
	// MarkContext: a context was opened below that of the register Context-1, or of the
	// process, or below none if it is Detached; Register holds it.
	MarkContext
)

// Mark is what a process does between two operations. Marks take effect in the
// step that precedes them and weigh nothing.
type Mark struct {
	Kind     MarkKind
	Key      KeyID
	Register uint8
	Program  ProgramID
	Keep     []uint8
	Context  uint8
	Detached bool
	Source   Source
}

// Edge is what an observation leads to.
type Edge struct {
	To    LocalID
	Marks []Mark
}

// Automaton is the protocol as the rules of the world see it. Operations belong
// to the automaton and must not be changed.
type Automaton interface {
	// Start returns how a process that runs the program begins.
	Start(p ProgramID) (*Edge, error)
	// Operation returns what a process in local state l is about to do.
	Operation(l LocalID) *Operation
	// Next returns how a process in local state l goes on once it has observed
	// o. It fails if the protocol code breaks a rule (see package protocol).
	Next(l LocalID, o Observation) (*Edge, error)
	// Script returns what the atomic step that a process in local state l is about
	// to do does with the input.
	Script(l LocalID, in *ScriptInput) (*ScriptRun, error)
	// Store returns the store that a key belongs to; 0 for a key that is not known.
	Store(k KeyID) StoreID
	// Rank orders local states. Unlike their numbers it does not depend on the
	// order in which they were learned.
	Rank(l LocalID) uint64
}
