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
	Wait time.Duration `default:"2s" help:"how long at least it waits before it looks again"`
}

func (p fischer) Handle(c *protocol.Client) protocol.Answer {
	if _, taken, _ := c.Store.Get("register"); taken {
		return protocol.Again()
	}
	name := c.NewToken()
	c.Store.Set("register", name)
	c.SleepAtLeast(p.Wait)
	if now, ok, _ := c.Store.Get("register"); !ok || now != name {
		return protocol.Again()
	}
	c.Acquired("register")
	c.SleepAtLeast(0)
	c.Releasing("register")
	c.Store.Del("register")
	return protocol.Again()
}

// fischerScenario lets an access to the register take up to a second.
func fischerScenario(processes int, p fischer) scheduler.Scenario {
	s := scheduler.NewScenario(p)
	s.Nodes, s.Updates, s.Latency = processes, 0, protocol.Range{Max: time.Second}
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

// See docs/performance.md.
func BenchmarkFischer(b *testing.B) {
	for _, c := range []struct {
		processes int
		o         scheduler.Options
	}{{6, scheduler.Options{}}, {8, scheduler.Options{}}, {4, scheduler.Options{NoSymmetry: true}}} {
		b.Run(fmt.Sprintf("processes=%d/symmetry=%t", c.processes, !c.o.NoSymmetry), func(b *testing.B) {
			states := 0
			for b.Loop() {
				states = exclusion(b, fischerScenario(c.processes, fischer{}), c.o).Stats.States
			}
			b.ReportMetric(float64(states), "states")
		})
	}
}
