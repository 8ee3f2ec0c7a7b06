package scheduler

import (
	"fmt"
	"slices"

	"lockstep/model"
)

// A simulation is whole if its protocol has code of which a step may concern anybody: who
// waits for a message, say, or for a transaction to end. Then everybody takes part in each
// step who has arrived and is not gone, and no step is quiet. So many processes may be under
// way at once as a state holds, and no more.

// wholeError is why a simulation has to be whole.
type wholeError struct {
	at     model.Source
	kind   model.OperationKind
	reason string
}

func (e *wholeError) Error() string {
	if e.at.File == "" {
		return fmt.Sprintf("a simulation with %s has to look at all processes at once", e.reason)
	}
	return fmt.Sprintf("%s:%d: %s: a simulation with %s has to look at all processes at once", e.at.File, e.at.Line, e.kind, e.reason)
}

// mostAtOnce is how many processes may be under way at once in a whole simulation, so that
// there is room for those whom they spawn.
const mostAtOnce = model.MaxProcesses - 8

// crowded is the error of a whole simulation in which too many are under way.
func (m *simulator) crowded() error {
	if m.config.whole == nil {
		return &ScenarioError{Err: errTooMany}
	}
	return &ScenarioError{Err: fmt.Errorf("%w; at %s more than %d processes are under way, or refer to more than %d tokens: let fewer requests arrive at once", m.config.whole, model.FormatDuration(m.time()), mostAtOnce, model.MaxTokens)}
}

// arrives notes that a family takes part from now on.
func (m *simulator) arrives(root int32) { m.present = append(m.present, root) }

// everyone puts all into the state who have arrived and are not gone, the family of a root
// last: those whom it spawns then come at the end.
func (m *simulator) everyone(last int32) {
	kept := m.present[:0]
	for _, root := range m.present {
		if m.families[root].first < 0 {
			continue
		}
		kept = append(kept, root)
		if root != last {
			m.takesFamily(root)
		}
	}
	m.present = kept
	if last >= 0 {
		m.takesFamily(last)
	}
	for i := range m.outages {
		o := &m.outages[i]
		m.state.Outage = o.outage
		m.state.Outage.Clock = outageClock
		if o.node != anyNode {
			m.state.Outage.Node = m.visit(o.node)
		}
	}
}

// number marks the processes of the state, so that they are known after a step.
func (m *simulator) number() {
	for i := range m.state.Processes {
		m.state.Processes[i].Call = uint8(i + 1)
	}
}

// settleWhole takes everybody out of the state after a step.
func (m *simulator) settleWhole() error {
	s := &m.step
	roots := s.roots[:0]
	for i := range m.state.Processes {
		if p := &m.state.Processes[i]; p.Call > 0 {
			roots = append(roots, owned{model.OwnerOf(p), m.actors[s.members[p.Call-1]].root})
		}
	}
	s.roots = roots
	m.rules.DropEnded(&m.state)
	were := append(s.were[:0], s.members...)
	before := append(s.wereSo[:0], s.before...)
	s.were, s.wereSo = were, before
	s.members, s.before = s.members[:0], s.before[:0]
	root, last := int32(-1), int32(-1)
	for i := range m.state.Processes {
		p := &m.state.Processes[i]
		if p.Call == 0 && p.Root {
			// Its node starts again.
			n := m.boot(p)
			roots = append(roots, owned{model.OwnerOf(p), n})
			s.members, s.before = append(s.members, n), append(s.before, model.Process{})
			continue
		}
		if i == 0 || model.OwnerOf(p) != model.OwnerOf(&m.state.Processes[i-1]) {
			root, last = rootOf(roots, model.OwnerOf(p)), -1
		}
		if p.Call == 0 {
			n := m.vacant()
			m.actors[n] = actor{due: notDue, root: root, next: -1, label: p.Label}
			m.actors[n].random.Seed(m.seed, seedOf(m.seed, processStream, uint64(root), uint64(p.Label)))
			s.members, s.before = append(s.members, n), append(s.before, model.Process{})
		} else {
			s.members, s.before = append(s.members, were[p.Call-1]), append(s.before, before[p.Call-1])
			were[p.Call-1] = -1
		}
		n := s.members[i]
		if m.actors[n].next = -1; last < 0 {
			m.families[root].first = n
		} else {
			m.actors[last].next = n
		}
		last = n
	}
	for i, n := range were {
		if n < 0 {
			continue
		}
		if m.families[m.actors[n].root].first == n {
			m.families[m.actors[n].root].first = -1
		}
		if before[i].Call > 0 && !m.actors[n].gone {
			m.end(n)
		}
	}
	m.openAndClose()
	for i := range s.members {
		if err := m.settle(i); err != nil {
			return err
		}
	}
	for local := range s.nodes {
		m.leave(local)
	}
	return nil
}

// owned says of which root a family of the state is.
type owned struct {
	owner model.Owner
	root  int32
}

func rootOf(roots []owned, owner model.Owner) int32 {
	i := slices.IndexFunc(roots, func(o owned) bool { return o.owner == owner })
	return roots[i].root
}

// vacant returns the number of a process that is to be.
func (m *simulator) vacant() int32 {
	if last := len(m.free) - 1; last >= 0 {
		n := m.free[last]
		m.free = m.free[:last]
		return n
	}
	m.actors = append(m.actors, actor{})
	return int32(len(m.actors) - 1)
}

// lapses leaves of the moves of a process, if it has waited for as long as it would, those by
// which it gives up.
func lapses(moves *model.Moves) {
	kept := 0
	for i := range moves.List {
		if move := &moves.List[i]; move.Kind == model.MoveEffect && move.Observation.Code() == model.TimedOut {
			moves.List[kept] = *move
			kept++
		}
	}
	if kept > 0 {
		moves.List = moves.List[:kept]
	}
}

// waitsOn lets a process go on waiting for a change: it cannot learn of the one that there was.
func (m *simulator) waitsOn(process int32, op *model.Operation) error {
	if err := m.settleWhole(); err != nil {
		return err
	}
	if a := &m.actors[process]; op.Max < model.Forever {
		a.due = a.start + m.metered(a, m.ownMeter(), int64(m.tick.Duration(op.Max)))
		m.queue.push(turn{a.due, process})
	}
	return nil
}
