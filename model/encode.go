package model

import (
	"encoding/binary"
	"math/bits"
)

// Encode appends the discrete part of s, which is in canonical form, without the
// budgets: two states with the same bytes differ at most in budgets, clock
// values and labels.
func (s *State) Encode(to []byte) []byte {
	to = append(to, s.Source)
	present := uint16(0)
	for k := range s.present() {
		if s.Entries[k].Present() {
			present |= 1 << k
		}
	}
	to = binary.LittleEndian.AppendUint16(to, present)
	for k := range s.present() {
		if e := &s.Entries[k]; e.Present() {
			to = s.encodeEntry(e, s.Watches[k], to)
		}
	}
	for n := range s.Nodes {
		node := &s.Nodes[n]
		if node.Steps != 0 || node.Kept != 0 || node.Drift != NoDrift {
			to = s.encodeMemory(node, to)
			continue
		}
		to = append(to, node.kind())
		to = appendClocked(to, node.Clock, node.Limit)
	}
	count := byte(len(s.Processes))
	since := s.since()
	if since != 0 || s.Replica.Lags || s.Outage.On || s.Starving.On || s.Frozen|s.Fast|s.Slow|s.Steady != 0 {
		count |= troubled
	}
	to = append(to, count)
	for i := range s.Processes {
		to = s.encodeProcess(&s.Processes[i], to)
	}
	if count&troubled != 0 {
		for _, stores := range [...]uint16{s.Frozen, s.Fast, s.Slow, s.Steady} {
			to = binary.LittleEndian.AppendUint16(to, stores)
		}
		to = s.encodeReplica(to)
		to = s.encodeOutage(to)
		rest := byte(0)
		if s.Starving.On {
			rest = starving
		}
		if since != 0 {
			rest |= measuring
		}
		to = append(to, rest)
		if s.Starving.On {
			to = appendClocked(to, s.Starving.Clock, s.Starving.Limit)
		}
		if since != 0 {
			to = binary.LittleEndian.AppendUint16(to, since)
		}
	}
	last := len(s.Memory)
	for last > 0 && s.Memory[last-1] == 0 {
		last--
	}
	return append(to, s.Memory[:last]...)
}

func (s *State) encodeEntry(e *Entry, watch uint8, to []byte) []byte {
	kind := byte(e.Value.Kind)
	if e.Stamp.Clock != NoClock {
		kind |= stamped
	}
	if e.Session != 0 {
		kind |= bound
	}
	if watch != NoClock {
		kind |= observed
	}
	if e.Value.For != 0 {
		kind |= forKey
	}
	to = append(to, kind, e.Value.N)
	if e.Value.For != 0 {
		to = append(to, e.Value.For)
	}
	if e.Session != 0 {
		to = append(to, e.Session)
	}
	to = appendClocked(to, e.Clock, e.TTL)
	if kind&stamped != 0 {
		to = appendClocked(append(to, byte(e.Stamp.Steps)), e.Stamp.Clock, e.Stamp.Limit)
	}
	if e.Value.Kind == KindToken {
		to = binary.LittleEndian.AppendUint16(to, uint16(s.Owners[e.Value.N]))
	}
	return to
}

// stamped stands next to the kind of a value whose entry carries a time.
const stamped = 1 << 7

// bound does so for one that is bound to a session.
const bound = 1 << 6

// observed does so for one that is watched by a property.
const observed = 1 << 5

// forKey does so for one, or for a register, with a value that was read for a key.
const forKey = 1 << 4

// troubled stands next to the number of processes, of which there are fewer: something
// is the matter with a store.
const troubled = 1 << 7

// What follows the replica and the outage: a process that is starved, and the clocks of a
// property that are about no process and no entry.
const (
	starving  = 1 << 0
	measuring = 1 << 1
)

// since returns which clocks of a property run that are about no process and no entry.
func (s *State) since() (running uint16) {
	if s.Since == ([MaxKeys]uint8{}) {
		return 0
	}
	for k, clock := range s.Since {
		if clock != NoClock {
			running |= 1 << k
		}
	}
	return running
}

