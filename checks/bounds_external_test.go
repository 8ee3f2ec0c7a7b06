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

// Only one wait is a step of its own in a check.
func TestOnePropertyMayBeAboutWaits(t *testing.T) {
	both := []model.Property{checks.AnsweredWithin(time.Second), checks.AnsweredWithin(time.Minute)}
	_, err := scheduler.Check(context.Background(), scheduler.NewScenario(&catalogue.Direct{}), both, scheduler.Options{})
	if err == nil || !strings.Contains(err.Error(), "at most one property") {
		t.Errorf("%v", err)
	}
}

// Whatever else is checked together with a wait, each trace replays: it says with its
// bounds which wait was a step.
func TestTracesBesideAWaitReplay(t *testing.T) {
	s := scheduler.NewScenario(&catalogue.FixedTTL{})
	r, err := scheduler.Check(context.Background(), s, append(checks.All(1), checks.AnsweredWithin(10*time.Second)), scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Verdicts {
		if v.Trace == nil {
			continue
		}
		if within := v.Trace.Bounds.AnsweredWithin; within == nil || *within != 10*time.Second {
			t.Errorf("%s: %+v", v.Property, v.Trace.Bounds)
		}
	}
}
