package scheduler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/model"
)

// SimulatedTrace returns a run of a simulation, by its number from 0, as a trace up to the
// first violation of the property, or to its end, and how it went in the simulation. Each step
// is taken again by the concrete replay on its way into the trace, which shares neither
// the state nor the timing of the simulation: the error says which step is not possible
// there. The run has to be small enough for a check: see [Scenario.Check]. Its faults
// have the budgets that the simulation gives, and durations that a check allows, too; so a
// Rebuild distribution has to stay within the range of the protocol. A run that breaks these
// limits is a *ScenarioError.
func SimulatedTrace(c Simulation, number int, p model.Property) (*model.Trace, *RunResult, error) {
	x, err := c.prepare()
	if err != nil {
		return nil, nil, err
	}
	var t *model.Trace
	var result *RunResult
	for tick := x.tick(); ; {
		var m *simulator
		if m, err = newSimulator(x, tick); err == nil {
			m.log = &simulatedLog{}
			result, err = m.run(context.Background(), number)
		}
		if x.again(err, &tick) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		steps := m.inhabited()
		if err := x.affords(steps, m.kinds); err != nil {
			return nil, nil, err
		}
		s := x.replayable(m.others.asked)
		t = newTrace(s, p)
		err = again(s, t, p, func(r *replayer) error {
			t.Steps = nil
			return m.retrace(r, steps, t, p)
		})
		if err != nil && x.Rebuild != nil {
			err = about(fmt.Errorf("the run cannot be written as a trace, most likely since rebuilds have to take as long there as the protocol says: %w", err), "rebuild-time")
		}
		return t, result, err
	}
}

// affords returns an error if there are more faults among the steps than a check can have, in
// all or at a time.
func (c *prepared) affords(steps []simulatedStep, kinds []strikeKind) error {
	outages, starved := 0, 0
	for k := range steps {
		s := &steps[k]
		if s.kind != model.MoveFault && s.kind != model.MoveRecovery {
			continue
		}
		by := 1
		if s.kind == model.MoveRecovery {
			by = -1
		}
		switch kinds[s.fault] {
		case cutting, stopping:
			outages += by
		case starving:
			starved += by
		}
		if outages > 1 || starved > 1 {
			return about(fmt.Errorf("the run cannot be written as a trace: at %s the fault %s strikes while another such is not over; let it strike less often", model.FormatDuration(time.Duration(s.at)), c.Faults[s.fault].Fault.Name()), "fault")
		}
	}
	for i, f := range c.Faults {
		strikes := 0
		for k := range steps {
			if steps[k].kind.IsFault() && !(steps[k].second > 0 && steps[k].node == anyNode) && int(steps[k].fault) == i {
				strikes++
			}
		}
		if name := f.Fault.Name(); strikes > f.Fault.Budget() {
			return about(fmt.Errorf("the run cannot be written as a trace: the fault %s strikes %d times, and a trace has room for %d; let it strike less often", name, strikes, f.Fault.Budget()), "fault")
		}
	}
	return nil
}

// Replayable returns why no run of the simulation can be made a trace, nil if each can: they
// are too large.
func (c Simulation) Replayable() error {
	x, err := c.prepare()
	if err != nil {
		return err
	}
	if _, err = x.replayable(len(c.times(c.Seed))).Check(); err != nil {
		return about(fmt.Errorf("a run of this size cannot be written as a trace: %w", err), "trace")
	}
	return nil
}

// replayable is the scenario in which a run of so many requests can be replayed.
func (c *prepared) replayable(requests int) Scenario {
	s := c.scenario
	s.Updates, s.Nodes, s.Requests = c.Updates, c.Nodes, (requests+c.Nodes-1)/c.Nodes
	s.RebuildBound, s.Jobs = min(c.RebuildBound, 200), c.Jobs
	if c.LatencyOf != nil {
		s.Latency = c.LatencyOf.Range()
	}
	return s
}