// encodeOutage writes 0 for none, or what it concerns.
func (s *State) encodeOutage(to []byte) []byte {
	o := &s.Outage
	if !o.On {
		return append(to, 0)
	}
	everywhere := byte(0)
	if o.Everywhere {
		everywhere = 1
	}
	if o.Refuses {
		everywhere |= 2
	}
	to = append(to, 1, byte(o.Store), everywhere, o.Node)
	return appendClocked(to, o.Clock, o.Limit)
}

// encodeReplica writes 0 for none, or 1, 2 if it serves reads, and the entries of the replica, each after its
// key+1, and 0.
func (s *State) encodeReplica(to []byte) []byte {
	if !s.Replica.Lags {
		return append(to, 0)
	}
	kind := byte(1)
	if s.Replica.Reads {
		kind = 2
	}
	to = append(to, kind, byte(s.Replica.Store), s.Replica.Source)
	to = appendClocked(to, s.Replica.Clock, s.Replica.Limit)
	for k := range s.Replica.Entries {
		if e := &s.Replica.Entries[k]; e.Present() {
			to = s.encodeEntry(e, NoClock, append(to, byte(k)+1))
		}
	}
	return append(to, 0)
}

// kind has what is most of a node: its status, its class and its variant.
func (n *Node) kind() byte { return n.Variant<<5 | byte(n.Class)<<4 | byte(n.Status) }

// remembers stands next to the class of a node that has something in its memory, or
// whose clock is wrong.
const remembers = 1 << 7

// encodeMemory writes a node with what is in its memory, each after its key+1, the steps
// of its clock and its drift after the numbers that follow those, and 0.
func (s *State) encodeMemory(node *Node, to []byte) []byte {
	to = append(to, node.kind()|remembers)
	to = appendClocked(to, node.Clock, node.Limit)
	for k, d := range node.Memory {
		if d.Kind != KindNone {
			to = s.encodeEntry(&Entry{Value: d}, NoClock, append(to, byte(k)+1))
		}
	}
	if node.Steps != 0 {
		to = append(to, MaxMemory+1, byte(node.Steps))
	}
	if node.Drift != NoDrift {
		to = append(to, MaxMemory+2, byte(node.Drift))
	}
	return append(to, 0)
}

// appendNumber writes a number; most are small.
func appendNumber(to []byte, v uint64) []byte {
	if v < 0x80 {
		return append(to, byte(v))
	}
	return binary.AppendUvarint(to, v)
}

// readNumber returns the number that appendNumber wrote, and its length.
func readNumber(from []byte) (v uint64, length int) {
	if from[0] < 0x80 {
		return uint64(from[0]), 1
	}
	return binary.Uvarint(from)
}

// appendClocked writes a constant and whether a clock is running; the clock's
// number follows from the order of the state.
func appendClocked(to []byte, clock uint8, limit Ticks) []byte {
	running := uint32(0)
	if clock != NoClock {
		running = 1
	}
	return appendNumber(to, uint64(uint32(limit)<<1|running))
}

// Bits that stand next to the node, the family and the number of registers, of which
// there are fewer.
const (
	watched    = 1 << 7
	cancelled  = 1 << 6
	rebuilding = 1 << 7
	writing    = 1 << 6
	starved    = 1 << 7
	late       = 1 << 6
)

func (s *State) encodeProcess(p *Process, to []byte) []byte {
	node, family := p.Node, p.Family
	if p.Watch != NoClock {
		node |= watched
	}
	if p.Cancelled {
		node |= cancelled
	}
	if p.Rebuilding {
		family |= rebuilding
	}
	if p.Writing {
		family |= writing
	}
	count := p.Count | byte(p.Role)<<4
	if p.Starved {
		count |= starved
	}
	if p.Late {
		count |= late
	}
	to = append(to, node, family, byte(p.Phase)<<5|p.stage(), count)
	to = appendNumber(to, uint64(p.Local))
	to = appendNumber(to, uint64(p.Observed))
	to = appendNumber(to, uint64(p.Call)<<32|uint64(p.Client)<<24|uint64(p.Noted)<<16|uint64(p.Believes))
	for _, reg := range p.Held() {
		if reg.For != 0 {
			to = append(to, byte(reg.Kind)|forKey, reg.N, reg.For)
			continue
		}
		to = append(to, byte(reg.Kind), reg.N)
		switch reg.Kind {
		case KindToken:
			to = binary.LittleEndian.AppendUint16(to, uint16(s.Owners[reg.N]))
		case KindDeadline, KindFlight, KindWatch, KindStamp, KindContext:
			to = appendClocked(to, reg.Clock, reg.Limit)
		}
	}
	return to
}

