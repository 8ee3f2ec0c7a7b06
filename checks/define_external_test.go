package checks_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

func ExampleDefine() {
	s := checks.NewScenario(catalogue.Lease{})
	s.Faults = []model.Fault{faults.Evict(1)}
	always := checks.Define(checks.Definition{
		Name: "always-cached", Rule: "once a value is cached there is always one",
		Vacuous: "no value was ever cached", Memory: 1,
		Check: func(v *checks.View) {
			_, cached := v.Version("cache", "feed")
			switch {
			case cached:
				v.Memory[0] = 1
				v.Exercise()
			case v.Memory[0] == 1:
				v.Violate()
			}
		},
	})
	report, err := scheduler.Check(context.Background(), s, []model.Property{always}, scheduler.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := report.Verdicts[0]
	fmt.Printf("%s is %s with %d fault: %s\n", v.Property, v.Verdict, v.Faults, v.Trace.Explanation)
	// Output: always-cached is violated with 1 fault: after "feed is evicted" it is not so that once a value is cached there is always one
}

// What a view shows is what the properties of the package see: their twins, written with
// views, have the same verdicts at the same cost.
func TestTwinsThatAreDefinedAgree(t *testing.T) {
	twins := map[string]struct {
		property model.Property
		memory   int
		check    func(v *checks.View)
	}{
		"mutual exclusion": {checks.MutualExclusion(), 0, func(v *checks.View) {
			v.Exercise()
			if len(v.Believers("lock:feed")) > 1 {
				v.Violate()
			}
		}},
		"no foreign release": {checks.NoForeignRelease(), 0, func(v *checks.View) {
			v.Exercise()
			for _, c := range v.Changes() {
				if step := v.Step(); c.Key == "lock:feed" && c.Removed && step.Operation != "" && c.Held != step.By {
					v.Violate()
				}
			}
		}},
		"no stale overwrite": {checks.NoStaleOverwrite(), 1, func(v *checks.View) {
			v.Exercise()
			for _, c := range v.Changes() {
				if c.Store != "cache" || !c.Written || c.After == 0 {
					continue
				}
				if c.After < int(v.Memory[0]) {
					v.Violate()
				}
				v.Memory[0] = byte(c.After)
			}
		}},
		"clean when idle": {checks.CleanWhenIdle(), 0, func(v *checks.View) {
			v.Exercise()
			if present, timed := v.Present("store", "lock:feed"); v.Idle() && present && !timed {
				v.Violate()
			}
		}},
		"available": {checks.Available(), 0, func(v *checks.View) {
			v.Exercise()
			step := v.Step()
			_, there := v.Version("cache", "feed")
			if bad := step.Answer == "failed" || step.Answer == "empty"; bad && !step.Cancelled && there {
				v.Violate()
			}
		}},
		"concurrent rebuilds": {checks.ConcurrentRebuilds(1), 0, func(v *checks.View) {
			v.Exercise()
			if v.Rebuilds() > 1 {
				v.Violate()
			}
		}},
	}
	for name, twin := range twins {
		defined := checks.Define(checks.Definition{Name: name, Rule: "it agrees", Vacuous: "nothing", Memory: twin.memory, Check: twin.check})
		broken := 0
		for _, e := range catalogue.All() {
			for _, f := range [][]model.Fault{nil, {faults.Crash(1)}, {faults.Pause(1, 12*time.Second)}, {faults.RebuildError(1)}} {
				s := checks.NewScenario(e.New())
				s.Faults = f
				r, err := scheduler.Check(context.Background(), s, []model.Property{twin.property, defined}, scheduler.Options{})
				if err != nil {
					t.Fatal(err)
				}
				a, b := &r.Verdicts[0], &r.Verdicts[1]
				if a.Verdict != b.Verdict || a.Faults != b.Faults || a.Steps != b.Steps {
					t.Errorf("%s, %s, %v: %s %d/%d, and as it is defined %s %d/%d", name, e.Name, f, a.Verdict, a.Faults, a.Steps, b.Verdict, b.Faults, b.Steps)
				}
				if a.Verdict == scheduler.Violated {
					broken++
				}
			}
		}
		if broken == 0 {
			t.Errorf("%s is never violated", name)
		}
	}
}

// A definition that lacks something is refused, with what it lacks.
func TestADefinitionIsComplete(t *testing.T) {
	nothing := func(*checks.View) {}
	for _, c := range []struct {
		d    checks.Definition
		says string
	}{
		{checks.Definition{Rule: "r", Vacuous: "v", Check: nothing}, "without a name"},
		{checks.Definition{Name: "mine", Rule: "r", Vacuous: "v"}, "mine lacks its Rule, Vacuous or Check"},
		{checks.Definition{Name: "mine", Rule: "r", Vacuous: "v", Check: nothing, Memory: 65}, "it must be 0 to 64"},
	} {
		_, err := scheduler.Check(context.Background(), checks.NewScenario(catalogue.Lease{}), []model.Property{checks.Define(c.d)}, scheduler.Options{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
