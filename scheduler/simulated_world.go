package scheduler

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"lockstep/model"
)

// actor is a process of a simulation: a shape, and what it does not share with others of
// that shape.
type actor struct {
	// due is when it takes its next step, in ns, and start since when its clock runs.
	due, start int64
	random     rand.PCG
	shape      shapeID
	// root is the process that its family begins with, next the one after it in the family,
	// -1 for none.
	root, next int32
	// entangled: a token that it refers to may be referred to elsewhere, too.
	entangled bool
	// waits: it stands in a queue for a flight or a mutex.
	waits bool
	gone  bool
	// idle: it polls, and takes its steps when the world changes, or it wakes. place is where
	// it stands among those.
	idle     bool
	place    int32
	wakes    int64
	believes bool
	spawned  uint8
	label    uint32
	// references are the tokens, the flights and the starts of clocks that the shape numbers.
	references [model.MaxRegisters]uint64
}

// kin is a request or an update with what it has spawned.
type kin struct {
	// first is its first process, -1 if none is left.
	first int32
	node  int32
	// arrives is when it arrives or has, in ns. It is answered when the request has returned.
	arrives  int64
	answered bool
	// lostThere: it was lost on its node.
	lostThere bool
	// created is how many tokens it has created, and lost how many of these when it started
	// over: they are nobody's since.
	created, lost uint32
}

// flight is work in progress on a node that others join.
type flight struct {
	node    int32
	key     model.KeyID
	leader  int32
	open    bool
	waiting []int32
}

// simulatedNode is a node of a simulation.
type simulatedNode struct {
	node model.Node
	// memory are the tokens in its memory, by key.
	memory [model.MaxMemory]uint64
	// open are the flights that can be joined, by key, +1.
	open [model.MaxKeys]int32
	// waiting are those who wait for a mutex, by key.
	waiting [model.MaxMemory][]int32
	// second is how long a second of its clock takes, in ns.
	second int64
	// booting: it starts, and early are those who wait until it has.
	booting bool
	early   []int32
	// runsAgain is when it does if it is halted, in ns.
	runsAgain int64
}

// tokenOf returns the n-th token that a family creates, from 1.
func tokenOf(root int32, n uint32) uint64 { return uint64(root)<<32 | uint64(n) }

// simulator runs one simulation after another. The automaton and the shapes are learned
// once.
type simulator struct {
	scenario Scenario
	config   *prepared
	rules    *model.Rules
	learner  *learner
	monitors []model.Monitor
	tick     model.Tick
	shapes   shapes
	// programs are the shapes of those who have not arrived, by role.
	requests, updates shapeID
	others            others

	seed     uint64
	now      int64
	roots    int
	actors   []actor
	free     []int32
	families []kin
	places   []simulatedNode
	flights  []flight
	queue    queue
	strikes  strikes
	// kinds are those of the faults. halts: there is one that lasts; intercepts: there is one
	// that strikes operations.
	kinds []strikeKind
	// hopes: there is one by which those who poll may get on.
	halts, intercepts, hopes bool
	// drifts: there is one by which clocks are wrong all the time. seconds are how long a second
	// takes of the clocks of stores, in ns.
	drifts  bool
	seconds [model.SourceStore]int64
	outages []simulatedOutage
	// starved says until when processes are starved.
	starved map[int32]int64
	// used are the stores that were used, each as a bit.
	// stale are the entries that a replica that serves reads has otherwise, and the source.
	stale dependency
	used  uint16
	found []int32
	// present are the families that take part in each step of a whole simulation.
	present []int32
	// sessions say when an entry goes whose session has ended, by key.
	sessions [model.MaxKeys]int64
	idle     []int32
	idleOn   dependency
	turns    []turn
	// believers are those who believe that they hold a lock, rebuilding how many rebuilds are
	// under way, waitsOf how long each request has waited that was answered.
	believers  []int32
	rebuilding int
	waitsOf    []time.Duration
	// versions says for what a step may depend on which version of it there is, the last for
	// what depends on nothing; changes
	// counts all changes of the world. They never go back.
	versions [dependencies + 1]uint64
	changes  uint64
	// expires is when the next entry does, in ns, and expiring which.
	expires  int64
	expiring model.KeyID

	// state has what is shared, and in a step those that take part.
	state model.State
	step  stepState

	result *RunResult
	broken []bool
	log    *simulatedLog
	// advance, if it is set, is told now and then which share of the requests is answered.
	advance func(share float64)
}