// newTrace returns a trace without steps.
func newTrace(s Scenario, p model.Property) *model.Trace {
	t := &model.Trace{
		Format: model.TraceFormat, Version: model.TraceVersion,
		Protocol: s.Name, Parameters: s.Parameters(), Bounds: s.Bounds(), Property: p.Name(), Rule: p.Rule(),
	}
	if p, ok := p.(model.Argued); ok {
		t.Argument = p.Argument()
	}
	return t
}

// retrace lets a replay take the steps of the log.
func (m *simulator) retrace(r *replayer, steps []simulatedStep, t *model.Trace, p model.Property) error {
	held := heldStrikes{}
	m.log.fell = map[string]bool{}
	for i, want := range steps {
		if err := r.pass(time.Duration(want.at) - r.now); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, m.described(&want), err)
		}
		if want.kind == model.MoveRecovery && held.drop(&want) {
			continue
		}
		got, offered, err := m.again(r, &want)
		if err != nil {
			return err
		}
		if got == nil && want.kind == model.MoveFault && (want.anytime || m.kinds[want.fault] == rebooting) {
			// It makes no difference until there is something that it concerns.
			held = append(held, want)
			continue
		}
		if got == nil {
			return fmt.Errorf("step %d, %s: what is possible is %v", i+1, m.described(&want), texts(offered))
		}
		if want.kind != model.MoveFault && want.kind != model.MoveRecovery {
			delete(m.log.fell, got.Process)
		}
		for _, name := range got.Overdue {
			m.log.fell[name] = true
		}
		if done, err := r.adds(t, p, got, want.kind); done || err != nil {
			return err
		}
		for k := 0; k < len(held); k++ {
			late := held[k]
			got, _, err := m.again(r, &late)
			if err != nil {
				return err
			}
			if got == nil {
				continue
			}
			held = slices.Delete(held, k, k+1)
			k--
			if done, err := r.adds(t, p, got, late.kind); done || err != nil {
				return err
			}
		}
	}
	return m.agrees(r)
}

// heldStrikes are faults that have begun and of which a check knows nothing before there is
// something that they concern.
type heldStrikes []simulatedStep

// drop forgets the one that is over, and reports whether it was there.
func (h *heldStrikes) drop(over *simulatedStep) bool {
	for k, s := range *h {
		if s.fault == over.fault && s.node == over.node {
			*h = slices.Delete(*h, k, k+1)
			return true
		}
	}
	return false
}

// again lets a replay take a step of the log, if it can: nil if it cannot, and what is
// possible instead.
func (m *simulator) again(r *replayer, want *simulatedStep) (got *model.TraceStep, offered []model.TraceStep, err error) {
	return r.take(want.kind.String(), func(got *model.TraceStep, e *model.Event) bool {
		return m.isStep(r, want, got, e)
	})
}

// adds puts a step that was taken at the end of a trace, and reports whether that is over: the
// property is violated.
func (r *replayer) adds(t *model.Trace, p model.Property, got *model.TraceStep, kind model.MoveKind) (over bool, err error) {
	t.Steps = append(t.Steps, *got)
	if kind.IsFault() {
		t.Faults++
	}
	t.Weight += kind.Weight()
	if r.broken {
		t.Explanation, err = explain(p, t)
	}
	return r.broken, err
}

func texts(steps []model.TraceStep) []string {
	var all []string
	for i := range steps {
		text := steps[i].Process + " " + steps[i].Text
		if len(steps[i].Overdue) > 0 {
			text += ", due: " + strings.Join(steps[i].Overdue, ", ")
		}
		all = append(all, text)
	}
	return all
}

func (m *simulator) described(s *simulatedStep) string {
	who := "nobody"
	switch {
	case s.process >= 0:
		who = m.nameOf(s.process, s.label)
	case s.kind == model.MoveExpire:
		who = m.learner.keys[s.key].key
	case s.node >= 0:
		who = fmt.Sprintf("n%d", s.node)
	}
	if len(s.overdue) > 0 {
		who += ", due: " + strings.Join(s.overdue, ", ")
	}
	return fmt.Sprintf("at %s %s %s %s %s", model.FormatDuration(time.Duration(s.at)), who, s.kind, s.operation, s.observation.Code())
}

