package model

// StoreID numbers the stores.
type StoreID uint8

// Replica is what a store will fall back to: its contents at the instant at which
// replication fell behind. At most one store lags at a time. The TTLs in it run on, and
// what is over when the replica takes over is gone by then.
type Replica struct {
	Lags  bool
	Store StoreID
	// Clock measures since when it lags, up to Limit.
	Clock   uint8
	Limit   Ticks
	Entries [MaxKeys]Entry
}

// Lag lets the replica of a store fall behind.
func (r *Rules) Lag(s *State, store StoreID, limit Ticks) {
	s.Replica = Replica{Lags: true, Store: store, Clock: Fresh, Limit: limit}
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
		}
	}
	s.Frozen &^= 1 << s.Replica.Store // the replica has a clock of its own
	s.Replica = Replica{}
}
