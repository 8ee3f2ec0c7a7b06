package model

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
	p := Process{Node: uint8(n), Request: uint8(number), Root: true, Role: role, Local: LocalID(program)}
	if last := len(s.Processes) - 1; last >= 0 && s.Processes[last].Node == p.Node {
		p.Family = s.Processes[last].Family + 1
	}
	windowed := r.Window != nil && (role == Request || role == Boot)
	if windowed && !(r.Boots && role == Request) {
		p.Clock = Fresh
	}
	if r.MergeArrivals && (r.Patience == 0 || r.Watching) && !windowed && r.mergeable(start) {
		p.Phase, p.Local = Arriving, start.To
	}
	s.Processes = append(s.Processes, p)
	return nil
}