// Decode makes s the state that Encode wrote. nodes is their number and memory
// that of bytes of the properties. Labels are lost; budgets are left alone.
func (s *State) Decode(from []byte, nodes, memory int) {
	clock := uint8(0)
	clocked := func() (uint8, Ticks) {
		v, n := readNumber(from)
		from = from[n:]
		if v&1 == 0 {
			return NoClock, Ticks(v >> 1)
		}
		clock++
		return clock, Ticks(v >> 1)
	}
	entry := func(e *Entry) (watch uint8) {
		carries, session, watched, key := from[0]&stamped != 0, from[0]&bound != 0, from[0]&observed != 0, from[0]&forKey != 0
		e.Value = Datum{Kind: Kind(from[0] &^ (stamped | bound | observed | forKey)), N: from[1]}
		from = from[2:]
		if key {
			e.Value.For = from[0]
			from = from[1:]
		}
		if session {
			e.Session = from[0]
			from = from[1:]
			s.Attentive = true
		}
		e.Clock, e.TTL = clocked()
		if carries {
			e.Stamp.Steps = Steps(from[0])
			from = from[1:]
			e.Stamp.Clock, e.Stamp.Limit = clocked()
		}
		if watched {
			clock++
			watch = clock
		}
		if e.Value.Kind == KindToken {
			s.Owners[e.Value.N] = Owner(binary.LittleEndian.Uint16(from))
			from = from[2:]
		}
		return watch
	}
	s.Owners = noOwners
	s.Source, s.Attentive, s.Contexts, s.Drifts = from[0], false, false, false
	present := binary.LittleEndian.Uint16(from[1:])
	from = from[3:]
	clear(s.present())
	clear(s.Watches[:s.Keys])
	s.Keys = uint8(bits.Len16(present))
	for ; present != 0; present &= present - 1 {
		k := bits.TrailingZeros16(present)
		s.Watches[k] = entry(&s.Entries[k])
	}
	s.Nodes = cleared(s.Nodes, nodes)
	for n := range s.Nodes {
		node := &s.Nodes[n]
		node.Class, node.Variant, node.Status = Class(from[0]>>4&1), from[0]>>5&3, Status(from[0]&0xf)
		memory := from[0]&remembers != 0
		from = from[1:]
		node.Clock, node.Limit = clocked()
		for memory && from[0] != 0 {
			var e Entry
			k := from[0] - 1
			from = from[1:]
			switch k {
			case MaxMemory:
				node.Steps = Steps(from[0])
				from = from[1:]
				continue
			case MaxMemory + 1:
				node.Drift, s.Drifts = Drift(from[0]), true
				from = from[1:]
				continue
			}
			entry(&e)
			node.remember(KeyID(k), e.Value)
		}
		if memory {
			from = from[1:]
		}
	}
	count, trouble := int(from[0]&^troubled), from[0]&troubled != 0
	from = from[1:]
	s.Processes = cleared(s.Processes, count)
	for i := range s.Processes {
		from = s.decodeProcess(&s.Processes[i], from, &clock)
	}
	if s.Replica.Lags {
		s.Replica = Replica{}
	}
	s.Outage = Outage{}
	for _, stores := range [...]*uint16{&s.Frozen, &s.Fast, &s.Slow, &s.Steady} {
		*stores = 0
		if trouble {
			*stores = binary.LittleEndian.Uint16(from)
			from = from[2:]
		}
	}
	s.Drifts = s.Drifts || s.Fast|s.Slow != 0
	lags := trouble && from[0] != 0
	reads := trouble && from[0] == 2
	if trouble {
		from = from[1:]
	}
	if lags {
		s.Replica.Lags, s.Replica.Reads, s.Replica.Store, s.Replica.Source = true, reads, StoreID(from[0]), from[1]
		from = from[2:]
		s.Replica.Clock, s.Replica.Limit = clocked()
		for from[0] != 0 {
			k := from[0] - 1
			from = from[1:]
			entry(&s.Replica.Entries[k])
		}
		from = from[1:]
	}
	out := trouble && from[0] == 1
	if trouble {
		from = from[1:]
	}
	if out {
		s.Outage = Outage{On: true, Store: StoreID(from[0]), Everywhere: from[1]&1 != 0, Refuses: from[1]&2 != 0, Node: from[2]}
		from = from[3:]
		s.Outage.Clock, s.Outage.Limit = clocked()
	}
	s.Starving, s.Since = Starving{}, [MaxKeys]uint8{}
	measures := false
	if trouble {
		s.Starving.On, measures = from[0]&starving != 0, from[0]&measuring != 0
		from = from[1:]
	}
	if s.Starving.On {
		s.Starving.Clock, s.Starving.Limit = clocked()
	}
	if measures {
		running := binary.LittleEndian.Uint16(from)
		from = from[2:]
		for k := range s.Since {
			if running&(1<<k) != 0 {
				clock++
				s.Since[k] = clock
			}
		}
	}
	s.Memory = append(s.Memory[:0], from...)
	for len(s.Memory) < memory {
		s.Memory = append(s.Memory, 0)
	}
}

