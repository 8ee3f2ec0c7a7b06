package model

// Values answers what is known of a clock, to order states that differ in
// nothing else. It must not know of Fresh clocks.
type Values interface {
	// Range returns the smallest and the largest value of a clock.
	Range(clock uint8) (least, most int32)
}

// Canonical brings s into canonical form: what nothing refers to is dropped; if
// symmetry is set, interchangeable requests and nodes are sorted; tokens are
// numbered by first mention; clocks are numbered from 1 in a fixed order. It
// appends to source, for each clock, the number that it had before, or 0 for a
// clock that starts now, and returns the result.
//
// Sorting compares the discrete part and then the clocks. States that differ in
// the names of interchangeable nodes may thus still get different forms: that
// costs states and is never wrong.
func (r *Rules) Canonical(s *State, values Values, symmetry bool, source []uint8) []uint8 {
	if s.Contexts {
		s.tidyContexts()
	}
	r.DropEnded(s)
	if s.Starving.On {
		s.forgetStarved()
	}
	if symmetry {
		r.sort(s, values)
	}
	s.numberFamilies(s.numberTokens())
	number := func(clock *uint8) {
		if *clock == NoClock {
			return
		}
		from := *clock
		if from == Fresh {
			from = 0
		}
		source = append(source, from)
		*clock = uint8(len(source))
	}
	for k := range s.present() {
		number(&s.Entries[k].Clock)
		number(&s.Entries[k].Stamp.Clock)
		number(&s.Watches[k])
	}
	for n := range s.Nodes {
		number(&s.Nodes[n].Clock)
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		number(&p.Clock)
		number(&p.Watch)
		for k := range p.Held() {
			number(&p.Registers[k].Clock)
		}
	}
	if s.Replica.Lags {
		number(&s.Replica.Clock)
		for k := range s.Replica.Entries {
			number(&s.Replica.Entries[k].Clock)
			number(&s.Replica.Entries[k].Stamp.Clock)
		}
	}
	number(&s.Outage.Clock)
	number(&s.Starving.Clock)
	if s.Since != ([MaxKeys]uint8{}) {
		for k := range s.Since {
			number(&s.Since[k])
		}
	}
	return source
}

// DropEnded drops ended processes that nobody can wait for, neither for their result nor
// for a flight that they have left unresolved. If requests are endless, whoever has got an
// answer sends another.
func (r *Rules) DropEnded(s *State) {
	ended := s.those(func(p *Process) bool { return p.Phase == Ended && !p.unresolved() })
	if ended == 0 {
		return
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.Phase == Ended {
			continue
		}
		for k := range p.Held() {
			if reg := &p.Registers[k]; reg.Kind == KindTask {
				if t := s.Task(p, reg.N); t >= 0 {
					ended &^= 1 << t
				}
			}
		}
	}
	r.drop(s, ended)
}

func (p *Process) flags() uint8 {
	return p.stage() | bit(p.Cancelled)<<5 | bit(p.Starved)<<6 | bit(p.Writing)<<7
}

// stage has five bits.
func (p *Process) stage() uint8 {
	return bit(p.Overdue) | bit(p.Stopped)<<1 | bit(p.Root)<<2 | bit(p.Clock != NoClock)<<3 | bit(p.New)<<4
}

// bit is 1 for true.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// numberFamilies numbers the families of each node without gaps and forgets the
// owners that are gone, of the first so many tokens.
func (s *State) numberFamilies(tokens uint8) {
	var numbers [MaxProcesses]uint8
	for i := 1; i < len(s.Processes); i++ {
		switch p, before := &s.Processes[i], &s.Processes[i-1]; {
		case p.Node != before.Node:
		case p.Family != before.Family:
			numbers[i] = numbers[i-1] + 1
		default:
			numbers[i] = numbers[i-1]
		}
	}
	for n, owner := range s.Owners[:tokens] {
		if owner == NoOwner {
			continue
		}
		s.Owners[n] = NoOwner
		for i := range s.Processes {
			if OwnerOf(&s.Processes[i]) == owner {
				s.Owners[n] = owner&^0xff | Owner(numbers[i])
				break
			}
		}
	}
	for i := range s.Processes {
		s.Processes[i].Family = numbers[i]
	}
}

// numberTokens numbers tokens and flights in the order in which they are
// mentioned: in the stores, then on the nodes, then by the processes. It returns how many
// tokens there are.
func (s *State) numberTokens() (tokens uint8) {
	number := unnumbered
	var flight [MaxFlights]uint8 // new number+1
	flights := uint8(0)
	owners, serials := s.Owners, s.Serials
	next := uint8(0)
	rename := func(d *Datum) {
		if d.Kind == KindFlight {
			if flight[d.N] == 0 {
				flights++
				flight[d.N] = flights
			}
			d.N = flight[d.N] - 1
		}
		if d.Kind != KindToken {
			return
		}
		if number[d.N] == unnumbered[0] {
			number[d.N] = next
			s.Owners[next], s.Serials[next] = owners[d.N], serials[d.N]
			next++
		}
		d.N = number[d.N]
	}
	for k := range s.present() {
		if v := &s.Entries[k].Value; v.Kind == KindToken {
			rename(v)
		}
	}
	if s.Replica.Lags {
		for k := range s.Replica.Entries {
			rename(&s.Replica.Entries[k].Value)
		}
	}
	for n := range s.Nodes {
		if node := &s.Nodes[n]; node.Kept != 0 {
			for k := range node.Memory {
				rename(&node.Memory[k])
			}
		}
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		for k := range p.Held() {
			if d := &p.Registers[k].Datum; d.Kind == KindToken || d.Kind == KindFlight {
				rename(d)
			}
		}
	}
	copy(s.Owners[next:], noOwners[next:])
	return next
}

// noOwners and unnumbered are what the owners and the numbers of tokens are at first.
var noOwners, unnumbered = func() (owners [MaxTokens]Owner, numbers [MaxTokens]uint8) {
	for n := range owners {
		owners[n], numbers[n] = NoOwner, 0xff
	}
	return owners, numbers
}()
