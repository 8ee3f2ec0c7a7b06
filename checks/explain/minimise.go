package explain

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/scheduler"
)

// Limits of the scenarios that [Minimise] tries.
const (
	minimisedRequests = 3
	minimisedStates   = 500_000
)

// Minimised is the smallest scenario in which a property is violated.
type Minimised struct {
	Scenario scheduler.Scenario
	// Trace is a counterexample with the fewest faults and then the fewest steps there; Minimal
	// says that this is proven.
	Trace   *model.Trace
	Minimal bool
}

// TraceOf returns the trace, nil for none.
func (m *Minimised) TraceOf() *model.Trace {
	if m == nil {
		return nil
	}
	return m.Trace
}

// Minimise searches for the smallest scenario in which a property is violated that the run
// violates: with the same protocol, parameters and kinds of faults, as many as the run has, and
// the fewest nodes, then requests, then updates. What is found is minimal by exhaustive search of that
// scenario, and of all that are smaller. It is nil if none was found within the limits: up to as many
// nodes as the log has, 3 requests on each, and half a million states.
func (r *Result) Minimise(ctx context.Context, p model.Property, o scheduler.Options) (*Minimised, error) {
	if o.MaxStates == 0 || o.MaxStates > minimisedStates {
		o.MaxStates = minimisedStates
	}
	base := r.Reading.Scenario
	base.Endless = false
	var err error
	if base.Faults, err = used(base.Faults, r.Inferred); err != nil {
		return nil, err
	}
	for size := 2; size <= base.Nodes+minimisedRequests; size++ {
		for nodes := 1; nodes <= base.Nodes && nodes < size; nodes++ {
			requests := size - nodes
			if requests > minimisedRequests {
				continue
			}
			for updates := 0; updates <= base.Updates; updates++ {
				s := base
				s.Nodes, s.Requests, s.Updates = nodes, requests, updates
				report, err := scheduler.Check(ctx, s, []model.Property{p}, o)
				if err != nil {
					return nil, err
				}
				if v := &report.Verdicts[0]; v.Verdict == scheduler.Violated {
					return &Minimised{Scenario: s, Trace: v.Trace, Minimal: v.Minimal}, nil
				}
				if ctx.Err() != nil {
					return nil, nil
				}
			}
		}
	}
	return nil, nil
}

// used are the faults that a run has, each with as large a budget as it takes.
func used(all []model.Fault, inferred []scheduler.Inferred) ([]model.Fault, error) {
	count := map[string]int{}
	for _, f := range inferred {
		count[f.Fault]++
	}
	var kept []model.Fault
	for _, f := range all {
		n := count[f.Name()]
		if n == 0 {
			continue
		}
		value := strconv.Itoa(n)
		if _, rest, more := strings.Cut(f.Value(), "x"); more {
			value += "x" + rest
		}
		named, err := faults.Named(f.Name(), value)
		if err != nil {
			return nil, fmt.Errorf("the faults of the run: %w", err)
		}
		kept = append(kept, named)
	}
	return kept, nil
}
