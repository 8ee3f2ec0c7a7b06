package scheduler_test

import (
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// polls are two requests of which the second looks every 50 ms whether the first has rebuilt.
func polls(t testing.TB, rebuild time.Duration) scheduler.Simulation {
	return simulation(t, "nottl", func(c *scheduler.Simulation) {
		c.Protocol = &catalogue.NoTTL{Rebuild: model.Between(rebuild, rebuild)}
		c.Nodes, c.Requests, c.Latency = 1, 2, protocol.Range{}
	})
}

// Whoever polls goes on while something is under way that it has sent, and takes effect.
func TestPollersGoOnWhileTheyHaveSentSomething(t *testing.T) {
	c := polls(t, 10*time.Second)
	c.Faults = []scheduler.SimulatedFault{{Fault: faults.Duplicate(8, 3*time.Second), Share: 0.02, Lasts: distribution.Uniform(model.Between(0, 3*time.Second))}}
	c.Runs = 20
	for _, r := range simulate(t, c, 1).Runs {
		if r.Strikes[0] == 0 || r.Waits.Max != 10*time.Second {
			t.Errorf("seed %d: %d requests come twice, and the longest wait is %v, want 10 s", r.Seed, r.Strikes[0], r.Waits.Max)
		}
	}
}

// What is due at the instant at which a run ends does happen, also to those who poll.
func TestWhatIsDueAtTheEndHappens(t *testing.T) {
	c := polls(t, 10*time.Second)
	c.Duration = time.Second
	if r := simulate(t, c, 1).Runs[0]; r.Commands != 2+2*21 {
		t.Errorf("%d commands in a second, want a get and a set every 50 ms from 0 to 1 s, and two of the first request", r.Commands)
	}
}
