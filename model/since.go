package model

import "lockstep/model/zone"

// lateSince appends a move for each clock of Since that has run for too long.
func (r *Rules) lateSince(s *State, m *Moves) {
	if r.Windows != nil {
		return
	}
	for k, clock := range s.Since {
		if clock == NoClock {
			continue
		}
		m.Begin()
		if m.Require(Guard{clock, true, r.Patience}) {
			m.Add(Move{Kind: MoveLate, Index: uint8(k), Choice: lateSince})
		}
	}
}

// soon is the longest time that is less than what the property asks: all times are whole
// numbers of ticks. A run with another time in between is one with this time, too, since
// all bounds are closed.
func (r *Rules) soon() Ticks { return r.Patience - 2 }

// soonMoves lets each move be followed by those that are the same and say
// which clock of Since has run for less than the property asks. The move itself stays as it
// is, whatever the clocks show, so nothing is lost.
func (r *Rules) soonMoves(s *State, m *Moves) {
	if r.Windows == nil || s.since() == 0 {
		return
	}
	moves := m.List
	m.List = nil
	for i := range moves {
		move := moves[i]
		m.List = append(m.List, move)
		var op *Operation
		switch move.Kind {
		case MoveEffect, MoveReply, MoveFailure:
			op = r.Automaton.Operation(s.Processes[move.Index].Local)
		}
		for k, clock := range s.Since {
			if clock == NoClock || !r.Windows.Compares(s, op, k) {
				continue
			}
			m.Begin()
			m.guards = append(m.guards, m.guards[move.from:move.to]...)
			if !m.Require(Guard{clock, false, r.soon()}) {
				m.guards = m.guards[:m.open]
				continue
			}
			soon := move
			soon.Soon = 1 << k
			m.Add(soon)
		}
	}
}

// sinceConstants writes what the clocks of Since are compared with.
func (r *Rules) sinceConstants(s *State, lower, upper []zone.Bound) {
	for _, clock := range s.Since {
		switch {
		case clock == NoClock:
		case r.Windows != nil:
			lower[clock], upper[clock] = zone.Unbounded, zone.Bound(r.soon())
		default:
			lower[clock], upper[clock] = zone.Bound(r.Patience), zone.Unbounded
		}
	}
}
