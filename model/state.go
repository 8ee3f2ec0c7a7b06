package model

import "math/bits"

// Limits on what one state may hold. Whoever exceeds one gets an error that
// names it.
const (
	MaxRegisters = 12
	MaxProcesses = 64
	MaxTokens    = 32
	MaxKeys      = 16
	MaxFaults    = 8
	MaxVersion   = 200
)

// Class tells interchangeable nodes from others.
type Class uint8

const (
	// Service nodes serve requests.
	Service Class = iota
	// Updater nodes run one Update role each.
	Updater
)

// Status is what a node does.
type Status uint8

const (
	// Running: the processes of the node take steps.
	Running Status = iota
	// Halted: they take none, and nothing bounds their waiting.
	Halted
	// Crashed: there are none any more.
	Crashed
	// Down: as Crashed, but the node starts again: requests that have not arrived
	// then may still do so.
	Down
	// Doomed: a process has panicked, and the node is about to crash for that.
	Doomed
)

// Node is one service instance. Clock and Limit bound how long it stays Halted or
// Down.
type Node struct {
	Class  Class
	Status Status
	Clock  uint8
	Limit  Ticks
	// Memory is what the processes of the node share, by key; gone with them.
	Memory [MaxMemory]Datum
	// Kept is how many keys have something there.
	Kept uint8
	// Variant is which variant of the protocol it runs.
	Variant uint8
	// Steps tells by how much its wall clock is wrong.
	Steps Steps
	// Drift tells whether the clock by which its processes wait drifts.
	Drift Drift
	// Label tells the node from others in a trace, and Asked counts the requests that it has
	// been sent; they are no part of the state.
	Label uint8
	Asked uint16
}

// Phase is how far a process is with its current operation.
type Phase uint8

const (
	// Waiting: the request has not arrived.
	Waiting Phase = iota
	// Arriving: the request arrives, and its first operation takes effect, at
	// any time.
	Arriving
	// Acting: the operation is issued and has not taken effect.
	Acting
	// Replying: it has taken effect; the process has not yet observed it.
	Replying
	// Ended: the process has returned; its result can be waited for.
	Ended
	// Sent: it is no more than a request under way; see send.
	Sent
	// Timing: it is no more than the timer of a context; see startContext.
	Timing
)

// Process is a sequential thread of protocol code. A root process and what it
// spawned are a family; the processes of a family stand next to each other in
// the order in which they were spawned, the families of a node likewise.
type Process struct {
	// Local is its local state; while Waiting, the number of the program that it will
	// run.
	Local LocalID
	// Observed is what it will observe: while Replying, or of a Sleep that it
	// began when it had already been told to stop.
	Observed     Observation
	Node, Family uint8
	Phase        Phase
	// Overdue: it became due while it could not act, so it acts at once.
	Overdue bool
	// Late: it has waited for some time that nobody knows, perhaps for as long as it
	// would wait for its operation.
	Late bool
	// Stopped: it has been told to stop.
	Stopped bool
	// Cancelled: its request has been cancelled.
	Cancelled bool
	// Writing: it has a transaction of the source.
	Writing bool
	// Starved: it takes no step; see [Starving].
	Starved bool
	// Root: it has a role, and was not spawned.
	Root bool
	Role Role
	// New: it has arrived, and its first operation, which goes to a store or the
	// source, has not taken effect: nothing in the world tells that it is there.
	New bool
	// Rebuilding: it has read the source and computes what to cache.
	Rebuilding bool
	// Clock measures from the issue of the operation (Acting) or from its
	// effect (Replying); from the beginning for one that is bound to arrive (Waiting).
	Clock uint8
	// Watch measures from the arrival of a request whose wait is watched, or for a property
	// how long something has been so; see [Watching].
	Watch uint8
	// Request and Label name the process in a trace, and Spawned counts what it
	// has spawned; they are no part of the state. Label is 0 for a root and has
	// a byte, the number among its parent's, for each generation.
	Request uint16
	Spawned uint8
	Label   uint32
	// Client and Call are for a property about the history of an object; see [Recording].
	Client, Call uint8
	// Believes has a bit for each lock that the process believes to hold.
	Believes uint16
	// Noted has bits that properties set and clear; it goes wherever the process goes.
	Noted     uint8
	Count     uint8
	Registers [MaxRegisters]Register
}

// Held returns the registers in use.
func (p *Process) Held() []Register { return p.Registers[:p.Count] }

// NoOwner is the owner of a token whose family is gone.
const NoOwner Owner = 0xffff

// Owner is the family that created a token: its node and its number there.
type Owner uint16

// OwnerOf returns the owner that stands for the family of p.
func OwnerOf(p *Process) Owner { return Owner(p.Node)<<8 | Owner(p.Family) }

