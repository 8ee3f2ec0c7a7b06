package scheduler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

const ms = time.Millisecond

// twoWrites sets a, waits for a second, and sets b.
type twoWrites struct{}

func (twoWrites) Handle(c *protocol.Client) protocol.Answer {
	c.Store.Set("a", c.NewToken())
	c.Sleep(time.Second)
	c.Store.Set("b", c.NewToken())
	return protocol.Empty()
}

// sighting is a write that a log has.
type sighting struct {
	key  string
	at   time.Duration
	node int
}

// logOf is a log of writes that ends at some time.
func logOf(tolerance, end time.Duration, all ...sighting) scheduler.Log {
	l := scheduler.Log{End: end, Tolerance: tolerance, Sees: func(d *scheduler.Deed) bool { return d.Operation.Kind == model.Set }}
	for _, s := range all {
		l.Events = append(l.Events, scheduler.LogEvent{Time: s.at, Node: s.node, Fits: func(d *scheduler.Deed) bool { return d.Key == s.key }})
	}
	return l
}

// explained explains a log by requests that write, one on each node.
func explained(t *testing.T, nodes, maxFaults int, l scheduler.Log, all ...model.Fault) *scheduler.Explanation {
	t.Helper()
	s := scheduler.NewScenario(twoWrites{})
	s.Nodes, s.Updates, s.Faults, s.Latency = nodes, 0, all, protocol.Range{Max: 5 * ms}
	e, err := scheduler.Explain(context.Background(), s, l, maxFaults, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A wait is as long as the protocol says, the latency and the tolerance on both ends included; to
// the millisecond.
func TestALogIsExplainedToTheBorderOfItsTimes(t *testing.T) {
	for _, x := range []struct {
		tolerance, second time.Duration
		possible          bool
	}{
		{0, 2000 * ms, true}, {0, 1999 * ms, false}, {0, 2005 * ms, true}, {0, 2006 * ms, false},
		{10 * ms, 1980 * ms, true}, {10 * ms, 1979 * ms, false}, {10 * ms, 2025 * ms, true}, {10 * ms, 2026 * ms, false},
	} {
		e := explained(t, 1, 0, logOf(x.tolerance, 3*time.Second, sighting{"a", time.Second, 0}, sighting{"b", x.second, 0}))
		if got := e.Trace != nil; got != x.possible {
			t.Errorf("tolerance %s: the second write %s after the first is possible: %t", x.tolerance, x.second-time.Second, got)
		}
		if x.possible && e.Deviation > x.tolerance {
			t.Errorf("tolerance %s: the run deviates by %s", x.tolerance, e.Deviation)
		}
	}
}

// A pause that a log does not show began after the last thing that its node did and before the next
// was due; it ended when the node did something again, or as much earlier as an operation may take.
func TestAPauseIsInferredToTheMillisecond(t *testing.T) {
	e := explained(t, 1, 2, logOf(0, 5*time.Second, sighting{"a", time.Second, 0}, sighting{"b", 4 * time.Second, 0}), faults.Pause(2, 10*time.Second), faults.Crash(1))
	if e.Trace == nil || len(e.Inferred) != 1 || len(e.Others) != 0 {
		t.Fatalf("%+v", e)
	}
	f := e.Inferred[0]
	want := scheduler.Inferred{Fault: "pause", Node: "n0"}
	if f.Fault != want.Fault || f.Node != want.Node || f.End == nil {
		t.Fatalf("%+v", f)
	}
	for _, x := range []struct {
		what      string
		got, want scheduler.Between
	}{
		{"begin", f.Begin, scheduler.Between{Least: 1000 * ms, Most: 2005 * ms}},
		{"end", *f.End, scheduler.Between{Least: 3995 * ms, Most: 4000 * ms}},
		// Either the wait was over when the pause began, 2005 ms at the latest, and the write came
		// at its end; or it was not, 2000 ms at the latest, and the write came up to 5 ms later.
		{"length", *f.Length, scheduler.Between{Least: 1995 * ms, Most: 3000 * ms}},
	} {
		if x.got != x.want {
			t.Errorf("%s: %v to %v, want %v to %v", x.what, x.got.Least, x.got.Most, x.want.Least, x.want.Most)
		}
	}
}

// Silence up to the end of a log is evidence: a node that was bound to act has stopped. One that
// acts later on has not crashed.
func TestSilenceIsInferred(t *testing.T) {
	all := []model.Fault{faults.Crash(1), faults.Pause(1, 10*time.Second)}
	if e := explained(t, 1, 1, logOf(0, 2004*ms, sighting{"a", time.Second, 0}), all...); len(e.Inferred) != 0 || e.Trace == nil {
		t.Errorf("the second write may still come: %+v", e)
	}
	e := explained(t, 1, 1, logOf(0, 2006*ms, sighting{"a", time.Second, 0}), all...)
	if e.Trace == nil || len(e.Inferred) != 1 || e.Inferred[0].Fault != "crash" || e.Inferred[0].Begin != (scheduler.Between{Least: 1000 * ms, Most: 2005 * ms}) {
		t.Errorf("the second write never came: %+v", e.Inferred)
	}
	if len(e.Others) != 1 || e.Others[0][0].Fault != "pause" {
		t.Errorf("a pause without end explains it, too: %+v", e.Others)
	}
	if e := explained(t, 1, 1, logOf(0, 5*time.Second, sighting{"a", time.Second, 0}, sighting{"b", 4 * time.Second, 0}), faults.Crash(1)); e.Trace != nil {
		t.Errorf("what has crashed has written: %+v", e.Inferred)
	}
}

// Where no run goes on it is said at which event, and what the node can do instead, and when.
func TestWhatCannotHappenIsSaid(t *testing.T) {
	early := explained(t, 1, 0, logOf(0, 3*time.Second, sighting{"a", time.Second, 0}, sighting{"b", 1500 * ms, 0}))
	if early.Matched != 1 || early.Blocked == nil || early.Blocked.Event != 1 {
		t.Fatalf("%+v", early)
	}
	other := explained(t, 1, 0, logOf(0, 3*time.Second, sighting{"b", time.Second, 0}))
	if other.Blocked == nil || len(other.Blocked.Instead) != 1 || other.Blocked.Instead[0].Text != "Set a" || other.Blocked.Instead[0].Fits {
		t.Errorf("another write: %+v", other.Blocked)
	}
	wrongNode := explained(t, 2, 0, logOf(0, 3*time.Second, sighting{"a", time.Second, 0}, sighting{"b", 2 * time.Second, 1}))
	if wrongNode.Trace != nil || wrongNode.Matched != 1 {
		t.Errorf("a write of another node: %+v", wrongNode)
	}
	more := explained(t, 1, 0, logOf(0, 9*time.Second, sighting{"a", time.Second, 0}))
	if more.Trace != nil || more.Blocked.Event != 1 {
		t.Errorf("a run does more than the log has: %+v", more.Blocked)
	}
}

// What is not in the log is not held against a run, nor does it help.
func TestOnlyWhatIsSeenCounts(t *testing.T) {
	l := logOf(0, 9*time.Second, sighting{"a", time.Second, 0})
	l.Sees = func(d *scheduler.Deed) bool { return d.Key == "a" }
	if e := explained(t, 1, 0, l); e.Trace == nil {
		t.Error("a write that nobody sees is missed")
	}
}

// Equal values of a log are one version of the source, different ones are not.
func TestValuesAreToldApart(t *testing.T) {
	s := scheduler.NewScenario(rebuildTwice{})
	s.Nodes, s.Updates, s.Latency = 1, 1, protocol.Range{}
	for values, possible := range map[[3]int]bool{{1, 1, 1}: true, {1, 2, 2}: true, {1, 1, 2}: true, {1, 2, 1}: false, {1, 2, 3}: false} {
		// Two values that differ can be of one version, unless they are distinct.
		possible := map[bool]bool{true: possible, false: true}
		for _, distinct := range []bool{true, false} {
			l := logOf(0, 4*time.Second, sighting{"feed", time.Second, 0}, sighting{"feed", 2 * time.Second, 0}, sighting{"feed", 3 * time.Second, 0})
			l.Distinct = distinct
			for i := range l.Events {
				l.Events[i].Value = values[i]
			}
			e, err := scheduler.Explain(context.Background(), s, l, 0, scheduler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Trace != nil; got != possible[distinct] {
				t.Errorf("the values %v, distinct %t, are possible: %t", values, distinct, got)
			}
		}
	}
}

// rebuildTwice stores what it reads three times.
type rebuildTwice struct{}

func (rebuildTwice) Handle(c *protocol.Client) protocol.Answer {
	for range 3 {
		v, _ := c.Source.Read()
		c.Cache.Set("feed", v)
		c.Sleep(time.Second)
	}
	return protocol.Empty()
}

// The same log is explained in the same words each time, whatever the number of workers.
func TestExplanationsAreDeterministic(t *testing.T) {
	l := logOf(10*ms, 9*time.Second, sighting{"a", time.Second, 0}, sighting{"a", 1100 * ms, 1}, sighting{"b", 4 * time.Second, 1}, sighting{"b", 4010 * ms, 0})
	var first []byte
	for workers := range 4 {
		s := scheduler.NewScenario(twoWrites{})
		s.Updates, s.Faults = 0, []model.Fault{faults.Pause(2, 10*time.Second)}
		e, err := scheduler.Explain(context.Background(), s, l, 2, scheduler.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		e.Stats = scheduler.Stats{}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if e.Trace == nil || len(e.Inferred) != 2 || !slices.IsSorted(e.Events) {
			t.Fatalf("%+v", e)
		}
		if first == nil {
			first = text
		}
		if !bytes.Equal(text, first) {
			t.Errorf("%d workers: %s\nis not\n%s", workers, text, first)
		}
	}
}

// What makes no sense is refused.
func TestLogsThatMakeNoSense(t *testing.T) {
	s := scheduler.NewScenario(twoWrites{})
	now := time.Duration(0)
	for name, x := range map[string]struct {
		log    scheduler.Log
		change func(*scheduler.Scenario)
	}{
		"no event":        {logOf(0, 0), func(*scheduler.Scenario) {}},
		"times go back":   {logOf(0, time.Second, sighting{"a", ms, 0}, sighting{"a", 0, 0}), func(*scheduler.Scenario) {}},
		"an unknown node": {logOf(0, time.Second, sighting{"a", ms, 7}), func(*scheduler.Scenario) {}},
		"ends too early":  {logOf(0, 0, sighting{"a", ms, 0}), func(*scheduler.Scenario) {}},
		"drift":           {logOf(0, time.Second, sighting{"a", ms, 0}), func(s *scheduler.Scenario) { s.Faults = []model.Fault{faults.ClockDrift(1, percent(1))} }},
		"arrivals":        {logOf(0, time.Second, sighting{"a", ms, 0}), func(s *scheduler.Scenario) { s.ArriveWithin = &now }},
	} {
		c := s
		x.change(&c)
		if _, err := scheduler.Explain(context.Background(), c, x.log, 0, scheduler.Options{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