// cleared returns so many zero values, in the place of old ones if there is room.
func cleared[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	clear(old[:n])
	return old[:n]
}

func (s *State) decodeProcess(p *Process, from []byte, clock *uint8) []byte {
	p.Node, p.Family, p.Phase, p.Count = from[0]&^(watched|cancelled), from[1]&^(rebuilding|writing), Phase(from[2]>>5), from[3]&0xf
	p.Role, p.Starved, p.Late = Role(from[3]>>4&3), from[3]&starved != 0, from[3]&late != 0
	p.Rebuilding, p.Writing, p.Cancelled = from[1]&rebuilding != 0, from[1]&writing != 0, from[0]&cancelled != 0
	flags, watch := from[2]&0x1f, from[0]&watched != 0
	from = from[4:]
	p.Overdue, p.Stopped, p.Root, p.New = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&16 != 0
	if flags&8 != 0 {
		*clock++
		p.Clock = *clock
	}
	if watch {
		*clock++
		p.Watch = *clock
	}
	number := func() uint64 {
		v, n := readNumber(from)
		from = from[n:]
		return v
	}
	p.Local = LocalID(number())
	p.Observed = Observation(number())
	s.Attentive = s.Attentive || p.Observed.Code() == Parked
	beliefs := number()
	p.Believes, p.Noted, p.Client, p.Call = uint16(beliefs), uint8(beliefs>>16), uint8(beliefs>>24), uint8(beliefs>>32)
	for k := range p.Held() {
		reg := &p.Registers[k]
		reg.Kind, reg.N = Kind(from[0]&^forKey), from[1]
		if from[0]&forKey != 0 {
			reg.For = from[2]
			from = from[3:]
			continue
		}
		from = from[2:]
		switch reg.Kind {
		case KindToken:
			s.Owners[reg.N] = Owner(binary.LittleEndian.Uint16(from))
			from = from[2:]
		case KindDeadline, KindFlight, KindWatch, KindStamp, KindContext:
			s.Attentive = s.Attentive || reg.Kind == KindWatch
			s.Contexts = s.Contexts || reg.Kind == KindContext
			v := number()
			reg.Limit = Ticks(v >> 1)
			if v&1 != 0 {
				*clock++
				reg.Clock = *clock
			}
		}
	}
	return from
}
