package model

// mergeable reports whether the arrival of a process that starts along the edge
// leaves no trace before its first operation takes effect: nor may the process give that
// up while it is under way.
func (r *Rules) mergeable(start *Edge) bool {
	op := r.Automaton.Operation(start.To)
	return len(start.Marks) == 0 && op.Remote() && op.Patience == 0 && !r.abandons()
}

// abandons reports whether a fault makes processes give up operations under way.
func (r *Rules) abandons() bool {
	for _, f := range r.Faults {
		if _, ok := f.(Abandoning); ok {
			return true
		}
	}
	return false
}

// arrivesFirst returns the process whose arrival nothing need come before, -1 if there
// is none: time does not pass before it, and whatever else happens at the beginning may
// as well come after it.
func (r *Rules) arrivesFirst(s *State) int {
	if !r.MergeArrivals || r.Window == nil || *r.Window > 0 || r.NodeDrift > 0 && s.Left[r.NodeDrift-1] > 0 && r.Untouched(s) {
		return -1
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Phase == Waiting && r.latest(s, p) == 0 {
			return i
		}
	}
	return -1
}

// GoesOn reports whether nothing is lost if the step that has led to s, which is not
// in canonical form yet, is followed at once by one of [Rules.Further]: if the step is
// the end of a Sleep by which nothing changes but that the process now has another
// operation, which has to take effect before time passes. Whatever comes between the
// two steps comes at the same instant and may as well come before both: a pause or a
// crash of the node, too. Only a Stop may not, and nobody stops a request; nor may the
// end of a context below that of the request, in which either step stands; nor may a
// fault that comes because the operation is under way ([Foresighted]).
//
// A property must not care in which order such an end and the steps of others stand.
func (r *Rules) GoesOn(s *State, e *Event) bool {
	if !r.MergeWaits || e.Move.Kind != MoveEffect || e.Operation.Kind != Sleep || len(e.Marks) > 0 || e.Ended {
		return false
	}
	if e.Operation.Context != NoContext {
		return false
	}
	p := &s.Processes[e.Process]
	if !p.Root || p.Phase != Acting || p.Clock != NoClock {
		return false
	}
	if r.foresees {
		for i, f := range r.Faults {
			if f, ok := f.(Foresighted); ok && s.Left[i] > 0 && f.SeesPending() {
				return false
			}
		}
	}
	if r.Automaton.Operation(p.Local).Context != NoContext {
		return false
	}
	urgent, _ := r.Urgent(s, p)
	return urgent
}

// Further appends what the process of a step that [Rules.GoesOn] does next.
func (r *Rules) Further(s *State, e *Event, m *Moves) {
	r.operationMoves(s, e.Process, m)
	r.soonMoves(s, m)
}
