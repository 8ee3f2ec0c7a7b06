package casebook_test

import (
	"context"
	"testing"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/casebook"
	"lockstep/scheduler"
)

// What is broken before the repair is found in runs that are drawn, too, and ends with a
// counterexample that costs no less than the minimal one.
func TestHuntsFindWhatIsBrokenBeforeTheRepair(t *testing.T) {
	if testing.Short() {
		t.Skip("as long as all cases")
	}
	found := 0
	for _, c := range casebook.All() {
		for i := range c.Checks {
			k := &c.Checks[i]
			if _, is := k.Property.(model.Monitor); k.Before == nil || !is {
				continue
			}
			r, err := scheduler.Hunt(context.Background(), k.Scenario(k.Before, false), []model.Property{k.Property},
				scheduler.HuntOptions{Runs: 20_000, Seed: 1, Budget: faults.WithBudget})
			if err != nil {
				t.Errorf("%s, %s: %v", c.ID, k.Shows, err)
				continue
			}
			f := r.Find
			if f == nil {
				t.Errorf("%s, %s: nothing was found in %d runs", c.ID, k.Shows, r.Runs)
				continue
			}
			found++
			if !f.Minimal {
				t.Errorf("%s, %s: %s", c.ID, k.Shows, f.Unproven)
			}
			if f.Least.Faults < k.Faults || f.Least.Faults == k.Faults && f.Least.Steps < k.Steps {
				t.Errorf("%s, %s: %d faults and %d steps, fewer than the %d and %d that are minimal", c.ID, k.Shows, f.Least.Faults, f.Least.Steps, k.Faults, k.Steps)
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d finds", found)
	}
}
