package model

// Starving is how long the one process that is starved takes no step, though its node
// runs. On says that there is one; it is the process that says so.
type Starving struct {
	On bool
	// Clock measures since when, up to Limit.
	Clock uint8
	Limit Ticks
}

// Starve lets process i take no step.
func (s *State) Starve(i int, limit Ticks) {
	s.Processes[i].Starved = true
	s.Starving = Starving{On: true, Clock: Fresh, Limit: limit}
}

// Feed lets the process that is starved go on: overdue, if it has become due meanwhile.
func (r *Rules) Feed(s *State, i int, overdue bool) {
	p := &s.Processes[i]
	p.Starved = false
	if overdue || p.Overdue {
		r.FallDue(s, i)
	}
	s.Starving = Starving{}
}

// forgetStarved ends the starving of a process that is gone.
func (s *State) forgetStarved() {
	for i := range s.Processes {
		if s.Processes[i].Starved {
			return
		}
	}
	s.Starving = Starving{}
}

// Stands reports whether the process takes no step for now.
func (s *State) Stands(p *Process) bool {
	return p.Phase != Sent && (s.Nodes[p.Node].Status != Running || p.Starved)
}
