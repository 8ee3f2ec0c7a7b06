package model

// A session is a key with a TTL that its client renews. Entries can be bound to one:
// when it is gone, for whatever reason, the store removes them in a step of its own,
// within the TTL of the entry, whose clock runs from then on. That the client learns of it
// is a third step.

// Timed reports whether the TTL of the entry runs. That of one that is bound to a session
// is how long it may outlive it.
func (e *Entry) Timed() bool { return e.Clock != NoClock && e.Session == 0 }

// alive reports whether the session of an operation that binds an entry is there.
func (s *State) alive(op *Operation) bool {
	return op.Session == 0 || s.Entries[op.Session-1].Present()
}

// bind lets an entry belong to the session of the operation.
func (e *Entry) bind(op *Operation) {
	e.Session, e.TTL, e.Clock = op.Session, op.TTL, NoClock
}

// endSessions lets the entries be removed whose session is gone.
func (s *State) endSessions() {
	for k := range s.present() {
		if e := &s.Entries[k]; e.Session != 0 && e.Clock == NoClock && !s.Entries[e.Session-1].Present() {
			e.Clock = Fresh
		}
	}
}
