package checks_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// A bound that cannot be counted would never be exceeded, and a negative duration
// would be watched by nobody: both would hold of everything, so both are refused.
func TestAPropertyThatCouldNotBeViolatedIsRefused(t *testing.T) {
	for _, p := range []model.Property{
		checks.RebuildBound(checks.MaxBound + 1), checks.RebuildBound(-1),
		checks.StoreCommands(checks.MaxBound + 1), checks.StoreCommands(-1),
		checks.ConcurrentRebuilds(checks.MaxBound + 1), checks.ConcurrentRebuilds(-1),
		checks.AnsweredWithin(-time.Second),
	} {
		_, err := scheduler.Check(context.Background(), scheduler.NewScenario(&catalogue.Direct{}), []model.Property{p}, scheduler.Options{})
		var wrong *scheduler.ScenarioError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), p.Name()) || !strings.Contains(err.Error(), "it must be 0") {
			t.Errorf("%s: %v", p.Name(), err)
		}
	}
	for _, p := range []model.Property{checks.RebuildBound(checks.MaxBound), checks.StoreCommands(checks.MaxBound), checks.AnsweredWithin(0)} {
		if _, err := scheduler.Check(context.Background(), scheduler.NewScenario(&catalogue.Direct{}), []model.Property{p}, scheduler.Options{}); err != nil {
			t.Errorf("%s: %v", p.Name(), err)
		}
	}
}
