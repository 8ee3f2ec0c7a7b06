package model

import "slices"

// Population says who takes part in a run.
type Population struct {
	// Services is the number of service nodes, Requests that of requests on
	// each.
	Services, Requests int
	// Updates is the number of updates of the source, each on a node of its own.
	Updates int
	// Jobs is the number of runs of the job on each service node.
	Jobs int
	// Others are the numbers of further service nodes that run another variant of the
	// protocol, by variant from 1.
	Others []int
}

// Nodes returns how many nodes there are.
func (who Population) Nodes() int {
	n := who.Services + who.Updates
	for _, more := range who.Others {
		n += more
	}
	return n
}

// Start makes s the state at the beginning: empty stores, the source at version
// 1, nothing arrived.
func (r *Rules) Start(s *State, who Population) error {
	*s = State{Processes: s.Processes[:0], Nodes: s.Nodes[:0], Memory: s.Memory[:0], Source: 1, scratch: s.scratch}
	for variant, count := range append([]int{who.Services}, who.Others...) {
		for range count {
			if err := r.addService(s, who, uint8(variant)); err != nil {
				return err
			}
		}
	}
	for n := range who.Updates {
		s.Nodes = append(s.Nodes, Node{Class: Updater, Label: uint8(n)})
		if err := r.addRoot(s, Update, 0); err != nil {
			return err
		}
	}
	for i, f := range r.Faults {
		s.Left[i] = uint8(f.Budget())
	}
	memory := 0
	for _, m := range r.Monitors {
		memory += m.Memory()
	}
	s.Memory = append(s.Memory, make([]byte, memory)...)
	return nil
}

// addService adds a service node with its processes.
func (r *Rules) addService(s *State, who Population, variant uint8) error {
	s.Nodes = append(s.Nodes, Node{Class: Service, Label: uint8(len(s.Nodes)), Variant: variant})
	for k := range who.Requests {
		if err := r.addRoot(s, Request, k); err != nil {
			return err
		}
	}
	for k := range who.Jobs {
		if err := r.addRoot(s, Job, k); err != nil {
			return err
		}
	}
	if r.Boots {
		return r.addRoot(s, Boot, 0)
	}
	return nil
}

// addRoot adds a process to the last node, the number of its kind there, which has not
// arrived.
func (r *Rules) addRoot(s *State, role Role, number int) error {
	n := len(s.Nodes) - 1
	program := ProgramOf(role, s.Nodes[n].Variant)
	start, err := r.Automaton.Start(program)
	if err != nil {
		return err
	}
	p := r.root(role, start, program)
	p.Node, p.Request = uint8(n), uint16(number)
	if last := len(s.Processes) - 1; last >= 0 && s.Processes[last].Node == p.Node {
		p.Family = s.Processes[last].Family + 1
	}
	if role == Request {
		s.Nodes[n].Asked++
	}
	s.Processes = append(s.Processes, p)
	return nil
}

// root returns a process that has not arrived.
func (r *Rules) root(role Role, start *Edge, program ProgramID) Process {
	p := Process{Root: true, Role: role, Local: LocalID(program)}
	windowed := r.Window != nil && (role == Request || role == Boot)
	if windowed && !(r.Boots && role == Request) {
		p.Clock = Fresh
	}
	if r.MergeArrivals && (r.Patience == 0 || r.Watching) && !windowed && r.mergeable(start) {
		p.Phase, p.Local = Arriving, start.To
	}
	return p
}

// drop removes the processes that are gone, each a bit. If requests are endless, another comes
// for each of them that was one, and not what one has spawned.
func (r *Rules) drop(s *State, gone uint64) {
	if !r.Endless {
		s.removeProcesses(gone)
		return
	}
	var nodes [MaxProcesses]uint8
	again := 0
	for i := range s.Processes {
		if p := &s.Processes[i]; gone>>i&1 != 0 && p.Root && p.Role == Request {
			nodes[again] = p.Node
			again++
		}
	}
	s.removeProcesses(gone)
	for _, node := range nodes[:again] {
		r.askAgain(s, node)
	}
}

// askAgain puts another request on the node, which has not arrived.
func (r *Rules) askAgain(s *State, node uint8) {
	// No family that is gone in this step has that number: its tokens are nobody's.
	at, family := 0, uint8(MaxProcesses)
	for i := range s.Processes {
		if q := &s.Processes[i]; q.Node <= node {
			at = i + 1
			if q.Node == node {
				family = max(family, q.Family+1)
			}
		}
	}
	program := ProgramOf(Request, s.Nodes[node].Variant)
	start, err := r.Automaton.Start(program)
	if err != nil {
		panic("model: a request is asked again that could not be asked before: " + err.Error())
	}
	p := r.root(Request, start, program)
	p.Node, p.Family, p.Request = node, family, s.Nodes[node].Asked
	s.Nodes[node].Asked++
	s.Processes = slices.Insert(s.Processes, at, p)
}

// DropBegun ends all processes of the node that have begun without a trace, and its memory.
// Requests that are under way without a process stay, and those that have not arrived.
func (r *Rules) DropBegun(s *State, node int) {
	s.Nodes[node].forget()
	r.drop(s, s.those(func(p *Process) bool {
		return int(p.Node) == node && p.Phase != Waiting && p.Phase != Arriving && p.Phase != Sent
	}))
}
