package model

// MoveKind is the kind of a move.
type MoveKind uint8

const (
	// MoveArrive: a request arrives.
	MoveArrive MoveKind = iota
	// MoveEffect: an operation takes effect.
	MoveEffect
	// MoveReply: a process observes its operation.
	MoveReply
	// MoveExpire: a TTL runs out.
	MoveExpire
	// MoveFault: a fault begins.
	MoveFault
	// MoveRecovery: a fault ends.
	MoveRecovery
	// MoveFailure: a fault strikes an operation in the place of its effect.
	MoveFailure
	// MoveLate: a watched request has waited for as long as [Rules.Patience].
	MoveLate
	// MoveTimeout: the time of a context is over.
	MoveTimeout
)

// String returns what a step of this kind is called in a trace.
func (k MoveKind) String() string {
	return [...]string{"arrive", "effect", "reply", "expire", "fault", "recovery", "fault", "late", "timeout"}[k]
}

// Weight is what a move of this kind adds to the length of a run: an arrival is
// no step.
func (k MoveKind) Weight() int {
	if k == MoveArrive {
		return 0
	}
	return 1
}

// IsFault reports whether a move of this kind takes from the budget of a fault.
func (k MoveKind) IsFault() bool { return k == MoveFault || k == MoveFailure }

// Move is one way in which the world can go on from a state.
type Move struct {
	Kind MoveKind
	// Index is the process, the key or the node that moves.
	Index uint8
	// Fault is the number of the fault, for MoveFault, MoveRecovery and MoveFailure.
	Fault uint8
	// Ages are the answers to what an atomic step asks; see [Ages].
	Ages Ages
	// Observation is what the process will observe where the state alone does
	// not say so.
	Observation Observation
	// Choice tells moves apart that are equal otherwise; for a recovery from a
	// halt it has a bit for each process of the node that is overdue, for an
	// arrival it is 1 if the request's wait is watched.
	Choice uint32
	// Soon has a bit for each clock of [State.Since] that has run for less than a property
	// asks; see [Windowed].
	Soon uint16
	// guards are the first and the last+1 index into the guards of Moves.
	from, to uint16
}

// Guard compares a clock with a constant: clock >= Bound if Lower, else
// clock <= Bound.
type Guard struct {
	Clock uint8
	Lower bool
	Bound Ticks
}

// Clocks answers whether a comparison can be true now. It may err only towards
// yes.
type Clocks interface {
	AtLeast(clock uint8, bound Ticks) bool
	AtMost(clock uint8, bound Ticks) bool
}

// Moves collects the moves of a state with their guards. It is reused.
type Moves struct {
	List   []Move
	guards []Guard
	clocks Clocks
	open   int
	// Err is why the list is not complete: the automaton has failed.
	Err error
}

// Reset empties the collection. Moves that the clocks exclude will be left out.
func (m *Moves) Reset(c Clocks) {
	m.List, m.guards, m.clocks, m.Err = m.List[:0], m.guards[:0], c, nil
}

// Guards returns what must hold for the move to happen.
func (m *Moves) Guards(move *Move) []Guard { return m.guards[move.from:move.to] }

// Begin starts the guards of the next move.
func (m *Moves) Begin() { m.open = len(m.guards) }

// Require adds a guard to the move begun and reports whether it can be true; if
// not, the move must not be added.
func (m *Moves) Require(g Guard) bool {
	if !m.possible(g) {
		return false
	}
	m.guards = append(m.guards, g)
	return true
}

// possible reports whether a guard can be true.
func (m *Moves) possible(g Guard) bool {
	return g.Lower && m.clocks.AtLeast(g.Clock, g.Bound) || !g.Lower && m.clocks.AtMost(g.Clock, g.Bound)
}

// Add adds a move with the guards since Begin.
func (m *Moves) Add(move Move) {
	move.from, move.to = uint16(m.open), uint16(len(m.guards))
	m.List = append(m.List, move)
	m.open = len(m.guards)
}

// Fork starts another move that has the first n guards of the one begun at
// start. It is for alternatives that share guards.
func (m *Moves) Fork(start, n int) {
	m.open = len(m.guards)
	m.guards = append(m.guards, m.guards[start:start+n]...)
}
