package scheduler_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

var simulateSeeds = flag.Int("simulate-seeds", 12, "how many small simulations of each protocol are replayed")

// smallSimulation makes up a simulation that a replay can follow.
func smallSimulation(t testing.TB, e catalogue.Entry, seed uint64) scheduler.Simulation {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 7))
	pick := func(n int) int { return random.IntN(n) }
	p := e.New()
	c := scheduler.NewSimulation(p)
	set := func(name, value string) {
		t.Helper()
		if err := protocol.SetParameter(p, name, value); err != nil {
			t.Fatal(err)
		}
	}
	filled, err := protocol.WithDefaults(p)
	if err != nil {
		t.Fatal(err)
	}
	p = filled.(protocol.Protocol)
	c.Protocol, c.KeepZeros, c.Name = p, true, e.Name
	set("rebuild", []string{"2s..25s", "0s..1s", "1s", "8s..12s"}[pick(4)])
	for _, parameter := range c.Parameters() {
		if parameter.Name == "look-again" && pick(2) == 0 {
			set("look-again", "true")
		}
	}
	c.Nodes, c.Requests = 1+pick(4), 1+pick(7)
	c.Latency = []protocol.Range{{Max: 5 * time.Millisecond}, {}, {Min: time.Millisecond, Max: time.Millisecond}, {Max: 2 * time.Second}}[pick(4)]
	if pick(3) == 0 {
		c.Reply = protocol.Range{Max: 3 * time.Millisecond}
	}
	if pick(2) == 0 {
		c.ValueTTL = time.Duration(1+pick(20)) * time.Second
	}
	c.Updates, c.Invalidate = pick(4), pick(2) == 0
	if pick(2) == 0 {
		c.Arrivals = distribution.Poisson(0.2 + random.Float64())
	}
	if pick(3) == 0 {
		c.Faults = append(c.Faults, scheduler.NodeFault{
			Fault: faults.Pause(8, 15*time.Second), Every: 20 * time.Second, Lasts: distribution.Uniform(model.Between(0, 15*time.Second)),
		})
	}
	if pick(4) == 0 {
		c.Faults = append(c.Faults, scheduler.NodeFault{Fault: faults.Crash(8), Every: 40 * time.Second})
	}
	c.Duration = 3 * time.Minute
	c.Seed = seed
	return c
}

// Each step of a run of a simulation is one that the independent replay can take at that
// time; nothing that is due there is left out; and a property is violated in the one at
// the step at which it is in the other.
func TestEachStepOfASimulationReplays(t *testing.T) {
	var group sync.WaitGroup
	for _, e := range catalogue.All() {
		group.Go(func() {
			for seed := range uint64(*simulateSeeds) {
				c := smallSimulation(t, e, seed)
				if err := replays(c); err != nil {
					t.Errorf("%s, seed %d: %v\n%s %+v", e.Name, seed, err, parameters(c), c)
				}
			}
		})
	}
	group.Wait()
}

func parameters(c scheduler.Simulation) (text string) {
	for _, p := range c.Parameters() {
		text += " " + p.Name + "=" + p.Value
	}
	return text
}

// replays compares a simulation with its replay, for each property.
func replays(c scheduler.Simulation) error {
	c, err := c.Check()
	if err != nil {
		return err
	}
	properties := []model.Property{checks.MutualExclusion(), checks.NoStaleOverwrite(), checks.NoForeignRelease(), checks.NoOrphanedLock(), checks.RebuildBound(min(c.RebuildBound, 200))}
	c.Properties = properties
	simulated, err := scheduler.Simulate(context.Background(), c, scheduler.SimulateOptions{})
	if err != nil {
		return err
	}
	for _, p := range properties {
		t, result, err := scheduler.SimulatedTrace(c, 0, p)
		var tooMany *scheduler.ScenarioError
		if errors.As(err, &tooMany) && strings.Contains(err.Error(), "strikes") {
			// It has too many faults for a trace.
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name(), err)
		}
		if !reflect.DeepEqual(result, simulated.Runs[0]) {
			return fmt.Errorf("the run that is traced is %+v, but %+v if it is not", result, simulated.Runs[0])
		}
		violated := time.Duration(-1)
		for _, v := range result.Violations {
			if v.Property == p.Name() {
				violated = v.At
			}
		}
		replayed := time.Duration(-1)
		if t.Explanation != "" {
			replayed = t.Steps[len(t.Steps)-1].Time
		}
		if violated != replayed {
			return fmt.Errorf("%s is violated at %v in the simulation, at %v in the replay", p.Name(), violated, replayed)
		}
	}
	return nil
}
