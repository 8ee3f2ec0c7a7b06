package checks_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// reported is a way to break that people have met and reported: a case of a corpus
// by its id, as a protocol that breaks and one that does not. Both get a verdict, in
// the same scenario.
type reported struct {
	_ struct{}
	// id is the number under which the case is known; lesson tells its rows apart.
	id, lesson string
	property   model.Property
	// before violates the property, after keeps it.
	before, after protocol.Protocol
	// scenario is the smallest that shows it.
	scenario func(s *checks.Scenario)
	// repaired, if there is one, is that of the fix, which is then not in the protocol, or
	// not there alone.
	repaired func(s *checks.Scenario)
	// faults and steps are those of the minimal counterexample.
	faults, steps int
	// unharmed, if there is one, holds even before: what goes wrong is not about it.
	unharmed model.Property
	// unrepaired, if there is one, is violated even afterwards: the fix does not aim at
	// it.
	unrepaired model.Property
}

// run gives both verdicts. The searches must have been exhausted, and what holds must
// not hold vacuously.
func (c reported) run(t *testing.T) {
	before := c.verdict(t, "before", c.before, c.property)
	if before.Verdict != scheduler.Violated || !before.Minimal {
		t.Errorf("before the fix: %s, want a minimal violation", before.Verdict)
	} else if before.Faults != c.faults || before.Steps != c.steps {
		t.Errorf("before the fix: %d faults and %d steps, want %d and %d", before.Faults, before.Steps, c.faults, c.steps)
	}
	mustHold(t, "after the fix", c.verdict(t, "after", c.after, c.property))
	if c.unharmed != nil {
		mustHold(t, "what is not harmed", c.verdict(t, "before", c.before, c.unharmed))
	}
	if c.unrepaired != nil {
		if v := c.verdict(t, "after", c.after, c.unrepaired); v.Verdict != scheduler.Violated {
			t.Errorf("%s: %s; the fix does more than the case says", v.Property, v.Verdict)
		}
	}
}

func mustHold(t *testing.T, what string, v scheduler.Verdict) {
	t.Helper()
	if v.Verdict != scheduler.Holds {
		t.Errorf("%s: %s with %d faults and %d steps: %s", what, v.Verdict, v.Faults, v.Steps, v.Trace.Explanation)
	} else if v.Vacuous != "" {
		t.Errorf("%s: it holds vacuously: %s", what, v.Vacuous)
	}
}

// verdict is what every run of the protocol in the scenario of the case says.
func (c reported) verdict(t *testing.T, when string, p protocol.Protocol, property model.Property) scheduler.Verdict {
	t.Helper()
	if p == nil || property == nil || c.scenario == nil {
		t.Fatal("a case has a protocol before and one after the fix, a property and a scenario")
	}
	s := checks.NewScenario(p)
	if c.scenario(&s); when == "after" && c.repaired != nil {
		c.repaired(&s)
	}
	r, err := scheduler.Check(context.Background(), s, []model.Property{property}, scheduler.Options{})
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if !r.Exhausted {
		t.Fatalf("%s: not exhausted: %s", when, r.CutOff)
	}
	v := r.Verdicts[0]
	text := fmt.Sprintf("%s: %s %s, %d faults, %d steps, %d states", when, v.Property, v.Verdict, v.Faults, v.Steps, r.Stats.States)
	if v.Trace != nil {
		text += ": " + v.Trace.Explanation
	}
	t.Log(text)
	return v
}

func runAll(t *testing.T, cases []reported) {
	for _, c := range cases {
		t.Run(c.id+" "+c.lesson, c.run)
	}
}

// inWorld sets how many nodes and updates there are, and what may go wrong.
func inWorld(nodes, updates int, faults ...model.Fault) func(*checks.Scenario) {
	return func(s *checks.Scenario) { s.Nodes, s.Updates, s.Faults = nodes, updates, faults }
}

// latency sets how long operations of stores and of the source take.
func latency(most time.Duration, scenario func(*checks.Scenario)) func(*checks.Scenario) {
	return func(s *checks.Scenario) {
		scenario(s)
		s.Latency = protocol.Range{Max: most}
	}
}

// The stores by their numbers.
const (
	lockStore  model.StoreID = 0
	cacheStore model.StoreID = 1
	firstStore model.StoreID = 2 // of those that are independent
)

// only limits a fault that strikes keys or stores to one store. Its moves are filtered,
// so what it foresees must be passed on.
type only struct {
	model.Fault
	store model.StoreID
}

func (f only) Value() string {
	return fmt.Sprintf("%s in the %s", f.Fault.Value(), protocol.StoreNames()[f.store])
}

func (f only) Resolve(t model.Tick) (model.Fault, error) {
	resolved, err := f.Fault.Resolve(t)
	return only{resolved, f.store}, err
}

func (f only) SeesPending() bool {
	foresighted, ok := f.Fault.(model.Foresighted)
	return ok && foresighted.SeesPending()
}

func (f only) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	from := len(m.List)
	f.Fault.Offer(r, s, m)
	kept := m.List[:from]
	for _, move := range m.List[from:] {
		store := model.StoreID(move.Index)
		if f.Strikes() == model.OnKey {
			store = r.Automaton.Store(model.KeyID(move.Index))
		}
		if store == f.store {
			kept = append(kept, move)
		}
	}
	m.List = kept
}
