package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// scenario is a catalogue protocol at its defaults, changed by the given
// functions.
func scenario(t testing.TB, name string, change ...func(*scheduler.Scenario)) scheduler.Scenario {
	t.Helper()
	e, ok := catalogue.Find(name)
	if !ok {
		t.Fatalf("there is no protocol %s", name)
	}
	s := scheduler.NewScenario(e.New())
	s.Name = name
	for _, c := range change {
		c(&s)
	}
	s, err := s.Check()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func crash(times int) func(*scheduler.Scenario) {
	return func(s *scheduler.Scenario) { s.Faults = append(s.Faults, faults.Crash(times)) }
}

func pause(times int, max time.Duration) func(*scheduler.Scenario) {
	return func(s *scheduler.Scenario) { s.Faults = append(s.Faults, faults.Pause(times, max)) }
}

func fault(f model.Fault) func(*scheduler.Scenario) {
	return func(s *scheduler.Scenario) { s.Faults = append(s.Faults, f) }
}

func nodes(n int) func(*scheduler.Scenario) {
	return func(s *scheduler.Scenario) { s.Nodes = n }
}

func requests(n int) func(*scheduler.Scenario) {
	return func(s *scheduler.Scenario) { s.Requests = n }
}

func latency(most, replyMost time.Duration) func(*scheduler.Scenario) {
	return func(s *scheduler.Scenario) {
		s.Latency, s.Reply = protocol.Range{Max: most}, protocol.Range{Max: replyMost}
	}
}

// check returns the report on all properties.
func check(t testing.TB, s scheduler.Scenario, o scheduler.Options) *scheduler.Report {
	t.Helper()
	r, err := scheduler.Check(context.Background(), s, checks.All(s.RebuildBound), o)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return r
}

// broken are the properties that are violated, with faults and steps.
func broken(r *scheduler.Report) map[string]string {
	m := map[string]string{}
	for _, v := range r.Verdicts {
		if v.Verdict == scheduler.Violated {
			m[v.Property] = fmt.Sprintf("%d/%d", v.Faults, v.Steps)
		}
	}
	return m
}

// The verdicts on the catalogue, with the cost of each counterexample and the
// exact number of states. A change of any of these wants an explanation.
func TestVerdictsCostsAndStatesOfTheCatalogueAreAsPinned(t *testing.T) {
	for _, c := range []struct {
		protocol    string
		change      []func(*scheduler.Scenario)
		states      int
		transitions int64
		broken      string
	}{
		{"direct", nil, 58, 94, "map[no-stale-overwrite:0/9]"},
		{"direct", []func(*scheduler.Scenario){crash(1)}, 84, 187, "map[no-stale-overwrite:0/9]"},
		{"nottl", nil, 91, 160, "map[rebuild-bound:0/9]"},
		{"nottl", []func(*scheduler.Scenario){crash(1)}, 143, 341, "map[answered:1/4 no-orphaned-lock:1/3 rebuild-bound:0/9]"},
		{"nottl", []func(*scheduler.Scenario){pause(1, 12*time.Second)}, 422, 973, "map[rebuild-bound:0/9]"},
		{"fixedttl", nil, 198, 427, "map[mutual-exclusion:0/6 no-foreign-release:0/9 no-stale-overwrite:0/12 rebuild-bound:0/7]"},
		{"fixedttl", []func(*scheduler.Scenario){crash(1)}, 350, 944, "map[mutual-exclusion:0/6 no-foreign-release:0/9 no-stale-overwrite:0/12 rebuild-bound:0/7]"},
		{"lease", nil, 447, 852, "map[rebuild-bound:0/10]"},
		{"lease", []func(*scheduler.Scenario){crash(1)}, 796, 1820, "map[rebuild-bound:0/10]"},
		{"lease", []func(*scheduler.Scenario){nodes(3), pause(1, 6900*time.Millisecond)}, 9299, 27244, "map[rebuild-bound:0/10]"},
		{"lease", []func(*scheduler.Scenario){nodes(3), pause(1, 12*time.Second)}, 46027, 134017, "map[mutual-exclusion:1/6 no-stale-overwrite:1/16 rebuild-bound:0/10]"},
	} {
		s := scenario(t, c.protocol, c.change...)
		t.Run(fmt.Sprintf("%s %+v", c.protocol, s.Bounds().Faults), func(t *testing.T) {
			r := check(t, s, scheduler.Options{})
			if !r.Exhausted {
				t.Errorf("not exhausted: %s", r.CutOff)
			}
			if got := fmt.Sprint(broken(r)); got != c.broken {
				t.Errorf("broken: %s, want %s", got, c.broken)
			}
			if r.Stats.States != c.states || r.Stats.Transitions != c.transitions {
				t.Errorf("%d states and %d transitions, want %d and %d", r.Stats.States, r.Stats.Transitions, c.states, c.transitions)
			}
		})
	}
}

// The longest pause that lease survives, derived on paper. The lock is set at 0
// and expires at 10 s. The heartbeat starts when the source has been read, sleeps
// 3 s and then renews, so without a pause the lock is renewed at the latest at
//
//	reply to SetNX + read + its reply + 3 s + renewal
//
// where each item but the sleep takes up to the latency or the reply range: 3 s
// without any, 3.010 s with latency 0..5 ms, 3.020 s with replies 0..5 ms, too. A
// pause of d moves that to d later; if it is then 10 s or more, the lock can
// expire first (at one instant, events happen in every order), another process
// takes it, and the paused one stores what it has.
//
// Mutual exclusion breaks a little earlier with replies: if the work ends at 3 s
// after the read, the heartbeat stops without a renewal, and belief ends only with
// the reply to Set: 5 + 10 ms + 3 s + 10 ms.
func TestTheBorderOfThePauseThatLeaseSurvivesIsExact(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		latency, reply time.Duration
		property       model.Property
		border         time.Duration
	}{
		{0, 0, checks.MutualExclusion(), 7000 * ms},
		{0, 0, checks.NoStaleOverwrite(), 7000 * ms},
		{5 * ms, 0, checks.MutualExclusion(), 6990 * ms},
		{5 * ms, 0, checks.NoStaleOverwrite(), 6990 * ms},
		{5 * ms, 5 * ms, checks.MutualExclusion(), 6975 * ms},
		{5 * ms, 5 * ms, checks.NoStaleOverwrite(), 6980 * ms},
	} {
		for d, want := range map[time.Duration]scheduler.Result{c.border - ms: scheduler.Holds, c.border: scheduler.Violated} {
			s := scenario(t, "lease", latency(c.latency, c.reply), pause(1, d))
			r, err := scheduler.Check(context.Background(), s, []model.Property{c.property}, scheduler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Verdicts[0].Verdict; got != want {
				t.Errorf("latency %s, reply %s, pause %s: %s %s, want %s", s.Latency, s.Reply, d, c.property.Name(), got, want)
			}
		}
	}
}

// reductions are the ways to switch reductions off.
var reductions = map[string]scheduler.Options{
	"symmetry":         {NoSymmetry: true},
	"subsumption":      {NoSubsumption: true},
	"due-only pauses":  {PauseAnyTime: true},
	"merged arrivals":  {SeparateArrivals: true},
	"merged waits":     {SeparateWaits: true},
	"all but symmetry": {NoSubsumption: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true},
	"all":              {NoSymmetry: true, NoSubsumption: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true},
}

// A reduction saves states and changes nothing else.
func TestReductionsChangeNeitherVerdictsNorCosts(t *testing.T) {
	for _, c := range []scheduler.Scenario{
		scenario(t, "direct", crash(1)),
		scenario(t, "direct", requests(2)),
		scenario(t, "nottl", crash(1), pause(1, 3*time.Second)),
		scenario(t, "fixedttl", crash(1), pause(1, 6*time.Second)),
		scenario(t, "lease", pause(1, 12*time.Second), latency(0, 0)),
		scenario(t, "lease", crash(1), latency(5*time.Millisecond, 0)),
		scenario(t, "singleflight", requests(2), crash(1), latency(0, 0)),
		scenario(t, "singleflight", requests(2), pause(1, 3*time.Second), latency(0, 0)),
		scenario(t, "setnx", crash(1), latency(0, 0)),
		scenario(t, "setnx", pause(1, 6*time.Second), latency(0, 0)),
		scenario(t, "stacked", requests(2), latency(0, 0)),
		scenario(t, "stacked", nodes(1), requests(2), crash(1), pause(1, 6*time.Second)),
		scenario(t, "fenced", pause(1, 12*time.Second), latency(0, 0)),
		scenario(t, "versioned", pause(1, 12*time.Second), latency(0, 0)),
		scenario(t, "lease", fault(faults.Evict(1))),
		scenario(t, "nottl", fault(faults.Wipe(1))),
		scenario(t, "lease", fault(faults.StorePause(1, 12*time.Second)), latency(0, 0)),
		scenario(t, "lease", fault(faults.Partition(1, 12*time.Second))),
		scenario(t, "setnx", fault(faults.Partition(1, 40*time.Second)), crash(1), latency(0, 0)),
		scenario(t, "nottl", fault(faults.Cancel(1)), latency(0, 0)),
		scenario(t, "lease", fault(faults.Cancel(1))),
		scenario(t, "lease", fault(faults.Failover(1, time.Second)), latency(0, 0)),
		scenario(t, "setnx", fault(faults.Failover(1, 5*time.Second))),
		scenario(t, "nottl", fault(faults.LostReply(1)), latency(0, 0)),
		scenario(t, "setnx", fault(faults.LostRequest(1)), latency(0, 0)),
		scenario(t, "lease", fault(faults.StoreError(1)), latency(0, 0)),
		scenario(t, "lease", fault(faults.StoreError(1)), fault(faults.Pause(1, 6*time.Second)), latency(0, 0)),
		scenario(t, "singleflight", requests(2), fault(faults.RebuildError(1)), latency(0, 0)),
		scenario(t, "nottl", fault(faults.Restart(1, model.Between(time.Second, 5*time.Second))), latency(0, 0)),
	} {
		want := fmt.Sprint(broken(check(t, c, scheduler.Options{})))
		for name, o := range reductions {
			if got := fmt.Sprint(broken(check(t, c, o))); got != want {
				t.Errorf("%s %+v without %s: %s, want %s", c.Name, c.Bounds().Faults, name, got, want)
			}
		}
	}
}

// The rest of DESIGN's promises about faults: each is load-bearing for a verdict.
func TestEveryFaultIsLoadBearing(t *testing.T) {
	for _, c := range []struct {
		protocol, property string
		fault              func(*scheduler.Scenario)
	}{
		{"nottl", "answered", crash(1)},
		{"nottl", "no-orphaned-lock", crash(1)},
		{"lease", "mutual-exclusion", pause(1, 12*time.Second)},
		{"lease", "no-stale-overwrite", pause(1, 12*time.Second)},
	} {
		if got := broken(check(t, scenario(t, c.protocol), scheduler.Options{})); got[c.property] != "" {
			t.Errorf("%s breaks %s without a fault", c.protocol, c.property)
		}
		if got := broken(check(t, scenario(t, c.protocol, c.fault), scheduler.Options{})); got[c.property] == "" {
			t.Errorf("%s keeps %s with the fault", c.protocol, c.property)
		}
	}
}

// A heartbeat that is released by crash of its node stops with it: the lock
// expires and somebody else gets in.
func TestAfterACrashTheLeaseRunsOutAndRequestsAreAnswered(t *testing.T) {
	r := check(t, scenario(t, "lease", crash(1)), scheduler.Options{})
	if got := broken(r); got["answered"] != "" || got["mutual-exclusion"] != "" {
		t.Errorf("broken: %v", got)
	}
}

// With requests at any time and a TTL on the cached value every protocol rebuilds
// again, and each expiry starts the count anew.
func TestAnExpiryOfTheValueStartsTheCountOfRebuildsAnew(t *testing.T) {
	s := scenario(t, "direct", func(s *scheduler.Scenario) {
		s.ValueTTL, s.Updates, s.RebuildBound = time.Minute, 0, 1
		s.Nodes, s.Requests = 1, 1
	})
	if got := broken(check(t, s, scheduler.Options{})); len(got) != 0 {
		t.Errorf("broken: %v", got)
	}
}

// A cut-off search never says that a property holds.
func TestACutOffSearchNeverSaysHolds(t *testing.T) {
	s := scenario(t, "lease", pause(1, 12*time.Second))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, run := range map[string]func() (*scheduler.Report, error){
		"states": func() (*scheduler.Report, error) {
			return scheduler.Check(context.Background(), s, checks.All(1), scheduler.Options{MaxStates: 300})
		},
		"memory": func() (*scheduler.Report, error) {
			return scheduler.Check(context.Background(), s, checks.All(1), scheduler.Options{MaxMemory: 1})
		},
		"time": func() (*scheduler.Report, error) {
			return scheduler.Check(context.Background(), s, checks.All(1), scheduler.Options{MaxTime: 1})
		},
		"interrupt": func() (*scheduler.Report, error) {
			return scheduler.Check(cancelled, s, checks.All(1), scheduler.Options{})
		},
	} {
		r, err := run()
		if err != nil {
			t.Fatal(err)
		}
		if r.Exhausted || r.CutOff == "" {
			t.Errorf("%s: the report does not say that the search was cut off", name)
		}
		for _, v := range r.Verdicts {
			if v.Verdict == scheduler.Holds {
				t.Errorf("%s: %s holds", name, v.Property)
			}
		}
	}
}

// A parameter of zero is zero where that is said, and the default otherwise.
func TestAParameterOfZeroIsKeptWhereThatIsSaid(t *testing.T) {
	for _, keep := range []bool{false, true} {
		s := scheduler.NewScenario(&catalogue.SetNX{Rebuild: protocol.Range{Max: time.Second}, Wait: protocol.Range{Max: time.Second}, Tries: 1, Expiry: "store", Release: "plain", Losers: "recheck", Fallback: "stale"})
		s.KeepZeros = keep
		r := check(t, s, scheduler.Options{})
		want := map[bool]string{false: "30s", true: "0s"}[keep]
		if got := r.Parameters[0]; got.Name != "ttl" || got.Value != want {
			t.Errorf("kept %t: %+v, want %s", keep, got, want)
		}
	}
}
