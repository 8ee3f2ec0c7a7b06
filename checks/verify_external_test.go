package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// recorder is a TB that notes what Verify says.
type recorder struct {
	name         string
	failed, logs []string
	fatal        bool
	deadline     time.Time
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return r.name }
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = true
	r.Errorf(format, args...)
}
func (r *recorder) Deadline() (time.Time, bool) { return r.deadline, !r.deadline.IsZero() }

func TestVerifyPassesWhatHoldsAndLogsWhatIsVacuous(t *testing.T) {
	r := &recorder{name: "T"}
	checks.Verify(r, checks.NewScenario(catalogue.Lease{}), checks.MutualExclusion(), checks.NoOrphanedLock())
	if len(r.failed) > 0 {
		t.Errorf("it failed: %v", r.failed)
	}
	if len(r.logs) != 1 || !strings.Contains(r.logs[0], "never a lock without a TTL") {
		t.Errorf("logs: %q", r.logs)
	}
}

func TestVerifyFailsWithTheTimelineAndKeepsATraceThatReads(t *testing.T) {
	t.Chdir(t.TempDir())
	r := &recorder{name: "TestLock/a b"}
	checks.Verify(r, checks.NewScenario(&catalogue.FixedTTL{}), checks.MutualExclusion())
	if len(r.failed) != 1 {
		t.Fatalf("failures: %q", r.failed)
	}
	for _, want := range []string{"mutual-exclusion is violated", "fixedttl.go:", "the lock expired at 5s", "SetNX lock:feed"} {
		if !strings.Contains(r.failed[0], want) {
			t.Errorf("the failure does not say %q:\n%s", want, r.failed[0])
		}
	}
	f, err := os.Open(filepath.Join("testdata", "lockstep", "TestLock_a_b-mutual-exclusion.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, err := model.ReadTrace(f)
	if err != nil {
		t.Fatal(err)
	}
	if trace.Protocol != "FixedTTL" || trace.Property != "mutual-exclusion" || trace.Weight != 6 {
		t.Errorf("the trace is of %s, %s, %d steps", trace.Protocol, trace.Property, trace.Weight)
	}
}

func TestVerifyRefusesAScenarioThatMakesNoSense(t *testing.T) {
	s := checks.NewScenario(catalogue.Lease{})
	s.Nodes = 0
	r := &recorder{name: "T"}
	checks.Verify(r, s)
	if !r.fatal || !strings.Contains(r.failed[0], "0 nodes: it must be 1 to 16") {
		t.Errorf("failures: %q", r.failed)
	}
}

func TestVerifyStopsBeforeTheDeadlineOfTheTestAndThenFails(t *testing.T) {
	short(t, "false")
	s := checks.NewScenario(catalogue.Lease{})
	s.Nodes, s.Requests, s.Faults = 4, 4, []model.Fault{faults.Crash(3), faults.Pause(3, 12*time.Second)}
	r := &recorder{name: "T", deadline: time.Now().Add(500 * time.Millisecond)}
	checks.Verify(r, s, checks.NoForeignRelease())
	if len(r.failed) != 1 || !strings.Contains(r.failed[0], "inconclusive") || !strings.Contains(r.failed[0], "-timeout") {
		t.Errorf("failures: %q", r.failed)
	}
	if time.Now().After(r.deadline.Add(5 * time.Second)) {
		t.Error("it went on long after the deadline")
	}
}

// Tests that share a scenario may run at the same time.
func TestVerifyIsSafeInParallelTests(t *testing.T) {
	s := checks.NewScenario(catalogue.Lease{})
	s.Faults = []model.Fault{faults.Pause(1, 6900*time.Millisecond)}
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			checks.Verify(t, s, checks.MutualExclusion(), checks.NoStaleOverwrite())
		})
	}
}

// polite is a protocol of a user's own.
type polite struct {
	TTL time.Duration `default:"5s"`
}

func (p polite) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, p.TTL); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired("lock")
	c.Sleep(time.Second)
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

func TestAProtocolWithoutAnUpdateRoleOrAClaimCanBeVerified(t *testing.T) {
	checks.Verify(t, checks.NewScenario(polite{}))
}

// bench is a B that loops three times.
type bench struct {
	recorder
	loops   int
	metrics map[string]float64
}

func (b *bench) Loop() bool                          { b.loops++; return b.loops <= 3 }
func (b *bench) Elapsed() time.Duration              { return 3 * time.Second }
func (b *bench) ReportAllocs()                       {}
func (b *bench) ReportMetric(n float64, unit string) { b.metrics[unit] = n }

// A benchmark reports the size of the search, of one run, and its speed over all of them.
func TestABenchmarkReportsStatesAndTransitions(t *testing.T) {
	b := &bench{metrics: map[string]float64{}}
	s := checks.NewScenario(catalogue.Direct{})
	checks.Benchmark(b, s, checks.MutualExclusion())
	r, err := scheduler.Check(t.Context(), s, []model.Property{checks.MutualExclusion()}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if b.metrics["states"] != float64(r.Stats.States) || b.metrics["transitions"] != float64(r.Stats.Transitions) || b.metrics["transitions/s"] != float64(r.Stats.Transitions) {
		t.Errorf("%v, %+v", b.metrics, r.Stats)
	}
	b = &bench{metrics: map[string]float64{}}
	t.Setenv("LOCKSTEP_MAX_STATES", "3")
	checks.Benchmark(b, s)
	if !b.fatal || !strings.Contains(b.failed[0], "cut off") {
		t.Errorf("%q", b.failed)
	}
}
