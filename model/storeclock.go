package model

// The clock of a store measures its TTLs. A step of it changes at once how much is left
// of them, by changing the TTLs: time itself goes on as before. A frozen one lets none end.

// StepMoves appends the ways in which the clock of the store can step by so much,
// forward if that is positive: each key that has a TTL is over by that or is not, which
// Choice says by a bit for each. Both sides are closed. There are none if no TTL runs.
func (r *Rules) StepMoves(s *State, store StoreID, by Ticks, move Move, m *Moves) {
	var room [MaxKeys]int
	timed := room[:0]
	always := uint32(0)
	any := false
	for k := range s.Entries {
		e := &s.Entries[k]
		if !r.Runs(s, KeyID(k)) || r.Automaton.Store(KeyID(k)) != store {
			continue
		}
		any = true
		switch {
		case e.TTL <= by:
			always |= 1 << k
		case by > 0:
			timed = append(timed, k)
		}
	}
	if !any {
		return
	}
	for subset := range uint32(1) << len(timed) {
		move.Choice = always
		possible := true
		m.Begin()
		for i, k := range timed {
			over := subset&(1<<i) != 0
			if over {
				move.Choice |= 1 << k
			}
			e := &s.Entries[k]
			possible = possible && m.Require(Guard{Clock: e.Clock, Lower: over, Bound: e.TTL - by})
		}
		if possible {
			m.Add(move)
		}
	}
}

// Step lets the clock of a store step as the move says.
func (r *Rules) Step(s *State, store StoreID, by Ticks, m *Move, e *Event) {
	for k := range s.Entries {
		entry := &s.Entries[k]
		if !r.Runs(s, KeyID(k)) || r.Automaton.Store(KeyID(k)) != store {
			continue
		}
		before := *entry
		if m.Choice&(1<<k) != 0 {
			*entry = Entry{}
		} else {
			entry.TTL -= by
		}
		e.Changes = append(e.Changes, Change{Key: KeyID(k), Before: before, After: *entry, Owner: s.ownerOf(before.Value), ByClock: true})
	}
}

// Stretching is a fault that may make what is left of a TTL longer.
type Stretching interface {
	Fault
	// Stretches returns by how much, in ticks, each time.
	Stretches() Ticks
}

// stretch returns by how much TTLs may still become longer: the constants of their
// clocks must be ready for that.
func (r *Rules) stretch(s *State) Ticks {
	if !r.stretches {
		return 0
	}
	longer := Ticks(0)
	for i, f := range r.Faults {
		if f, ok := f.(Stretching); ok {
			longer += Ticks(s.Left[i]) * f.Stretches()
		}
	}
	return longer
}

// Rewind lets all TTLs of a store begin anew.
func (r *Rules) Rewind(s *State, store StoreID) {
	for k := range s.Entries {
		if e := &s.Entries[k]; r.Runs(s, KeyID(k)) && r.Automaton.Store(KeyID(k)) == store {
			e.Clock = Fresh
		}
	}
}

// Freeze lets the clock of a store stand still, until it fails over: for its replica time
// goes on as before. Meanwhile no TTL ends, and PTTL compares what is left with anything
// either way.
func (s *State) Freeze(store StoreID) { s.Frozen |= 1 << store }

// Runs reports whether the TTL of the key k runs out when its time has come.
func (r *Rules) Runs(s *State, k KeyID) bool {
	return s.Entries[k].Timed() && (s.Frozen == 0 || s.Frozen&(1<<r.Automaton.Store(k)) == 0)
}
