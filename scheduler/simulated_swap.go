package scheduler

import (
	"errors"
	"fmt"
	"time"

	"lockstep/model"
)

// stepState says of the state of one step what its numbers stand for.
type stepState struct {
	// tokens are the tokens by slot, 0 for none.
	tokens [model.MaxTokens]uint64
	// clocks are since when clocks run, in ns. The first are those of entries, by key, and of
	// a replica; next is the first that is free.
	clocks [256]int64
	next   int
	// flights and nodes are the numbers in the simulation of those of the state, members
	// those of its processes.
	flights []int32
	nodes   []int32
	members []int32
	// before are the processes before the step.
	before []model.Process
	// were and wereSo keep members and before meanwhile.
	were   []int32
	wereSo []model.Process
	roots  []owned
	memory []byte
	// like are those who wait for the same as one that takes part, and to whom the same
	// happens.
	like []double
	// full: more belongs into the state than it can hold.
	full bool
	// silent: the step has changed nothing but its process.
	silent bool
	// rebuilding is by how much more rebuilds are under way after the step.
	rebuilding int8
	// drifts: there are clocks that do, and meters are by what those of the state are measured,
	// of which second says how long a second takes.
	drifts bool
	meters [256]model.Meter
	second func(model.Meter) int64
	now    int64
	tick   model.Tick
	moves  model.Moves
	event  model.Event
}

func (s *stepState) begin() { s.tokens = [model.MaxTokens]uint64{} }

// AtLeast and AtMost compare clocks with bounds: see model.Clocks.
func (s *stepState) AtLeast(clock uint8, bound model.Ticks) bool {
	return s.now-s.clocks[clock] >= s.length(clock, bound)
}

func (s *stepState) AtMost(clock uint8, bound model.Ticks) bool {
	return s.now-s.clocks[clock] <= s.length(clock, bound)
}

// length is how long it takes until a clock shows a bound, in ns.
func (s *stepState) length(clock uint8, bound model.Ticks) int64 {
	d := int64(s.tick.Duration(bound))
	if !s.drifts {
		return d
	}
	return lengthened(d, s.second(s.meters[clock]))
}

// clear takes everybody out of the state. Entries stay, and so do their tokens.
func (m *simulator) clear() {
	s := &m.step
	kept := uint64(0)
	for k := range m.state.Keys {
		if v := &m.state.Entries[k].Value; v.Kind == model.KindToken {
			kept |= 1 << v.N
		}
	}
	if m.state.Replica.Lags {
		for k := range m.state.Replica.Entries {
			if v := &m.state.Replica.Entries[k].Value; v.Kind == model.KindToken {
				kept |= 1 << v.N
			}
		}
	}
	for slot := range s.tokens {
		if kept>>slot&1 == 0 {
			s.tokens[slot] = 0
		}
	}
	for i := range m.rules.Faults {
		m.state.Left[i] = 1
	}
	s.next = firstFreeClock
	s.flights, s.nodes, s.members, s.like = s.flights[:0], s.nodes[:0], s.members[:0], s.like[:0]
	m.state.Processes, m.state.Nodes = m.state.Processes[:0], m.state.Nodes[:0]
	m.state.Created, m.state.Serials = 0, [model.MaxTokens]uint16{}
	m.state.Drifts, s.drifts = m.drifts, m.drifts
	m.state.Outage, m.state.Attentive, m.state.Contexts = model.Outage{}, m.config.whole != nil, m.config.whole != nil
	s.now, s.tick, s.full = m.now, m.tick, false
}

// visit puts a node into the state and returns its number there.
func (m *simulator) visit(node int32) uint8 {
	s := &m.step
	for n, there := range s.nodes {
		if there == node {
			return uint8(n)
		}
	}
	s.nodes = append(s.nodes, node)
	m.state.Nodes = append(m.state.Nodes, m.places[node].node)
	n := len(s.nodes) - 1
	if added := &m.state.Nodes[n]; added.Kept > 0 {
		for key := range added.Memory {
			if d := &added.Memory[key]; d.Kind == model.KindToken {
				d.N = m.bind(m.places[node].memory[key])
			}
		}
	}
	return uint8(n)
}

// bind returns the slot of a token in the state.
func (m *simulator) bind(token uint64) uint8 {
	free := -1
	for slot, there := range m.step.tokens {
		if there == token {
			return uint8(slot)
		}
		if there == 0 && free < 0 {
			free = slot
		}
	}
	if free < 0 {
		m.step.full = true
		return 0
	}
	m.step.tokens[free] = token
	return uint8(free)
}

// bindFlight returns the number of a flight in the state.
func (m *simulator) bindFlight(flight int32) uint8 {
	for n, there := range m.step.flights {
		if there == flight {
			return uint8(n)
		}
	}
	m.step.flights = append(m.step.flights, flight)
	return uint8(len(m.step.flights) - 1)
}

// member returns the number in the state of a process, -1 if it takes no part.
func (m *simulator) member(process int32) int {
	for i, there := range m.step.members {
		if there == process {
			return i
		}
	}
	return -1
}

// takesFamily puts the family of a root into the state, if anybody is left of it and it is not
// there.
func (m *simulator) takesFamily(root int32) {
	first := m.families[root].first
	if first < 0 || m.member(first) >= 0 {
		return
	}
	family := m.newFamily()
	for process := first; process >= 0; process = m.actors[process].next {
		m.takes(process, family)
	}
}

