package model

// StoreID numbers the stores.
type StoreID uint8

// SourceStore is the number that stands for the source among the stores.
const SourceStore StoreID = 15

// MaxReplicas is how many replicas a store can have.
const MaxReplicas = 8

// Replica is a copy of a store, or of the source, that has fallen behind: its contents at
// that instant. The store will fall back to it, or it serves reads until it has caught up.
// At most one lags at a time. The TTLs in it run on, and what is over is gone from it.
type Replica struct {
	Lags  bool
	Store StoreID
	// Reads: it serves reads, and will catch up.
	Reads bool
	// Source is the version that it has, if it is one of the source.
	Source uint8
	// Clock measures since when it lags, up to Limit.
	Clock   uint8
	Limit   Ticks
	Entries [MaxKeys]Entry
}

// Lag lets a replica fall behind.
func (r *Rules) Lag(s *State, store StoreID, reads bool, limit Ticks) {
	s.Replica = Replica{Lags: true, Store: store, Reads: reads, Clock: Fresh, Limit: limit}
	if store == SourceStore {
		s.Replica.Source = s.Source
		return
	}
	for k := range s.Entries {
		if s.Entries[k].Present() && r.Automaton.Store(KeyID(k)) == store {
			s.Replica.Entries[k] = s.Entries[k]
		}
	}
}

// PromotionMoves appends the ways in which the replica can take over: each of its
// entries that has a TTL is still there or is gone by then, which Choice says by a bit
// for each key. Both sides are closed.
func (r *Rules) PromotionMoves(s *State, m *Moves) {
	var room [MaxKeys]int
	timed := room[:0]
	for k := range s.Replica.Entries {
		if s.Replica.Entries[k].Clock != NoClock {
			timed = append(timed, k)
		}
	}
	for subset := range uint32(1) << len(timed) {
		move := Move{Kind: MoveRecovery, Index: uint8(s.Replica.Store)}
		possible := true
		m.Begin()
		for i, k := range timed {
			gone := subset&(1<<i) != 0
			if gone {
				move.Choice |= 1 << k
			}
			e := &s.Replica.Entries[k]
			possible = possible && m.Require(Guard{Clock: e.Clock, Lower: gone, Bound: e.TTL})
		}
		if possible {
			m.Add(move)
		}
	}
}

// Promote lets the replica take over: what was written since it fell behind is lost.
func (r *Rules) Promote(s *State, m *Move, e *Event) {
	for k := range s.Entries {
		if r.Automaton.Store(KeyID(k)) != s.Replica.Store {
			continue
		}
		before, after := s.Entries[k], s.Replica.Entries[k]
		if m.Choice&(1<<k) != 0 {
			after = Entry{}
		}
		if before != after {
			e.Changes = append(e.Changes, Change{Key: KeyID(k), Before: before, After: after, Owner: s.ownerOf(before.Value)})
			s.Entries[k] = after
			s.Keys = max(s.Keys, uint8(k)+1)
		}
	}
	r.acknowledge(s, Failed)
	// The replica has a clock of its own, which is right.
	s.Frozen &^= 1 << s.Replica.Store
	s.Fast &^= 1 << s.Replica.Store
	s.Slow &^= 1 << s.Replica.Store
	s.Replica = Replica{}
}

// CatchUp lets a replica that serves reads have everything again.
func (r *Rules) CatchUp(s *State) {
	r.acknowledge(s, Done)
	s.Replica = Replica{}
}

// The Choice of a read that a replica serves: what it has, or nothing, since a TTL is over.
// They differ from those of operations that are given up.
const (
	staleRead = 8 + iota
	staleGone
)

// staleMoves appends the ways in which a replica that lags serves a read, with the guards
// that are open; start is where they begin, n how many there are.
func (r *Rules) staleMoves(s *State, op *Operation, move Move, start, n int, m *Moves) {
	if !s.Replica.Reads {
		return
	}
	move.Choice = staleRead
	switch {
	case op.Kind == SourceRead:
		if s.Replica.Store == SourceStore && s.Replica.Source != s.Source {
			m.Fork(start, n)
			m.Add(move)
		}
	case (op.Kind == Get || op.Kind == GetStamped) && !op.Local && s.Replica.Store == op.Store:
		e := &s.Replica.Entries[op.Key]
		if *e == s.Entries[op.Key] {
			return
		}
		m.Fork(start, n)
		if e.Clock == NoClock {
			m.Add(move)
			return
		}
		if m.Require(Guard{e.Clock, false, e.TTL}) {
			m.Add(move)
		}
		m.Fork(start, n)
		move.Choice = staleGone
		if m.Require(Guard{e.Clock, true, e.TTL}) {
			m.Add(move)
		}
	}
}

// read returns the entry that a read finds.
func (s *State) read(op *Operation, choice uint32) Entry {
	switch choice {
	case staleRead:
		return s.Replica.Entries[op.Key]
	case staleGone:
		return Entry{}
	}
	return s.Entries[op.Key]
}

// acknowledged reports whether as many replicas as the operation asks for have everything
// that its store has.
func (r *Rules) acknowledged(s *State, op *Operation) bool {
	have := r.Replicas
	if s.Replica.Lags && s.Replica.Store == op.Store {
		have--
	}
	return have >= int(op.Class)
}

// acknowledge ends the waits for the replica that lags.
func (r *Rules) acknowledge(s *State, code Code) {
	for i := range s.Processes {
		p := &s.Processes[i]
		if !p.parked() {
			continue
		}
		op := r.Automaton.Operation(p.Local)
		// One that waits for more than there are is told of a failover only.
		if op.Kind == WaitReplicas && op.Store == s.Replica.Store && (code == Failed || int(op.Class) <= r.Replicas) {
			r.unpark(p, op, Observe(code))
		}
	}
}
