package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// fischer is Fischer's mutual exclusion by timing: whoever finds the register free
// writes its name into it, waits for longer than a write takes, and enters if its name
// is still there (Lamport, "A fast mutual exclusion algorithm", 1987, section 2). It
// is what timed checkers are compared on.
type fischer struct {
	Write time.Duration `default:"1s" help:"how long a write may take"`
	Wait  time.Duration `default:"2s" help:"how long at least it waits before it looks again"`
}

func (p fischer) Handle(c *protocol.Client) protocol.Answer {
	c.SleepAtLeast(0)
	if _, taken, _ := c.Store.Get("register"); taken {
		return protocol.Again()
	}
	name := c.NewToken()
	c.SleepBetween(0, p.Write)
	c.Store.Set("register", name)
	c.SleepAtLeast(p.Wait)
	if now, ok, _ := c.Store.Get("register"); !ok || now != name {
		return protocol.Again()
	}
	c.Acquired("register")
	c.SleepAtLeast(0)
	c.Store.Del("register")
	c.Releasing("register")
	return protocol.Again()
}

// fischerScenario lets all processes begin at once, as automata do: a request that
// may arrive at any time would be another state of each.
func fischerScenario(processes int, p fischer) scheduler.Scenario {
	s := scheduler.NewScenario(p)
	s.Nodes, s.Updates, s.Latency, s.ArriveWithin = processes, 0, protocol.Range{}, new(time.Duration)
	return s
}

// exclusion checks mutual exclusion alone.
func exclusion(t testing.TB, s scheduler.Scenario, o scheduler.Options) *scheduler.Report {
	t.Helper()
	r, err := scheduler.Check(context.Background(), s, []model.Property{checks.MutualExclusion()}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Fischer's protocol excludes exactly if it waits for longer than a write takes.
func TestFischersProtocolExcludesIfItWaitsLongEnough(t *testing.T) {
	for _, c := range []struct {
		wait time.Duration
		want scheduler.Result
	}{{2 * time.Second, scheduler.Holds}, {1001 * time.Millisecond, scheduler.Holds}, {time.Second, scheduler.Violated}} {
		for _, o := range []scheduler.Options{{}, {NoSymmetry: true}} {
			r := exclusion(t, fischerScenario(3, fischer{Wait: c.wait}), o)
			if v := r.Verdicts[0]; v.Verdict != c.want {
				t.Errorf("with a wait of %s it is %s", c.wait, v.Verdict)
			}
		}
	}
}

// The discrete states in which all processes have begun are as many as those of the
// automata: a process is idle, about to write, waiting, or inside, and the register is
// free or names one that is waiting or inside. For 10 processes TChecker stores as many
// zones as there are then: 260,998.
func TestFischersProtocolHasTheStatesOfItsAutomata(t *testing.T) {
	for processes, want := range map[int]int{2: 18, 3: 65, 4: 220, 5: 727, 6: 2378} {
		different := map[string]bool{}
		o := scheduler.Visit(scheduler.Options{NoSymmetry: true}, func(s *model.State, _ *model.Rules) {
			for i := range s.Processes {
				if s.Processes[i].Phase == model.Waiting {
					return
				}
			}
			different[string(s.Encode(nil))] = true
		})
		if exclusion(t, fischerScenario(processes, fischer{}), o); len(different) != want {
			t.Errorf("%d processes have %d states, want %d", processes, len(different), want)
		}
	}
}

// See docs/performance.md.
func BenchmarkFischer(b *testing.B) {
	for _, o := range []scheduler.Options{{}, {NoSymmetry: true}} {
		for _, processes := range []int{6, 8, 10} {
			b.Run(fmt.Sprintf("symmetry=%t/processes=%d", !o.NoSymmetry, processes), func(b *testing.B) {
				var r *scheduler.Report
				for b.Loop() {
					r = exclusion(b, fischerScenario(processes, fischer{}), o)
				}
				if !r.Exhausted || r.Verdicts[0].Verdict != scheduler.Holds {
					b.Fatal(r.Verdicts[0].Verdict)
				}
				b.ReportMetric(float64(r.Stats.States), "states")
				b.ReportMetric(float64(r.Stats.Transitions), "transitions")
			})
		}
	}
}
