package checks_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/protocol/catalogue"
)

// keep lets Verify keep the trace of a lock that expires, and returns its file.
func keep(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	r := &recorder{name: "T"}
	checks.Verify(r, checks.NewScenario(&catalogue.FixedTTL{}), checks.MutualExclusion())
	file := filepath.Join(checks.TraceDir, "T-mutual-exclusion.json")
	if _, err := os.Stat(file); err != nil || len(r.failed) != 1 {
		t.Fatalf("%v, %q", err, r.failed)
	}
	return file
}

// A kept trace that still violates its property is the answer, without a search.
func TestVerifyReplaysWhatIsKeptFirst(t *testing.T) {
	file := keep(t)
	before, _ := os.ReadFile(file)
	r := &recorder{name: "T"}
	// A search would be cut off.
	t.Setenv("LOCKSTEP_MAX_STATES", "1")
	checks.Verify(r, checks.NewScenario(&catalogue.FixedTTL{}), checks.MutualExclusion())
	if len(r.failed) != 1 || !strings.Contains(r.failed[0], "replayed from "+file) || !strings.Contains(r.failed[0], "mutual-exclusion is violated (0 faults, 6 steps)") {
		t.Errorf("failures: %q", r.failed)
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Error("the file has changed")
	}
}

// A kept trace that does not happen any more hides nothing: the search decides.
func TestVerifySearchesWhereWhatIsKeptDoesNotHappen(t *testing.T) {
	keep(t)
	r := &recorder{name: "T"}
	checks.Verify(r, checks.NewScenario(&catalogue.FixedTTL{TTL: 30 * time.Second}), checks.MutualExclusion())
	if len(r.failed) != 0 || len(r.logs) == 0 || !strings.Contains(r.logs[0], "does not happen any more: step ") {
		t.Errorf("failures: %q, logged: %q", r.failed, r.logs)
	}
	r = &recorder{name: "T"}
	// Another variant violates it in another way.
	checks.Verify(r, checks.NewScenario(&catalogue.FixedTTL{TTL: 3 * time.Second}), checks.MutualExclusion())
	if len(r.failed) != 1 || strings.Contains(r.failed[0], "replayed") {
		t.Errorf("failures: %q", r.failed)
	}
}

// A kept trace that cannot be read is no trace that is not there.
func TestVerifyFailsWhereWhatIsKeptCannotBeRead(t *testing.T) {
	file := keep(t)
	if err := os.WriteFile(file, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := &recorder{name: "T"}
	checks.Verify(r, checks.NewScenario(&catalogue.FixedTTL{TTL: 30 * time.Second}), checks.MutualExclusion())
	if len(r.failed) != 1 || !strings.Contains(r.failed[0], "cannot be read") {
		t.Errorf("failures: %q", r.failed)
	}
}

// A bound that has been changed makes another property: what was kept says nothing of it.
func TestWhatIsKeptIsOfOneArgument(t *testing.T) {
	t.Chdir(t.TempDir())
	s := checks.NewScenario(&catalogue.Direct{})
	r := &recorder{name: "T"}
	checks.Verify(r, s, checks.AnsweredWithin(time.Second))
	if len(r.failed) != 1 {
		t.Fatalf("failures: %q", r.failed)
	}
	r = &recorder{name: "T"}
	checks.Verify(r, s, checks.AnsweredWithin(time.Hour))
	if len(r.failed) != 0 {
		t.Errorf("failures: %q", r.failed)
	}
	r = &recorder{name: "T"}
	checks.Verify(r, s, checks.AnsweredWithin(time.Second))
	if len(r.failed) != 1 || !strings.Contains(r.failed[0], "replayed") {
		t.Errorf("failures: %q", r.failed)
	}
}

// short sets -short for a test, whatever the tests are run with.
func short(t *testing.T, value string) {
	t.Helper()
	before := flag.Lookup("test.short").Value.String()
	if err := flag.Set("test.short", value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { flag.Set("test.short", before) })
}

// With -short a search that is cut off fails nothing; what it has found until then does.
func TestVerifyLogsWithShortThatItWasCutOff(t *testing.T) {
	short(t, "true")
	t.Chdir(t.TempDir())
	t.Setenv("LOCKSTEP_MAX_STATES", "10")
	r := &recorder{name: "T"}
	checks.Verify(r, checks.NewScenario(&catalogue.Lease{}), checks.NoForeignRelease())
	if len(r.failed) != 0 || len(r.logs) != 1 || !strings.Contains(r.logs[0], "not explored to the end with -short") {
		t.Errorf("failures: %q, logs: %q", r.failed, r.logs)
	}
	t.Setenv("LOCKSTEP_MAX_STATES", "")
	r = &recorder{name: "T"}
	checks.Verify(r, checks.NewScenario(&catalogue.FixedTTL{}), checks.MutualExclusion())
	if len(r.failed) != 1 {
		t.Errorf("failures: %q", r.failed)
	}
}

// The environment limits a search as flags do, and what is wrong there is said.
func TestTheEnvironmentLimitsVerify(t *testing.T) {
	short(t, "false")
	s := checks.NewScenario(&catalogue.Lease{})
	for value, want := range map[string]string{"10": "cut off", "many": "LOCKSTEP_MAX_STATES=many: write it as", "0": ""} {
		t.Setenv("LOCKSTEP_MAX_STATES", value)
		t.Chdir(t.TempDir())
		r := &recorder{name: "T"}
		checks.Verify(r, s, checks.NoForeignRelease())
		if got := strings.Join(r.failed, ""); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", value, r.failed)
		}
	}
	for name, value := range map[string]string{"LOCKSTEP_MAX_TIME": "soon", "LOCKSTEP_MAX_MEMORY": "-1GB", "LOCKSTEP_WORKERS": "-1"} {
		t.Setenv("LOCKSTEP_MAX_STATES", "")
		t.Setenv(name, value)
		if _, err := checks.Environment(); err == nil || !strings.Contains(err.Error(), name+"="+value) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
		t.Setenv(name, "")
	}
}