// newSimulator prepares runs in ticks of a size.
func newSimulator(c *prepared, tick model.Tick) (*simulator, error) {
	s := c.scenario
	monitors := make([]model.Monitor, 0, len(c.monitors))
	monitors = append(monitors, c.monitors...)
	rules, l, err := s.world(tick, monitors, Options{Patience: c.patience})
	if err != nil {
		return nil, err
	}
	rules.PauseWhenDue = false
	m := &simulator{scenario: s, config: c, rules: rules, learner: l, monitors: monitors, tick: tick, starved: map[int32]int64{}}
	m.shapes = newShapes(m.intercepted)
	m.shapes.whole = c.whole != nil
	m.versions[dependencies] = 1
	for _, role := range []struct {
		is model.Role
		to *shapeID
	}{{model.Request, &m.requests}, {model.Update, &m.updates}, {model.Job, &m.others.job}, {model.Boot, &m.others.boot}} {
		program := model.ProgramOf(role.is, 0)
		waiting := model.Process{Root: true, Role: role.is, Local: model.LocalID(program)}
		if *role.to, err = m.shapes.of(&waiting, l); err != nil {
			return nil, err
		}
	}
	m.step.second = m.second
	return m, m.classify()
}

// seedOf makes a seed out of numbers.
func seedOf(numbers ...uint64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	return h.Sum64()
}

// Streams of randomness of a run, besides one for each process.
const (
	arrivalStream = iota + 1
	updateStream
	faultStream
	processStream
	driftStream
	worldStream
)

// begin puts the world at the beginning of the run with the seed.
func (m *simulator) begin(seed uint64) {
	c := m.config
	nodes := c.Nodes + c.Updates
	arrivals := c.times(seed)
	m.seed, m.now = seed, 0
	m.others.asked, m.others.jobs = len(arrivals), len(arrivals)+c.Updates
	m.others.boots = m.others.jobs + c.Nodes*c.Jobs
	m.roots = m.others.boots
	if m.rules.Boots {
		m.roots += c.Nodes * mostBoots
	}
	m.actors, m.families = resized(m.actors, m.roots), resized(m.families, m.roots)
	m.places = resized(m.places, nodes)
	m.free, m.flights, m.queue, m.idle, m.idleOn = m.free[:0], m.flights[:0], m.queue[:0], m.idle[:0], 0
	m.step.begin()
	m.outages, m.used, m.stale = m.outages[:0], 0, 0
	clear(m.starved)
	m.present = m.present[:0]
	m.believers, m.rebuilding, m.waitsOf = m.believers[:0], 0, m.waitsOf[:0]
	m.state = model.State{Processes: m.state.Processes[:0], Nodes: m.state.Nodes[:0], Memory: m.state.Memory[:0], Source: 1}
	for _, monitor := range m.monitors {
		m.state.Memory = append(m.state.Memory, make([]byte, monitor.Memory())...)
	}
	m.broken = resized(m.broken, len(m.monitors))
	m.changed(^dependency(0))
	m.expires = notDue
	for n := range m.places {
		m.places[n].node, m.places[n].second = model.Node{Class: model.Service}, wholeSecond
		if n >= c.Nodes {
			m.places[n].node.Class = model.Updater
		}
	}
	for i, at := range arrivals {
		m.enroll(int32(i), int32(i%c.Nodes), int64(at), m.requests)
	}
	updates := rand.NewPCG(seed, seedOf(seed, updateStream))
	for i := range c.Updates {
		at := within(updates, 0, int64(c.UpdateWithin))
		m.enroll(int32(len(arrivals)+i), int32(c.Nodes+i), at, m.updates)
	}
	m.enlist()
	m.drift()
	m.plan()
}

// resized returns a slice of zeros.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// enroll lets a process arrive at a time.
func (m *simulator) enroll(process, node int32, at int64, as shapeID) {
	a := &m.actors[process]
	*a = actor{due: at, shape: as, root: process, next: -1}
	a.random.Seed(m.seed, seedOf(m.seed, processStream, uint64(process), 0))
	m.families[process] = kin{first: process, node: node, arrives: at}
	m.queue.push(turn{at, process})
}

// within draws a number from least to most, both included.
func within(r rand.Source, least, most int64) int64 {
	if most <= least {
		return least
	}
	return least + scaled(r.Uint64(), uint64(most-least)+1)
}

// changed says that something of the world is not any more what it was.
func (m *simulator) changed(what dependency) {
	m.changes++
	for n := range dependencies {
		if what>>n&1 != 0 {
			m.versions[n] = m.changes
		}
	}
}
