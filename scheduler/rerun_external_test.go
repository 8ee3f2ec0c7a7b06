package scheduler_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// counterexamples returns the counterexamples of a scenario to the usual properties.
func counterexamples(t *testing.T, s scheduler.Scenario) []*model.Trace {
	t.Helper()
	r, err := scheduler.Check(context.Background(), s, checks.All(s.RebuildBound), scheduler.Options{MaxStates: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	var traces []*model.Trace
	for _, v := range r.Verdicts {
		if v.Trace != nil {
			traces = append(traces, v.Trace)
		}
	}
	return traces
}

// To run a trace again, and to follow it, on the scenario from which it comes is to do the
// same once more; whatever fault is in it.
func TestATraceAgreesWithItselfWhenItIsRunAgain(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range faults.Kinds() {
		took := model.Range{Max: 12 * time.Second}
		if k.Shape == faults.CountRate {
			took.Max = 100 * time.Millisecond
		}
		for _, name := range []string{"nottl", "lease", "setnx", "stacked"} {
			e, _ := catalogue.Find(name)
			s := scheduler.NewScenario(e.New())
			s.Faults = []model.Fault{k.New(1, took)}
			s, err := s.Check()
			if err != nil {
				t.Fatal(err)
			}
			for _, trace := range counterexamples(t, s) {
				p, err := checks.Named(trace.Property, trace.Argument)
				if err != nil {
					t.Fatal(err)
				}
				for what, run := range map[string]func() (*scheduler.Rerun, error){
					"again":  func() (*scheduler.Rerun, error) { return scheduler.Again(s, trace, p, -1) },
					"follow": func() (*scheduler.Rerun, error) { return scheduler.Follow(s, trace, p) },
				} {
					r, err := run()
					if err != nil {
						t.Fatalf("%s, %s, %s: %s: %v", name, k.Name, trace.Property, what, err)
					}
					if r.Departure != nil || r.Parting != nil || len(r.Moved) > 0 || r.Violated != len(trace.Steps) || r.Trace.Explanation != trace.Explanation {
						t.Errorf("%s, %s, %s: %s: %+v", name, k.Name, trace.Property, what, r)
					}
					if text := func(s model.TraceStep) string { return s.Text }; !slices.EqualFunc(r.Trace.Steps, trace.Steps, func(a, b model.TraceStep) bool { return text(a) == text(b) && a.Time == b.Time }) {
						t.Errorf("%s, %s, %s: %s: other steps", name, k.Name, trace.Property, what)
					}
					if r.Trace.Faults != trace.Faults {
						t.Errorf("%s, %s: %d faults, not %d", name, k.Name, r.Trace.Faults, trace.Faults)
					}
				}
				for i := range trace.Steps {
					if trace.Steps[i].Fault != "" {
						seen[trace.Steps[i].Fault] = true
					}
				}
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d kinds of faults occur in the traces", len(seen))
	}
}

// careful is a lock around a rebuild, which looks whether it is free before it asks for it.
func careful(c *protocol.Client) protocol.Answer {
	if _, taken, _ := c.Store.Get("lock"); taken { // here: looks first
		return protocol.Empty()
	}
	return locked(c, time.Second)
}

func careless(c *protocol.Client) protocol.Answer { return locked(c, time.Second) }

func locked(c *protocol.Client, ttl time.Duration) protocol.Answer {
	ok, err := c.Store.SetNX("lock", c.NewToken(), ttl) // here: asks for the lock
	if err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	v, err := c.Rebuild(model.Range{Min: 2 * time.Second, Max: 3 * time.Second})
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}

// Where the code has changed, the departure says at which step, what was expected and what is
// done instead, each with its line.
func TestADepartureSaysWhatIsDoneInstead(t *testing.T) {
	s := scheduler.NewScenario(code(careless))
	traces := counterexamples(t, s)
	if len(traces) == 0 {
		t.Fatal("no counterexample")
	}
	r, err := scheduler.Again(scheduler.NewScenario(code(careful)), traces[0], checks.MutualExclusion(), -1)
	if err != nil {
		t.Fatal(err)
	}
	want := "step 2, at 0s: expected SetNX lock at " + markedLine(t, "asks for the lock") + ", got Get lock at " + markedLine(t, "looks first")
	if r.Departure == nil || r.Departure.Error() != want || len(r.Trace.Steps) != 1 || r.Violated != 0 {
		t.Errorf("it departs at %v, after %d steps; want %s", r.Departure, len(r.Trace.Steps), want)
	}
	// One step can be run.
	r, err = scheduler.Again(scheduler.NewScenario(code(careful)), traces[0], checks.MutualExclusion(), 1)
	if err != nil || r.Departure != nil || len(r.Trace.Steps) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	// With another TTL the same operation has other arguments.
	long := func(c *protocol.Client) protocol.Answer { return locked(c, time.Minute) }
	r, err = scheduler.Again(scheduler.NewScenario(code(long)), traces[0], checks.MutualExclusion(), -1)
	if err != nil || r.Departure == nil || !strings.Contains(r.Departure.Want, "1s") || !strings.Contains(r.Departure.Got, "1m") {
		t.Errorf("%+v, %v", r, err)
	}
}

// What follows a trace is a run of the other scenario: it can be run again, whatever is
// drawn. Steps stand next to those that they were taken for, in order.
func TestWhatFollowsATraceIsARunOfItsOwn(t *testing.T) {
	var traces []*model.Trace
	for _, name := range []string{"fixedttl", "lease", "setnx"} {
		e, _ := catalogue.Find(name)
		s := scheduler.NewScenario(e.New())
		s.Faults = []model.Fault{faults.Pause(1, 12*time.Second), faults.Crash(1)}
		traces = append(traces, counterexamples(t, s)...)
	}
	rapid.Check(t, func(t *rapid.T) {
		trace := rapid.SampledFrom(traces).Draw(t, "trace")
		e := rapid.SampledFrom(catalogue.All()).Draw(t, "protocol")
		s := scheduler.NewScenario(e.New())
		s.Nodes = rapid.IntRange(1, 3).Draw(t, "nodes")
		s.Faults = []model.Fault{faults.Pause(rapid.IntRange(0, 1).Draw(t, "pauses"), time.Duration(rapid.IntRange(1, 15).Draw(t, "pause"))*time.Second), faults.Crash(1)}
		s, err := s.Check()
		if err != nil {
			t.Fatal(err)
		}
		p, err := checks.Named(trace.Property, trace.Argument)
		if err != nil {
			t.Fatal(err)
		}
		r, err := scheduler.Follow(s, trace, p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := scheduler.Again(s, r.Trace, p, -1)
		if err != nil || again.Departure != nil {
			t.Fatalf("%v, %+v", err, again)
		}
		last := 0
		for _, n := range r.Of {
			if n != 0 && n <= last || n > len(trace.Steps) {
				t.Fatalf("the steps stand next to %v", r.Of)
			}
			last = max(last, n)
		}
	})
}

// restless does something and then looks again and again; ends does so once, later than the
// first one has come to its dead end.
func restless(c *protocol.Client) protocol.Answer {
	c.Store.Del("x")
	for {
		c.Checkpoint()
		c.Sleep(time.Second)
	}
}

func ends(c *protocol.Client) protocol.Answer {
	c.Store.Del("x")
	c.Sleep(time.Second)
	return protocol.Empty()
}

// Whether a run ends in a dead end is asked of the code as it is now: a repair that acts only
// afterwards is seen. What the trace was a counterexample of makes no difference.
func TestADeadEndIsOneOfTheCodeThatIsThereNow(t *testing.T) {
	for _, p := range []model.Property{checks.Answered(), checks.NoLivelock()} {
		s := scheduler.NewScenario(code(restless))
		r, err := scheduler.Check(context.Background(), s, []model.Property{p}, scheduler.Options{})
		if err != nil || r.Verdicts[0].Trace == nil {
			t.Fatalf("%s: %v", p.Name(), err)
		}
		trace := r.Verdicts[0].Trace
		again, err := scheduler.Again(s, trace, p, -1)
		if err != nil || again.Violated != len(trace.Steps) || again.Trace.Explanation == "" {
			t.Errorf("%s: %v, %+v", p.Name(), err, again)
		}
		for what, run := range map[string]func(scheduler.Scenario) (*scheduler.Rerun, error){
			"again":  func(s scheduler.Scenario) (*scheduler.Rerun, error) { return scheduler.Again(s, trace, p, -1) },
			"follow": func(s scheduler.Scenario) (*scheduler.Rerun, error) { return scheduler.Follow(s, trace, p) },
		} {
			repaired, err := run(scheduler.NewScenario(code(ends)))
			if err != nil || repaired.Violated != 0 || repaired.Undecided != "" {
				t.Errorf("%s, %s: %v, %+v", p.Name(), what, err, repaired)
			}
		}
	}
}

// Where time cannot pass until a step, the departure names what is due before.
func TestADepartureSaysWhatIsDueBefore(t *testing.T) {
	s := scheduler.NewScenario(&catalogue.Lease{})
	s.Faults = []model.Fault{faults.Pause(1, 12*time.Second)}
	trace := counterexamples(t, s)[0]
	s.Faults = []model.Fault{faults.Pause(1, time.Second)}
	r, err := scheduler.Again(s, trace, checks.MutualExclusion(), -1)
	if err != nil || r.Departure == nil || !strings.Contains(r.Departure.Got, "n0 runs again, which is due at 1.005s") {
		t.Errorf("%v, %+v", err, r.Departure)
	}
}
