package explain

import (
	"context"
	"slices"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/scheduler"
)

// Result is how a log can have come about.
type Result struct {
	*scheduler.Explanation
	Reading *Reading
	// Violations are the properties that the run violates, those about what the store accepted
	// first. The Trace is about the first of them.
	Violations []Violation
}

// Violation is a property that a run violates.
type Violation struct {
	Property model.Property
	// Step is that of the trace, from 1, by which it is violated, Text says why.
	Step int
	Text string
}

// Explain searches for a run that agrees with the log, and looks at what it violates. The errors
// are those of [scheduler.Check].
func (b *Reading) Explain(ctx context.Context, o scheduler.Options) (*Result, error) {
	e, err := scheduler.Explain(ctx, b.Scenario, b.log(), b.settings.MaxFaults, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Explanation: e, Reading: b}
	if e.Trace == nil {
		return r, nil
	}
	s, err := b.Scenario.Check()
	if err != nil {
		return nil, err
	}
	for _, p := range properties(s.RebuildBound) {
		again, err := scheduler.Again(s, e.Trace, p, -1)
		if err != nil {
			return nil, err
		}
		if again.Violated > 0 {
			r.Violations = append(r.Violations, Violation{p, again.Violated, again.Trace.Explanation})
		}
	}
	first := checks.NoStaleOverwrite()
	if len(r.Violations) > 0 {
		first, e.Trace.Explanation = r.Violations[0].Property, r.Violations[0].Text
	}
	e.Trace.Property, e.Trace.Rule = first.Name(), first.Rule()
	if a, ok := first.(model.Argued); ok {
		e.Trace.Argument = a.Argument()
	}
	return r, nil
}

// properties are those that a run is held against: by default those of a check that are decided step
// by step, about effects first.
func properties(rebuildBound int) []model.Property {
	var all []model.Property
	kinds := checks.Kinds()
	for _, level := range []checks.Level{checks.Effect, checks.Belief, checks.Cost, checks.Service} {
		for _, k := range kinds {
			if !k.Default || k.Level != level || k.Argument == checks.Count && rebuildBound == 0 {
				continue
			}
			p := k.New(rebuildBound, 0)
			if _, end := p.(model.DeadEnd); !end {
				all = append(all, p)
			}
		}
	}
	return slices.Clip(all)
}