// isStep reports whether a step of the replay is one of the log.
func (m *simulator) isStep(r *replayer, want *simulatedStep, got *model.TraceStep, e *model.Event) bool {
	switch want.kind {
	case model.MoveExpire:
		k := m.learner.keys[want.key]
		return got.Key == k.store+"/"+k.key
	case model.MoveFault, model.MoveRecovery:
		is := m.isStrike(want, got) && e.Drift.Drift == want.drift
		if is && want.second > 0 {
			r.lengths[nameClock(&r.state, e.Drift)] = want.second
		}
		return is
	}
	if want.kind == model.MoveTimeout {
		return got.Arguments[0] == m.timerNameOf(want.process, want.label)
	}
	if got.Process != m.nameOf(want.process, want.label) {
		return false
	}
	if want.kind == model.MoveArrive {
		return true
	}
	if want.kind == model.MoveFailure && got.Fault != m.rules.Faults[want.fault].Name() {
		return false
	}
	a, b := want.observation, e.Observation
	if want.stale != e.Stale {
		return false
	}
	if a.Code() == model.Cancelled && (want.reached != e.Reached || want.goesOn != e.GoesOn) {
		return false
	}
	if e.Operation == nil || e.Operation.Kind != want.operation || a.Code() != b.Code() {
		return false
	}
	if a.Code() != model.Result {
		return a == b
	}
	return a>>12 == b>>12 && m.learner.classes[a.Class()].text == r.namer.learner.classes[b.Class()].text
}

// isStrike reports whether a step of the replay is what a fault does in the log.
func (m *simulator) isStrike(want *simulatedStep, got *model.TraceStep) bool {
	f := m.rules.Faults[want.fault]
	if got.Fault != f.Name() {
		return false
	}
	node := ""
	if want.node != anyNode {
		node = fmt.Sprintf("n%d", want.node)
	}
	// Who was found due before is due all the same.
	due := slices.DeleteFunc(slices.Clone(want.overdue), func(name string) bool { return m.log.fell[name] })
	overdue, there := slices.Sorted(slices.Values(due)), slices.Sorted(slices.Values(got.Overdue))
	switch f.Strikes() {
	case model.OnKey:
		k := m.learner.keys[want.key]
		return got.Key == k.store+"/"+k.key
	case model.OnStore:
		if m.kinds[want.fault] == lagging {
			// What is gone with its TTL by then is gone in both.
			return got.Arguments[0] == want.arguments[0]
		}
		return got.Node == node && slices.Equal(got.Arguments, want.arguments) && slices.Equal(overdue, there)
	case model.OnRequest:
		return got.Process == m.nameOf(want.process, want.label) && slices.Equal(overdue, there)
	}
	return got.Node == node && slices.Equal(overdue, there)
}

// agrees returns an error if the world of a replay is not that of the simulation at the
// end of the run.
func (m *simulator) agrees(r *replayer) error {
	for k := range m.state.Keys {
		mine, known := m.state.Entries[k], false
		for other, key := range r.namer.learner.keys {
			if key == m.learner.keys[k] {
				known = true
				theirs := r.state.Entries[other]
				if mine.Value.Kind != theirs.Value.Kind || mine.TTL != theirs.TTL || mine.Value.Kind != model.KindToken && mine.Value.N != theirs.Value.N {
					return fmt.Errorf("%s is %v at the end, but %v in the replay", key.key, mine, theirs)
				}
			}
		}
		if !known && mine.Present() {
			return fmt.Errorf("%s is unknown in the replay", m.learner.keys[k].key)
		}
	}
	live := 0
	for i := range m.actors {
		if a := &m.actors[i]; !a.gone && m.shapes.list[a.shape].process.Active() {
			live++
		}
	}
	theirs := 0
	for i := range r.state.Processes {
		if r.state.Processes[i].Active() {
			theirs++
		}
	}
	if m.state.Source != r.state.Source || live != theirs {
		return fmt.Errorf("at the end the source is at version %d and %d processes are active, but %d and %d in the replay", m.state.Source, live, r.state.Source, theirs)
	}
	return nil
}
