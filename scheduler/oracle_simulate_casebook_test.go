package scheduler_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lockstep/protocol/casebook"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// Each step of a small simulation of each variant of the casebook replays, with faults of any
// kind: there are all the operations that a protocol can have.
func TestEachStepOfTheCasebookReplays(t *testing.T) {
	ran, refused := 0, map[string]int{}
	for i, c := range casebook.All() {
		for j, check := range c.Checks {
			for seed := range uint64(*simulateSeeds) / 6 {
				random := rand.New(rand.NewPCG(seed, uint64(1000*i+j)))
				variant := check.Before
				if variant == nil || seed%2 == 1 {
					variant = check.After
				}
				s := simulationOf(check.Scenario(variant, false), random)
				s.Seed = seed
				_, err := replays(s)
				var scenario *scheduler.ScenarioError
				if errors.As(err, &scenario) {
					refused[err.Error()]++
					continue
				}
				ran++
				if err != nil && !strings.Contains(err.Error(), "steps without end in no time") {
					t.Errorf("%s, check %d, seed %d: %v\n%+v", c.ID, j, seed, err, s)
				}
			}
		}
	}
	t.Log(ran)
	for why, n := range refused {
		t.Log(n, why)
	}
}

// simulationOf makes a scenario a simulation, with faults.
func simulationOf(s scheduler.Scenario, random *rand.Rand) scheduler.Simulation {
	c := scheduler.NewSimulation(s.Protocol)
	c.KeepZeros, c.Name, c.Nodes, c.Requests = s.KeepZeros, s.Name, s.Nodes, 1+random.IntN(3)
	c.Latency, c.Reply, c.ValueTTL, c.Updates, c.Invalidate, c.Timeout = s.Latency, s.Reply, s.ValueTTL, s.Updates, s.Invalidate, s.Timeout
	c.Replicas, c.Jobs = s.Replicas, s.Jobs
	c.RebuildBound, c.Duration = max(s.RebuildBound, 1), time.Minute
	c.UpdateWithin = 10 * time.Second
	if random.IntN(2) == 0 {
		c.Arrivals = distribution.Poisson(1)
	}
	c.Faults = someFaults(random, random.IntN(3))
	return c
}
