package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/protocol"
	"lockstep/scheduler"
)

func (s *setting) String() string {
	return fmt.Sprintf("nodes=%d requests=%d updates=%d invalidate=%t valueTTL=%d latency=%d..%d reply=%d..%d crash=%d pause=%dx%d bound=%d patience=%d window=%d replicas=%d jobs=%d others=%d boots=%t endless=%t independent=%t %s\n%s",
		s.nodes, s.requests, s.updates, s.invalidate, s.valueTTL, s.latMin, s.latMax, s.replyMin, s.replyMax, s.crashes, s.pauses, s.pauseMax, s.bound, s.patience, s.window, s.replicas, s.jobs, s.others, s.boots, s.endless, s.independent, s.trials, s.programs)
}

// scenario is the same for the engine.
func (s *setting) scenario() scheduler.Scenario {
	c := scheduler.NewScenario(s.protocol(handleProgram))
	c.Nodes, c.Requests, c.Updates, c.Invalidate = s.nodes, s.requests, s.updates, s.invalidate
	c.Latency = protocol.Range{Min: ticks(s.latMin), Max: ticks(s.latMax)}
	c.Reply = protocol.Range{Min: ticks(s.replyMin), Max: ticks(s.replyMax)}
	if s.window >= 0 {
		within := ticks(s.window)
		c.ArriveWithin = &within
	}
	c.ValueTTL, c.RebuildBound = ticks(s.valueTTL), s.bound
	s.staff(&c)
	c.Replicas = max(1, s.replicas)
	if s.crashes > 0 {
		c.Faults = append(c.Faults, faults.Crash(s.crashes))
	}
	if s.pauses > 0 {
		c.Faults = append(c.Faults, faults.Pause(s.pauses, ticks(s.pauseMax)))
	}
	c.Faults, c.Timeout = append(c.Faults, s.trials.faults()...), ticks(s.timeout)
	return c
}

// uses reports whether a program has an instruction of the kind.
func (s *setting) uses(v verb) bool {
	for _, p := range s.programs {
		for _, in := range p {
			if in.verb == v {
				return true
			}
		}
	}
	return false
}

// properties are those that the oracle knows, in the order of its rules, and answered.
func (s *setting) properties() []model.Property {
	all := checks.All(s.bound)
	if s.patience >= 0 {
		all = slices.Insert(all, int(answeredWithin), checks.AnsweredWithin(ticks(s.patience)))
	}
	return all
}

// errUseless: the case breaks a rule or a limit that is not what is tested.
var errUseless = errors.New("useless case")

func engine(s *setting, o scheduler.Options) (*scheduler.Report, error) {
	o.MaxTime, o.MaxStates = 20*time.Second, 300_000
	r, err := scheduler.Check(context.Background(), s.scenario(), s.properties(), o)
	var broken *scheduler.ProtocolError
	if errors.As(err, &broken) || err != nil && strings.Contains(err.Error(), "more than") {
		return nil, fmt.Errorf("%w: %w", errUseless, err)
	}
	if err == nil && !r.Exhausted {
		return nil, fmt.Errorf("%w: the engine was cut off", errUseless)
	}
	return r, err
}

func costOf(v *scheduler.Verdict) cost {
	if v.Verdict != scheduler.Violated {
		return cost{}
	}
	return cost{true, v.Faults, v.Steps}
}

func (c cost) String() string {
	if !c.found {
		return "holds"
	}
	return fmt.Sprintf("violated with %d faults, %d steps", c.faults, c.steps)
}

// mismatch is how the engine and something else disagree.
type mismatch struct {
	what         string
	engine, want string
	trace        *model.Trace
}

func (m *mismatch) Error() string {
	text := fmt.Sprintf("%s:\n\tengine: %s\n\twant:   %s\n", m.what, m.engine, m.want)
	if m.trace != nil {
		var b strings.Builder
		if err := timeline.Write(&b, m.trace, timeline.Options{}); err == nil {
			text += b.String()
		}
	}
	return text
}

// compareVerdicts compares verdicts and costs with those of the enumeration.
func compareVerdicts(s *setting, e *enumeration, r *scheduler.Report) error {
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Property == "answered" {
			if got := costOf(v); got.found && !e.stuckAt(got) {
				return &mismatch{"answered", got.String(), "no world of that cost is stuck; the cheapest stuck one: " + e.stuckCost().String(), v.Trace}
			}
			continue
		}
		want := e.best[i]
		if v.Property != ruleNames[i] {
			return fmt.Errorf("property %d is %s", i, v.Property)
		}
		if got := costOf(v); got != want {
			return &mismatch{v.Property, got.String(), want.String(), v.Trace}
		}
	}
	return nil
}

// stuckAt reports whether some world with just as many faults and no more steps
// is stuck.
func (e *enumeration) stuckAt(c cost) bool {
	for i, stuck := range e.stuck {
		w := e.worlds[i]
		if stuck && w.behind() == c.faults && e.steps[i] <= c.steps {
			return true
		}
	}
	return false
}

// everything switches every reduction off that can be for the setting. Without
// subsumption a deadline that is over makes ever new states.
func (s *setting) reductions() map[string]scheduler.Options {
	all := map[string]scheduler.Options{
		"no symmetry":             {NoSymmetry: true},
		"pauses at any time":      {PauseAnyTime: true},
		"separate arrivals":       {SeparateArrivals: true},
		"separate waits":          {SeparateWaits: true},
		"no reduction but covers": {NoSymmetry: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true},
	}
	if !s.uses(vDeadline) {
		all["no subsumption"] = scheduler.Options{NoSubsumption: true}
		all["no reduction"] = scheduler.Options{NoSymmetry: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true, NoSubsumption: true}
	}
	return all
}

// compareReductions compares the report with those without reductions. For
// answered, which may be silent, only what both find is compared.
func compareReductions(s *setting, r *scheduler.Report) error {
	for name, o := range s.reductions() {
		other, err := engine(s, o)
		if err != nil {
			if errors.Is(err, errUseless) {
				continue
			}
			return fmt.Errorf("%s: %w", name, err)
		}
		for i := range r.Verdicts {
			got, want := costOf(&r.Verdicts[i]), costOf(&other.Verdicts[i])
			if got != want && r.Verdicts[i].Property != "answered" {
				return &mismatch{r.Verdicts[i].Property + " with " + name, want.String(), got.String(), r.Verdicts[i].Trace}
			}
		}
	}
	return nil
}
