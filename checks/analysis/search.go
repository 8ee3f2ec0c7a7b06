package analysis

import (
	"context"
	"fmt"

	"lockstep/model"
	"lockstep/scheduler"
)

// CutOffError says that a search was cut off, or is inconclusive, so that the question has
// no answer.
type CutOffError struct {
	// What is the search.
	What string
	// Why it was cut off, or is inconclusive.
	Why string
	// Exhausted: it was not cut off.
	Exhausted bool
}

func (e *CutOffError) Error() string {
	if e.Exhausted {
		return fmt.Sprintf("the search for %s is inconclusive: %s", e.What, e.Why)
	}
	return fmt.Sprintf("the search for %s was cut off: %s", e.What, e.Why)
}

// search checks one property and returns its verdict. A search that is cut off
// without a violation is an error.
func search(ctx context.Context, s scheduler.Scenario, p model.Property, o scheduler.Options) (*scheduler.Report, *scheduler.Verdict, error) {
	r, err := scheduler.Check(ctx, s, []model.Property{p}, o)
	if err != nil {
		return nil, nil, err
	}
	v := &r.Verdicts[0]
	if v.Verdict == scheduler.Inconclusive || v.Verdict == scheduler.Violated && !r.Exhausted && !v.Minimal {
		return nil, nil, inconclusive(p, r)
	}
	return r, v, nil
}

// breaks reports whether the scenario violates the property. It stops at the first
// violation, so its counterexample need not be minimal and is not returned.
func breaks(ctx context.Context, s scheduler.Scenario, p model.Property, o scheduler.Options) (bool, *scheduler.Report, error) {
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	show := o.Progress
	o.Progress = func(p scheduler.Progress) {
		if show != nil {
			show(p)
		}
		if len(p.Violated) > 0 {
			stop()
		}
	}
	r, err := scheduler.Check(stopped, s, []model.Property{p}, o)
	if err != nil {
		return false, nil, err
	}
	switch r.Verdicts[0].Verdict {
	case scheduler.Violated:
		return true, r, nil
	case scheduler.Holds:
		return false, r, nil
	}
	return false, nil, inconclusive(p, r)
}

// inconclusive is the error that the report says nothing certain of its property.
func inconclusive(p model.Property, r *scheduler.Report) error {
	if reason := r.Verdicts[0].Reason; reason != "" {
		return &CutOffError{p.Name(), reason, true}
	}
	return &CutOffError{p.Name(), r.CutOff, false}
}
