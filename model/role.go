package model

// Role is what a root process is there for.
type Role uint8

const (
	// Request is one call of the handler.
	Request Role = iota
	// Update changes the source.
	Update
	// Boot is the start of a service node: no request and no job of the node arrives
	// before it has returned. It comes again when the node is started again.
	Boot
	// Job is one run of a job that goes on beside the requests of its node.
	Job
	roles
)

// ProgramOf returns the code of a role in a variant of the protocol, from 0: different
// nodes may run different ones.
func ProgramOf(role Role, variant uint8) ProgramID {
	return ProgramID(variant)*ProgramID(roles) + ProgramID(role)
}

// Role returns the role whose code a program is, and of which variant, if there are so many
// of those; false for what processes spawn.
func (p ProgramID) Role(variants int) (role Role, variant uint8, ok bool) {
	return Role(p % ProgramID(roles)), uint8(p / ProgramID(roles)), int(p) < variants*int(roles)
}

// RolePrograms returns how many programs there are for the roles in so many variants.
func RolePrograms(variants int) int { return variants * int(roles) }

// Program returns the code that a process will run which has not arrived.
func (p *Process) Program() ProgramID { return ProgramID(p.Local) }

// IsRequest reports whether the process is a request, not what one has spawned.
func (p *Process) IsRequest() bool { return p.Root && p.Role == Request }

// boots reports whether the node does something when it starts.
func (r *Rules) boots(s *State, node uint8) bool {
	return r.Boots && s.Nodes[node].Class == Service
}

// Renews reports whether a restart of the node changes anything although nothing is going
// on there: what its memory keeps is lost, or its start comes again.
func (r *Rules) Renews(s *State, node uint8) bool {
	n := &s.Nodes[node]
	if n.Status == Crashed || n.Status == Down {
		return false
	}
	if r.boots(s, node) {
		return !r.booting(s, node)
	}
	return n.Memory != [MaxMemory]Datum{}
}

// booting reports whether the node has not started completely.
func (r *Rules) booting(s *State, node uint8) bool {
	if !r.Boots {
		return false
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Node == node && p.Root && p.Role == Boot && p.Phase != Ended {
			return true
		}
	}
	return false
}

// held reports whether the process may not arrive yet.
func (r *Rules) held(s *State, p *Process) bool {
	return r.Boots && (p.Phase == Waiting || p.Phase == Arriving) && p.Role != Boot && r.booting(s, p.Node)
}

// booted starts the clocks of the requests of a node that has started.
func (r *Rules) booted(s *State, node uint8) {
	if r.Window == nil {
		return
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Node == node && p.Phase == Waiting && p.Role == Request {
			p.Clock = Fresh
		}
	}
}

// Reboot begins the start of a node that has been down.
func (r *Rules) Reboot(s *State, node uint8, e *Event) error {
	if !r.boots(s, node) {
		return nil
	}
	program := ProgramOf(Boot, s.Nodes[node].Variant)
	at, family := 0, uint8(0)
	for at < len(s.Processes) && s.Processes[at].Node <= node {
		if p := &s.Processes[at]; p.Node == node {
			family = max(family, p.Family+1)
		}
		at++
	}
	start, err := r.Automaton.Start(program)
	if err != nil {
		return err
	}
	boot := Process{Node: node, Family: family, Root: true, Role: Boot}
	if err := s.insert(at, boot, r.Automaton.Operation(start.To).Source); err != nil {
		return err
	}
	return r.begin(s, at, program, e)
}
