package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// Replay runs a trace again in concrete time and reports whether each step is
// possible at its time and the last one violates the property. It measures time
// with numbers and uses none of the reductions of the search, so that it does
// not share their mistakes.
func Replay(s Scenario, t *model.Trace, p model.Property) error {
	s, err := s.Check()
	if err != nil {
		return err
	}
	s.within = t.Bounds.AnsweredWithin
	tick := s.tick()
	for i := range t.Steps {
		tick = tick.With(t.Steps[i].Time)
	}
	for {
		err := replay(s, t, p, tick)
		var finer *finerTick
		if !errors.As(err, &finer) {
			return err
		}
		tick = finer.tick
	}
}

// replayer is a world whose clocks are numbers.
type replayer struct {
	rules  *model.Rules
	namer  *namer
	state  model.State
	clocks []int64 // ticks; index 0 is not used
	now    time.Duration
	tick   model.Tick
}

func replay(s Scenario, t *model.Trace, p model.Property, tick model.Tick) error {
	var monitors []model.Monitor
	if m, ok := p.(model.Monitor); ok {
		monitors = append(monitors, m)
	}
	rules, learner, err := s.world(tick, monitors, Options{PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true, Patience: 10 * time.Second})
	if err != nil {
		return err
	}
	r := &replayer{rules: rules, namer: newNamer(rules, learner), clocks: []int64{0}, tick: tick}
	if err := rules.Start(&r.state, s.population()); err != nil {
		return err
	}
	r.settle()
	violated := false
	for i := range t.Steps {
		event, err := r.step(&t.Steps[i])
		if err != nil {
			return fmt.Errorf("step %d, at %s: %w", i+1, model.FormatDuration(t.Steps[i].Time), err)
		}
		for _, m := range monitors {
			violated = m.Check(&r.state, event, r.state.Memory)&model.Violated != 0
		}
		r.settle()
	}
	if d, ok := p.(model.DeadEnd); ok {
		violated = !d.Settled(&r.state)
	}
	if !violated {
		return fmt.Errorf("the last step does not violate %s", p.Name())
	}
	return nil
}

// step lets time pass until the step and takes it.
func (r *replayer) step(want *model.TraceStep) (*model.Event, error) {
	if err := r.pass(want.Time - r.now); err != nil {
		return nil, err
	}
	r.now = want.Time
	moves := &model.Moves{}
	moves.Reset(r)
	r.rules.Moves(&r.state, moves)
	var offered []string
	for i := range moves.List {
		move := &moves.List[i]
		if kindName(move.Kind) != want.Kind {
			continue
		}
		before := &model.State{}
		before.Copy(&r.state)
		event := &model.Event{}
		if err := r.rules.Apply(&r.state, move, event); err != nil {
			return nil, err
		}
		r.namer.tokens(&r.state)
		got := r.namer.step(before, &r.state, event, want.Time)
		if same(&got, want) {
			return event, nil
		}
		r.state.Copy(before)
		offered = append(offered, got.Node+" "+got.Process+" "+got.Text)
	}
	if len(offered) == 0 {
		offered = []string{"nothing of the kind"}
	}
	return nil, fmt.Errorf("the trace has %s %s %q, and what is possible is %q", want.Node, want.Process, want.Text, offered)
}

func same(got, want *model.TraceStep) bool {
	return got.Watched == want.Watched && got.Node == want.Node && got.Process == want.Process && got.Fault == want.Fault &&
		slices.Equal(got.Overdue, want.Overdue) && got.Operation == want.Operation && got.Key == want.Key &&
		slices.Equal(got.Arguments, want.Arguments) && got.Observation == want.Observation
}

// pass lets time pass, which nothing that is due may forbid.
func (r *replayer) pass(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("time runs backwards by %s", model.FormatDuration(-d))
	}
	if d == 0 {
		return nil
	}
	ticks, err := r.tick.Ticks(d)
	if err != nil {
		return err
	}
	upper := make([]zone.Bound, len(r.clocks))
	if !r.rules.Invariants(&r.state, upper) {
		return fmt.Errorf("something is due at %s and nothing may wait any longer", model.FormatDuration(r.now))
	}
	for c := 1; c < len(r.clocks); c++ {
		r.clocks[c] += int64(ticks)
		if upper[c] < zone.Infinity && r.clocks[c] > int64(upper[c]) {
			return fmt.Errorf("something was due %s earlier", model.FormatDuration(r.tick.Duration(model.Ticks(r.clocks[c]-int64(upper[c])))))
		}
	}
	return nil
}

func (r *replayer) settle() {
	source := r.rules.Canonical(&r.state, r, false, nil)
	clocks := make([]int64, len(source)+1)
	for i, from := range source {
		if from != 0 {
			clocks[i+1] = r.clocks[from]
		}
	}
	r.clocks = clocks
}

func (r *replayer) AtLeast(clock uint8, bound model.Ticks) bool {
	return r.clocks[clock] >= int64(bound)
}

func (r *replayer) AtMost(clock uint8, bound model.Ticks) bool {
	return r.clocks[clock] <= int64(bound)
}

func (r *replayer) Range(clock uint8) (least, most int32) {
	return int32(r.clocks[clock]), int32(r.clocks[clock])
}