// State is the world at one instant, except for time: clocks are named here and
// measured elsewhere (a zone, or numbers).
type State struct {
	Processes []Process
	Nodes     []Node
	// Entries are the contents of all stores, by key.
	Entries [MaxKeys]Entry
	// Watches measure for a property how long something has been so of an entry that is
	// present, by key; see [Watching].
	Watches [MaxKeys]uint8
	// Since measures for a property how long ago something was, each clock for what the
	// property says; see [Watching] and [Windowed].
	Since [MaxKeys]uint8
	// Keys bounds the keys that are present: none is as high as that. It follows from the
	// rest.
	Keys     uint8
	Replica  Replica
	Outage   Outage
	Starving Starving
	// Frozen has a bit for each store whose clock stands still, Fast and Slow for each
	// whose clock drifts, Steady for each whose clock does not and never will.
	Frozen, Fast, Slow, Steady uint16
	// Owners tells for each token in use who created it.
	Owners [MaxTokens]Owner
	// Serials names tokens in a trace, from 1; no part of the state. Created
	// counts them.
	Serials [MaxTokens]uint16
	Created uint16
	// Source is the version of the source.
	Source uint8
	// Left is the budget that is left of each fault.
	Left [MaxFaults]uint8
	// Memory belongs to the properties.
	Memory []byte
	// Attentive: a process may watch keys, or be parked at a list. It follows from the
	// rest.
	Attentive bool
	// Drifts: a clock drifts. It follows from the rest.
	Drifts bool
	// Contexts: a process may refer to contexts below that of its request. It follows from
	// the rest.
	Contexts bool

	// muted: messages are lost, in the step under way.
	muted bool
	// scratch is for sorting.
	scratch []Process
}

// present returns the entries up to the last one that may be present.
func (s *State) present() []Entry { return s.Entries[:s.Keys] }

// Copy makes s equal to other without sharing anything with it.
func (s *State) Copy(other *State) {
	processes, nodes, memory, scratch := s.Processes, s.Nodes, s.Memory, s.scratch
	*s = *other
	s.scratch = scratch
	s.Processes = append(processes[:0], other.Processes...)
	s.Nodes = append(nodes[:0], other.Nodes...)
	s.Memory = append(memory[:0], other.Memory...)
}

// Task returns the index of the process of p's family that has the given
// position in it, or -1 if there is none.
func (s *State) Task(p *Process, position uint8) int {
	for i := range s.Processes {
		q := &s.Processes[i]
		if q.Node == p.Node && q.Family == p.Family {
			if i += int(position); i < len(s.Processes) {
				if q = &s.Processes[i]; q.Node == p.Node && q.Family == p.Family {
					return i
				}
			}
			return -1
		}
	}
	return -1
}

// freeToken returns a token slot that nothing mentions.
func (s *State) freeToken() (uint8, bool) {
	used := uint64(0)
	use := func(d *Datum) {
		if d.Kind == KindToken {
			used |= 1 << d.N
		}
	}
	for k := range s.present() {
		use(&s.Entries[k].Value)
	}
	if s.Replica.Lags {
		for k := range s.Replica.Entries {
			use(&s.Replica.Entries[k].Value)
		}
	}
	for n := range s.Nodes {
		if node := &s.Nodes[n]; node.Kept != 0 {
			for k := range node.Memory {
				use(&node.Memory[k])
			}
		}
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		for k := range p.Held() {
			use(&p.Registers[k].Datum)
		}
	}
	n := bits.TrailingZeros64(^used)
	return uint8(n), n < MaxTokens
}

// those returns the processes of which something is so, each as a bit.
func (s *State) those(is func(p *Process) bool) (set uint64) {
	for i := range s.Processes {
		if is(&s.Processes[i]) {
			set |= 1 << i
		}
	}
	return set
}

// removeProcesses drops the processes that are gone, each a bit, and keeps the references
// among the others right.
func (s *State) removeProcesses(gone uint64) {
	if gone == 0 {
		return
	}
	for i := range s.Processes {
		if gone>>i&1 != 0 {
			continue
		}
		p := &s.Processes[i]
		for k := range p.Held() {
			if r := &p.Registers[k]; r.Kind == KindTask {
				if t := s.Task(p, r.N); t >= 0 {
					before := gone >> (t - int(r.N)) & (1<<r.N - 1)
					r.N -= uint8(bits.OnesCount64(before))
				}
			}
		}
	}
	kept := 0
	for i := range s.Processes {
		if gone>>i&1 != 0 {
			continue
		}
		if kept != i {
			s.Processes[kept] = s.Processes[i]
		}
		kept++
	}
	s.Processes = s.Processes[:kept]
}

// DropProcesses ends all processes of the node without a trace, and its memory. Requests
// that are under way without a process stay.
func (s *State) DropProcesses(node int) {
	s.Nodes[node].forget()
	s.removeProcesses(s.those(func(p *Process) bool { return int(p.Node) == node && p.Phase != Sent }))
}

// Lives reports whether the process may still do something of its own accord.
func (p *Process) Lives() bool { return p.Phase != Ended && p.Phase != Sent && p.Phase != Timing }

// Active reports whether the process has begun and has not ended.
func (p *Process) Active() bool { return p.Phase == Acting || p.Phase == Replying }

func (s *State) ownerOf(d Datum) Owner {
	if d.Kind != KindToken {
		return NoOwner
	}
	return s.Owners[d.N]
}

// keep returns a copy of the processes that lasts until the next call.
func (s *State) keep() []Process {
	s.scratch = append(s.scratch[:0], s.Processes...)
	return s.scratch
}
