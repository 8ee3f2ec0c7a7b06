package casebook

import (
	"context"
	"fmt"

	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Outcome is what the checker says of a check.
type Outcome struct {
	// Before and After are the reports on the variants, of which Before may be nil.
	Before, After *scheduler.Report
	// Wrong are the ways in which they differ from what the case says.
	Wrong []string
}

// Verify explores both variants of the check. The error is that of a search that failed, or
// was cut off.
func (k *Check) Verify(ctx context.Context, o scheduler.Options) (*Outcome, error) {
	out := &Outcome{}
	if k.Before != nil {
		r, err := k.check(ctx, k.Before, false, k.Property, o)
		if err != nil {
			return nil, err
		}
		out.Before = r
		switch v := &r.Verdicts[0]; {
		case v.Verdict != scheduler.Violated || !v.Minimal:
			out.wrong("before the repair it is %s; it should be violated", v.Verdict)
		case v.Faults != k.Faults || v.Steps != k.Steps:
			out.wrong("before the repair it is violated with %d faults and %d steps; they should be %d and %d", v.Faults, v.Steps, k.Faults, k.Steps)
		}
		if err := k.expect(ctx, out, k.Before, false, k.Unharmed, scheduler.Holds, o); err != nil {
			return nil, err
		}
	}
	r, err := k.check(ctx, k.After, true, k.Property, o)
	if err != nil {
		return nil, err
	}
	out.After = r
	out.holds(&r.Verdicts[0])
	return out, k.expect(ctx, out, k.After, true, k.Unrepaired, scheduler.Violated, o)
}

func (o *Outcome) wrong(format string, args ...any) {
	o.Wrong = append(o.Wrong, fmt.Sprintf(format, args...))
}

func (o *Outcome) holds(v *scheduler.Verdict) {
	switch {
	case v.Verdict != scheduler.Holds:
		o.wrong("%s is %s; it should hold", v.Property, v.Verdict)
	case v.Vacuous != "":
		o.wrong("%s holds vacuously: %s", v.Property, v.Vacuous)
	}
}

// expect checks another property, if there is one.
func (k *Check) expect(ctx context.Context, out *Outcome, p protocol.Protocol, repaired bool, property model.Property, want scheduler.Result, o scheduler.Options) error {
	if property == nil {
		return nil
	}
	r, err := k.check(ctx, p, repaired, property, o)
	if err != nil {
		return err
	}
	if v := &r.Verdicts[0]; want == scheduler.Holds {
		out.holds(v)
	} else if v.Verdict != want {
		out.wrong("%s is %s even after the repair; it should be %s", v.Property, v.Verdict, want)
	}
	return nil
}

// Scenario returns the scenario of a variant.
func (k *Check) Scenario(p protocol.Protocol, repaired bool) scheduler.Scenario {
	s := scheduler.NewScenario(p)
	k.World(&s)
	if repaired && k.Repaired != nil {
		k.Repaired(&s)
	}
	return s
}

func (k *Check) check(ctx context.Context, p protocol.Protocol, repaired bool, property model.Property, o scheduler.Options) (*scheduler.Report, error) {
	r, err := scheduler.Check(ctx, k.Scenario(p, repaired), []model.Property{property}, o)
	if err == nil && !r.Exhausted {
		err = fmt.Errorf("the search was cut off: %s", r.CutOff)
	}
	return r, err
}
