package analysis

import (
	"context"
	"fmt"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/scheduler"
)

// Metric is something of which the worst case can be asked.
type Metric struct {
	Name string
	// Help says what is measured.
	Help string
	// bounded is the property that the metric stays at or below a count, first
	// the count to try first.
	bounded func(bound int) model.Property
	first   func(s scheduler.Scenario) int
}

// Metrics returns all metrics.
func Metrics() []Metric {
	requests := func(s scheduler.Scenario) int { return s.Nodes * s.Requests }
	return []Metric{
		{Name: "rebuilds", Help: "rebuilds that start for one expiry or invalidation", bounded: checks.RebuildBound, first: requests},
		{Name: "concurrent-rebuilds", Help: "rebuilds under way at the same time", bounded: checks.ConcurrentRebuilds, first: requests},
		{Name: "wait", Help: "how long a request waits for its answer"},
		{Name: "store-commands", Help: "commands that all requests of a run send to the stores", bounded: checks.StoreCommands,
			first: func(s scheduler.Scenario) int { return 8 * requests(s) }},
	}
}

// Worst is the maximum of a metric over all runs of a scenario.
type Worst struct {
	Metric string
	// Count is the maximum, for the metric wait Wait.
	Count int
	Wait  time.Duration
	// AtLeast: the maximum is larger, or there is none; the search for it was
	// given up there.
	AtLeast bool
	// Forever: a request may never be answered; the trace leads to where it cannot
	// be any more.
	Forever bool
	// Bounds are those within which this is exact.
	Bounds model.Bounds
	// Trace is a run that attains the maximum, nil if that is 0.
	Trace *model.Trace
}

const (
	// mostCounted is the largest count that is looked for.
	mostCounted = checks.MaxBound
	// mostPatient is how many times the longest duration of the scenario a wait is
	// followed.
	mostPatient = 8
)

// WorstCase returns the maximum of the metric over all runs of the scenario. It
// proves it: a first search goes on until nothing exceeds a count, a second one
// finds the shortest run that attains it.
//
// The errors are those of [scheduler.Check], and a *CutOffError.
func WorstCase(ctx context.Context, s scheduler.Scenario, m Metric, o scheduler.Options) (*Worst, error) {
	s, err := s.Check()
	if err != nil {
		return nil, err
	}
	if m.bounded == nil {
		return worstWait(ctx, s, o)
	}
	w := &Worst{Metric: m.Name, Bounds: s.Bounds()}
	for bound := min(m.first(s), mostCounted); ; bound = min(2*bound, mostCounted) {
		broken, r, err := breaks(ctx, s, m.bounded(bound), o)
		if err != nil {
			return nil, err
		}
		if !broken {
			w.Count = r.Verdicts[0].Most
			break
		}
		if bound == mostCounted {
			w.Count, w.AtLeast = mostCounted, true
			break
		}
	}
	if w.Count == 0 {
		return w, nil
	}
	_, v, err := search(ctx, s, m.bounded(w.Count-1), o)
	if err != nil {
		return nil, err
	}
	if v.Trace == nil {
		return nil, fmt.Errorf("analysis: no run of %s attains the maximum of %d", m.Name, w.Count)
	}
	w.Trace = v.Trace
	return w, nil
}

// worstWait finds the longest wait by bisection over whether requests are answered
// within a duration. Since the longest wait is a whole number of ticks, it ends at
// the exact one.
func worstWait(ctx context.Context, s scheduler.Scenario, o scheduler.Options) (*Worst, error) {
	w := &Worst{Metric: "wait", Bounds: s.Bounds()}
	_, answered, err := search(ctx, s, checks.Answered(), o)
	if err != nil {
		return nil, err
	}
	if answered.Trace != nil {
		w.Forever, w.Trace = true, answered.Trace
		return w, nil
	}
	longest := s.LongestDuration()
	exceeds := func(d time.Duration) (bool, time.Duration, error) {
		broken, r, err := breaks(ctx, s, checks.AnsweredWithin(d), o)
		if err != nil {
			return false, 0, err
		}
		return broken, r.Tick, nil
	}
	least, most := time.Duration(-1), longest
	var tick time.Duration
	for {
		broken, t, err := exceeds(most)
		if err != nil {
			return nil, err
		}
		if tick = t; !broken {
			break
		}
		least = most
		if most >= mostPatient*longest || most == 0 {
			w.AtLeast = true
			break
		}
		most *= 2
	}
	if least < 0 {
		broken, _, err := exceeds(0)
		if err != nil {
			return nil, err
		}
		if !broken {
			return w, nil
		}
		least = 0
	}
	for !w.AtLeast && most-least > tick {
		middle := least + (most-least)/2/tick*tick
		broken, _, err := exceeds(middle)
		if err != nil {
			return nil, err
		}
		if broken {
			least = middle
		} else {
			most = middle
		}
	}
	w.Wait = most
	_, v, err := search(ctx, s, checks.AnsweredWithin(least), o)
	if err != nil {
		return nil, err
	}
	w.Trace = v.Trace
	return w, nil
}
