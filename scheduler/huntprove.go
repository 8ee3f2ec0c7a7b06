package scheduler

import (
	"fmt"
	"slices"

	"lockstep/model"
)

// prove explores the scenario that the find was shrunk to, for a counterexample that is
// minimal there; then those that are smaller by one, as long as one of them has a violation,
// too.
func (h *hunt) prove(f *Find, p model.Property) error {
	f.Scenario.within, f.Scenario.watches = nil, false
	r, err := h.explore(f.Scenario, p)
	if err != nil {
		return err
	}
	v := &r.Verdicts[0]
	switch {
	case v.Verdict == Violated:
		if found := (huntCost{v.Faults, v.Steps}); v.Minimal || found.less(huntCost{f.Shrunk.Faults, f.Shrunk.Steps}) {
			f.adopt(f.Scenario, v)
		}
	case v.Verdict == Holds:
		return fmt.Errorf("scheduler: run %d violates %s and replays, but the exhaustive search of what it was shrunk to says that it holds: %+v", f.Run, p.Name(), f.Bounds)
	}
	if !f.Minimal {
		f.Unproven = "the search of the shrunk scenario was not exhausted: " + r.CutOff
		if r.CutOff == "" {
			f.Unproven = v.Reason
		}
		return nil
	}
	return h.descend(f, p)
}

// descend goes to smaller scenarios as long as the property is violated there.
func (h *hunt) descend(f *Find, p model.Property) error {
	for {
		smaller, err := h.smaller(f)
		if err != nil {
			return err
		}
		f.Smallest = true
		next := slices.IndexFunc(smaller, func(s Scenario) bool {
			if err != nil {
				return false
			}
			var r *Report
			if r, err = h.explore(s, p); err != nil {
				return false
			}
			v := &r.Verdicts[0]
			if v.Verdict == Violated && v.Minimal {
				f.adopt(s, v)
				return true
			}
			f.Smallest = f.Smallest && v.Verdict == Holds
			return false
		})
		if err != nil || next < 0 {
			return err
		}
	}
}

// adopt makes the counterexample of a verdict that of the find.
func (f *Find) adopt(s Scenario, v *Verdict) {
	f.Scenario, f.Trace, f.Minimal = s, v.Trace, v.Minimal
	f.Bounds = v.Trace.Bounds
	f.Least = sizeOf(s, nil)
	f.Least.Faults, f.Least.Steps = v.Faults, v.Steps
}

// smaller returns the scenarios that are smaller than that of the find by one, as far as they
// can violate the property: if its counterexample needs all faults, none with fewer can.
func (h *hunt) smaller(f *Find) ([]Scenario, error) {
	var all []Scenario
	less := func(n *int, least int, s *Scenario) {
		if *n > least {
			*n--
			all = append(all, *s)
		}
	}
	s := f.Scenario
	least := 1
	less(&s.Nodes, least, &s)
	for i := range f.Scenario.Others {
		s = f.Scenario
		s.Others = slices.Clone(s.Others)
		if s.Others[i].Nodes--; s.Others[i].Nodes == 0 {
			s.Others = slices.Delete(s.Others, i, i+1)
		}
		all = append(all, s)
	}
	s = f.Scenario
	less(&s.Requests, 1, &s)
	s = f.Scenario
	less(&s.Jobs, 0, &s)
	s = f.Scenario
	less(&s.Updates, 0, &s)
	budgets := 0
	for _, fault := range f.Scenario.Faults {
		budgets += fault.Budget()
	}
	if f.Least.Faults == budgets || h.options.Budget == nil {
		return all, nil
	}
	for i, fault := range f.Scenario.Faults {
		s = f.Scenario
		if fault.Budget() == 1 {
			s.Faults = slices.Delete(slices.Clone(s.Faults), i, i+1)
			all = append(all, s)
			continue
		}
		fewer, err := h.options.Budget(fault, fault.Budget()-1)
		if err != nil {
			return nil, err
		}
		s.Faults = slices.Clone(s.Faults)
		s.Faults[i] = fewer
		all = append(all, s)
	}
	return all, nil
}

// explore searches a scenario for violations of the property.
func (h *hunt) explore(s Scenario, p model.Property) (*Report, error) {
	o := Options{MaxStates: h.options.MaxStates, Workers: h.options.Workers, Patience: h.options.Patience}
	o.Progress = func(p Progress) { h.tell(HuntProgress{Phase: "search", States: p.States}, false) }
	return Check(h.ctx, s, []model.Property{p}, o)
}
