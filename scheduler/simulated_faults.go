package scheduler

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"lockstep/model"
	"lockstep/scheduler/distribution"
)

// plannedStrike is when a fault strikes, or is over: on a node, if it strikes each for itself.
type plannedStrike struct {
	at    int64
	node  int32
	fault uint8
	ends  bool
	// process is the one that is starved.
	process int32
	// times is how often a clock has stepped.
	times int
}

// strikes are what faults are still to do, of which the earliest comes first.
type strikes struct {
	queue  queue
	of     []plannedStrike
	random []rand.PCG
	every  []distribution.Distribution
}

func (s *strikes) first() int64 {
	if len(s.queue) == 0 {
		return notDue
	}
	return s.queue[0].at
}

// plan says when each fault strikes for the first time: each node, if it strikes these. What
// has a plan has a place and a stream of randomness of its own.
func (m *simulator) plan() {
	c, s := m.config, &m.strikes
	s.queue, s.of, s.random, s.every = s.queue[:0], s.of[:0], s.random[:0], s.every[:0]
	for fault, f := range c.Faults {
		s.every = append(s.every, distribution.Exponential(f.Every))
		targets := 1
		switch {
		case m.kinds[fault] == intercepting, m.kinds[fault] == drifting:
			targets = 0
		case m.kinds[fault].onNodes():
			targets = c.Nodes
		}
		for target := range targets {
			k := len(s.of)
			x := plannedStrike{node: anyNode, fault: uint8(fault)}
			if m.kinds[fault].onNodes() {
				x.node = int32(target)
			}
			s.of = append(s.of, x)
			s.random = append(s.random, rand.PCG{})
			s.random[k].Seed(m.seed, seedOf(m.seed, faultStream, uint64(fault*c.Nodes+target)))
			m.planNext(k)
		}
	}
}

// planNext says when a fault strikes again.
func (m *simulator) planNext(k int) {
	s := &m.strikes
	at := m.now + 1 + int64(s.every[s.of[k].fault].Sample(&s.random[k]))
	s.of[k].at, s.of[k].ends = at, false
	s.queue.push(turn{at, int32(k)})
}

// planEnd says when what a fault does is over, and returns that.
func (m *simulator) planEnd(k int) int64 {
	s := &m.strikes
	x := &s.of[k]
	x.at = m.now + max(int64(m.config.Faults[x.fault].Lasts.Sample(&s.random[k])), 0)
	x.ends = true
	s.queue.push(turn{x.at, int32(k)})
	return x.at
}

// strike lets a fault do what is first.
func (m *simulator) strike() error {
	s := &m.strikes
	k := int(s.queue[0].process)
	s.queue.pop()
	x := &s.of[k]
	m.now = x.at
	switch m.kinds[x.fault] {
	case halting, ending, rebooting:
		return m.strikeNode(k)
	case stepping:
		return m.strikeClock(k)
	case cutting, stopping:
		return m.strikeStore(k)
	case lagging:
		return m.strikeReplica(k)
	case starving:
		return m.strikeProcess(k)
	case cancelling:
		return m.strikeRequest(k)
	}
	return m.strikeEntries(k)
}

// strikeEntries lets a fault change what is in the stores, or do something to their clocks.
func (m *simulator) strikeEntries(k int) error {
	if err := m.alone(); err != nil {
		return err
	}
	move, ok := m.offered(k, model.MoveFault)
	m.planNext(k)
	if !ok {
		return nil
	}
	m.rouse(turn{m.now, -1})
	if err := m.alone(); err != nil {
		return err
	}
	m.result.Strikes[move.Fault]++
	if err := m.applyStrike(&move, simulatedStep{process: -1, node: anyNode}); err != nil {
		return err
	}
	return m.settleOthers()
}

// alone prepares a state in which nobody is but those who own what is in the entries; everybody, if
// the simulation is whole.
func (m *simulator) alone() error {
	return m.aloneOn(anyNode)
}

// offered draws one of the moves of a kind that a fault offers in the state; ok is false if
// there is none. Their order does not depend on the numbers of keys: these say which came first
// in any run of the same simulator.
func (m *simulator) offered(k int, kind model.MoveKind) (move model.Move, ok bool) {
	s, fault := &m.step, m.strikes.of[k].fault
	s.moves.Reset(s)
	m.rules.Faults[fault].Offer(m.rules, &m.state, &s.moves)
	kept := s.moves.List[:0]
	for _, move := range s.moves.List {
		if move.Kind == kind {
			move.Fault = fault
			kept = append(kept, move)
		}
	}
	s.moves.List = kept
	if len(kept) == 0 {
		return move, false
	}
	onKeys := m.rules.Faults[fault].Strikes() == model.OnKey
	slices.SortStableFunc(kept, func(a, b model.Move) int {
		if onKeys {
			return m.compareKeys(model.KeyID(a.Index), model.KeyID(b.Index))
		}
		return cmp.Compare(a.Index, b.Index)
	})
	return kept[within(&m.strikes.random[k], 0, int64(len(kept)-1))], true
}

// compareKeys orders keys by the names of their stores, and by their own.
func (m *simulator) compareKeys(a, b model.KeyID) int {
	x, y := m.learner.keys[a], m.learner.keys[b]
	return cmp.Or(cmp.Compare(x.store, y.store), cmp.Compare(x.key, y.key))
}

// applyStrike lets a fault begin or end as the move says, and notes that as the step.
func (m *simulator) applyStrike(move *model.Move, as simulatedStep) error {
	if err := m.apply(move, -1); err != nil {
		return err
	}
	m.noteStrike(as)
	return nil
}