// takesAlone puts a process into the state without its family, if it is not there.
func (m *simulator) takesAlone(process int32) {
	if m.member(process) < 0 {
		m.takes(process, m.newFamily())
	}
}

// newFamily numbers the next family.
func (m *simulator) newFamily() uint8 {
	if n := len(m.state.Processes); n > 0 {
		return m.state.Processes[n-1].Family + 1
	}
	return 0
}

// takes puts a process at the end of the state.
func (m *simulator) takes(process int32, family uint8) {
	s, a := &m.step, &m.actors[process]
	shape := &m.shapes.list[a.shape]
	m.state.Processes = append(m.state.Processes, shape.process)
	s.members = append(s.members, process)
	p := &m.state.Processes[len(m.state.Processes)-1]
	p.Node, p.Family, p.Spawned, p.Label = m.visit(m.families[a.root].node), family, a.spawned, a.label
	if p.Clock != model.NoClock {
		p.Clock = m.clock(a.start)
	}
	for k := range p.Held() {
		r := &p.Registers[k]
		if r.Clock != model.NoClock {
			r.Clock = m.clock(int64(a.references[r.Clock-1]))
		}
		switch r.Kind {
		case model.KindToken:
			r.N = m.bind(a.references[r.N])
		case model.KindFlight:
			flight := int32(a.references[r.N])
			r.N = m.bindFlight(flight)
			if m.flights[flight].open {
				*r = r.Opened()
			}
		}
	}
}

// clock numbers a clock that has run since a time.
func (m *simulator) clock(since int64) uint8 {
	s := &m.step
	n := s.next
	if n >= int(model.Fresh) {
		s.full = true
		return model.NoClock
	}
	s.clocks[n] = since
	s.next++
	return uint8(n)
}

// own says who owns the tokens of the state: the families that take part.
func (m *simulator) own() {
	for slot, token := range m.step.tokens {
		m.state.Owners[slot] = model.NoOwner
		if token == 0 {
			continue
		}
		root := int32(token >> 32)
		if uint32(token) <= m.families[root].lost {
			continue
		}
		for i, process := range m.step.members {
			if m.actors[process].root == root {
				m.state.Owners[slot] = model.OwnerOf(&m.state.Processes[i])
				break
			}
		}
	}
}

// takesOwner puts the family into the state that has created a token.
func (m *simulator) takesOwner(token uint64, but int32) {
	if root := int32(token >> 32); root != but {
		m.takesFamily(root)
	}
}

// takesOwners puts the families into the state that own what is in the entries, but one.
func (m *simulator) takesOwners(but int32) {
	for k := range m.state.Keys {
		if v := &m.state.Entries[k].Value; v.Kind == model.KindToken {
			m.takesOwner(m.step.tokens[v.N], but)
		}
	}
	if m.state.Replica.Lags {
		for k := range m.state.Replica.Entries {
			if v := &m.state.Replica.Entries[k].Value; v.Kind == model.KindToken {
				m.takesOwner(m.step.tokens[v.N], but)
			}
		}
	}
}

// outline brings a process of the state into the form that its shape has, and returns
// what it refers to.
func (m *simulator) outline(i int, references *[model.MaxRegisters]uint64) (p model.Process, count uint8) {
	p = m.state.Processes[i]
	p.Node, p.Family, p.Request, p.Label, p.Spawned, p.Client, p.Call = 0, 0, 0, 0, 0, 0, 0
	if p.Clock != model.NoClock {
		p.Clock = 1
	}
	var kinds [model.MaxRegisters]model.Kind
	number := func(kind model.Kind, what uint64) uint8 {
		for n := range count {
			if kinds[n] == kind && references[n] == what && kind != model.KindDeadline {
				return n
			}
		}
		kinds[count], references[count] = kind, what
		count++
		return count - 1
	}
	for k := range p.Held() {
		r := &p.Registers[k]
		if r.Clock != model.NoClock {
			since := m.now
			if r.Clock != model.Fresh {
				since = m.step.clocks[r.Clock]
			}
			r.Clock = number(model.KindDeadline, uint64(since)) + 1
		}
		switch r.Kind {
		case model.KindToken:
			r.N = number(r.Kind, m.step.tokens[r.N])
		case model.KindFlight:
			r.N = number(r.Kind, uint64(m.step.flights[r.N]))
			*r = r.Closed()
		}
	}
	return p, count
}

// errorAt says where in a run an error comes from, unless it is about the simulation as such.
func (m *simulator) errorAt(err error, process int32) error {
	var scenario *ScenarioError
	var finer *finerTick
	if errors.As(err, &scenario) || errors.As(err, &finer) {
		return err
	}
	if errors.Is(err, model.ErrTooLarge) {
		return &ScenarioError{Err: fmt.Errorf("at %s, %s: %w; let the run be shorter, as with --duration %s, or do that less often, as with a longer --value-ttl", model.FormatDuration(m.time()), m.name(process), err, model.FormatDuration(m.time().Truncate(time.Second)))}
	}
	return fmt.Errorf("at %s, %s: %w", model.FormatDuration(m.time()), m.name(process), err)
}
