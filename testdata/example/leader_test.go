package leader

import (
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/scheduler"
)

// The deadline leaves a margin of 10 s: a pause that fits into it does no harm.
func TestACarefulJobNeverWritesAnOldReportOverANewOne(t *testing.T) {
	s := checks.NewScenario(Job{Careful: true})
	s.Faults = []model.Fault{faults.Crash(1), faults.Pause(1, 9*time.Second)}
	checks.Verify(t, s, checks.NoStaleOverwrite(), checks.NoForeignRelease(), checks.NoOrphanedLock())
}

// Without the look at the deadline the same pause breaks it. A test that expects
// a violation asks the scheduler itself.
func TestACarelessJobDoes(t *testing.T) {
	s := checks.NewScenario(Job{})
	s.Faults = []model.Fault{faults.Pause(1, 9*time.Second)}
	report, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoStaleOverwrite()}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := report.Verdicts[0]; v.Verdict != scheduler.Violated {
		t.Errorf("%s %s", v.Property, v.Verdict)
	}
}
