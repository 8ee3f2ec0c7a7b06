package drawn_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/checks"
	"lockstep/checks/drawn"
	"lockstep/model"
	"lockstep/protocol/catalogue"
)

// fixed draws a lock with a fixed TTL; a rebuild takes up to 25 s.
func fixed(least, most time.Duration) func(t *rapid.T) checks.Scenario {
	return func(t *rapid.T) checks.Scenario {
		return checks.NewScenario(&catalogue.FixedTTL{TTL: drawn.Duration(least, most).Draw(t, "ttl")})
	}
}

func TestVerifyPassesWhatHoldsForAllThatIsDrawn(t *testing.T) {
	drawn.Verify(t, fixed(26*time.Second, time.Minute), checks.MutualExclusion())
}

const failing = "LOCKSTEP_TEST_FAILING"

// TestFailing fails, for the test that runs it.
func TestFailing(t *testing.T) {
	if os.Getenv(failing) == "" {
		t.Skip("for TestAFailureShrinksToTheSimplestParameters")
	}
	drawn.Verify(t, fixed(7*time.Second, time.Hour), checks.MutualExclusion())
}

// Whatever is drawn first, the failure is reported for the simplest parameters, with the
// minimal trace.
func TestAFailureShrinksToTheSimplestParameters(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command(self, "-test.run", "^TestFailing$", "-rapid.nofailfile", "-rapid.checks", "2000")
	c.Dir = dir
	c.Env = append(os.Environ(), failing+"=1")
	out, err := c.CombinedOutput()
	if err == nil {
		t.Fatalf("it passes:\n%s", out)
	}
	for _, want := range []string{"with FixedTTL, ttl 7s", "mutual-exclusion is violated (0 faults, 6 steps)", "the lock expired at 7s"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	f, err := os.Open(filepath.Join(dir, checks.TraceDir, "TestFailing-mutual-exclusion.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, err := model.ReadTrace(f)
	if err != nil || trace.Parameters[0].Value != "7s" {
		t.Errorf("the trace that is kept: %v, %+v", err, trace)
	}
}

// Drawn durations are round, and within their bounds.
func TestDurationsAreRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawn.Duration(500*time.Millisecond, 2*time.Second).Draw(t, "d")
		if d < 500*time.Millisecond || d > 2*time.Second || d%time.Millisecond != 0 {
			t.Error(d)
		}
	})
}
