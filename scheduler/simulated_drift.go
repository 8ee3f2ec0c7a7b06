package scheduler

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// wholeSecond is a second of a clock that is right, in ns.
const wholeSecond = int64(time.Second)

// By what a process measures a time: true time, the clock of its node, or that of a store,
// whose number is added.
const (
	byTrueTime = iota
	byNode
	byStore
)

// grain returns of what the length of a second of a clock that drifts has to be a multiple,
// in ns, so that it shows each duration that is known after a whole number of nanoseconds.
func (m *simulator) grain() int64 {
	a, b := wholeSecond, int64(m.tick.Duration(1))
	for b != 0 {
		a, b = b, a%b
	}
	return wholeSecond / a
}

// canDrift returns why clocks cannot drift as a fault says, nil if they can.
func (m *simulator) canDrift(f model.Drifting) error {
	if int64(f.PerSecond()) < m.grain() {
		return about(fmt.Errorf("a %s of %s a second: the durations are so fine here (multiples of %s) that a second can be wrong by a multiple of %s alone; let it drift by more, or round the durations",
			f.Name(), model.FormatDuration(f.PerSecond()), model.FormatDuration(m.tick.Duration(1)), model.FormatDuration(time.Duration(m.grain()))), "fault")
	}
	return nil
}

// drift lets the clocks drift from the beginning on: each by as much as any other, up to what
// the fault says.
func (m *simulator) drift() {
	for k, f := range m.rules.Faults {
		drifting, ok := f.(model.Drifting)
		if !ok {
			continue
		}
		random := rand.NewPCG(m.seed, seedOf(m.seed, driftStream, uint64(k)))
		grain := m.grain()
		most := int64(drifting.PerSecond()) / grain
		drawn := func() (second int64, to model.Drift) {
			second = wholeSecond + grain*within(random, -most, most)
			if second < wholeSecond {
				return second, model.Fast
			}
			return second, model.Slow
		}
		if !drifting.OfStores() {
			for n := range m.config.Nodes {
				at := &m.places[n]
				at.second, at.node.Drift = drawn()
				m.noteDrift(simulatedStep{node: int32(n), fault: uint8(k)}, at.second, at.node.Drift)
			}
			continue
		}
		for store := range model.SourceStore {
			second, to := drawn()
			m.seconds[store] = second
			if to == model.Fast {
				m.state.Fast |= 1 << store
			} else {
				m.state.Slow |= 1 << store
			}
			if int(store) < len(protocol.StoreNames()) {
				m.noteDrift(simulatedStep{node: anyNode, fault: uint8(k), anytime: true, arguments: []string{storeName(store)}}, second, to)
			}
		}
	}
}

// noteDrift notes that a clock drifts.
func (m *simulator) noteDrift(s simulatedStep, second int64, to model.Drift) {
	if m.log != nil {
		s.process, s.kind, s.second, s.drift = -1, model.MoveFault, time.Duration(second), to
		m.log.add(s)
	}
}

// second is how long a second takes of what measures a clock of the state, in ns.
func (m *simulator) second(by model.Meter) int64 {
	switch {
	case by.Drift == model.NoDrift:
		return wholeSecond
	case by.Store:
		return m.seconds[by.Index]
	}
	return m.places[m.step.nodes[by.Index]].second
}

// meterOf says by what a process of the state measures its time.
func (m *simulator) meterOf(p *model.Process) uint8 {
	if !m.drifts {
		return byTrueTime
	}
	switch by := m.rules.Meter(&m.state, p); {
	case by.Drift == model.NoDrift:
		return byTrueTime
	case by.Store:
		return byStore + by.Index
	}
	return byNode
}

// ownMeter says by what a process measures how long it waits for others on its node.
func (m *simulator) ownMeter() uint8 {
	if m.drifts {
		return byNode
	}
	return byTrueTime
}

// metered returns how long it takes until what a process measures its time by shows d.
func (m *simulator) metered(a *actor, by uint8, d int64) int64 {
	switch {
	case by == byTrueTime:
		return d
	case by == byNode:
		return lengthened(d, m.places[m.families[a.root].node].second)
	}
	return lengthened(d, m.seconds[by-byStore])
}

// lengthened returns how long it takes until a clock shows d of which a second takes so long.
func lengthened(d, second int64) int64 {
	if d <= 0 || second == wholeSecond {
		return d
	}
	high, low := bits.Mul64(uint64(d), uint64(second))
	quotient, _ := bits.Div64(high, low, uint64(wholeSecond))
	return int64(quotient)
}
