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

// simulatedKinds are faults of all kinds that a simulation follows, as they strike in small ones.
var simulatedKinds = func() []scheduler.SimulatedFault {
	second := time.Second
	between := func(least, most time.Duration) distribution.Distribution {
		return distribution.Uniform(model.Between(least, most))
	}
	every := func(f model.Fault, every time.Duration) scheduler.SimulatedFault {
		return scheduler.SimulatedFault{Fault: f, Every: every}
	}
	lasting := func(f model.Fault, every, longest time.Duration) scheduler.SimulatedFault {
		return scheduler.SimulatedFault{Fault: f, Every: every, Lasts: between(0, longest)}
	}
	of := func(f model.Fault) scheduler.SimulatedFault { return scheduler.SimulatedFault{Fault: f, Share: 0.05} }
	often := func(f model.Fault) scheduler.SimulatedFault { return scheduler.SimulatedFault{Fault: f, Share: 0.3} }
	late := func(f model.Fault, longest time.Duration) scheduler.SimulatedFault {
		return scheduler.SimulatedFault{Fault: f, Share: 0.05, Lasts: between(0, longest)}
	}
	return []scheduler.SimulatedFault{
		lasting(faults.Pause(8, 15*second), 20*second, 15*second),
		every(faults.Crash(8), 40*second),
		{Fault: faults.Restart(8, model.Between(second, 5*second)), Every: 20 * second, Lasts: between(second, 5*second)},
		lasting(faults.Starve(8, 15*second), 10*second, 15*second),
		every(faults.Cancel(8), 10*second),
		every(faults.Evict(8), 10*second),
		every(faults.OperatorDelete(8), 10*second),
		every(faults.Wipe(8), 10*second),
		every(faults.LeaderChange(8), 5*second),
		every(faults.StoreClockForward(8, 3*second), 10*second),
		every(faults.StoreClockBack(8, 3*second), 10*second),
		every(faults.StoreClockFreeze(8), 20*second),
		lasting(faults.StorePause(8, 4*second), 10*second, 4*second),
		lasting(faults.Partition(8, 6*second), 60*second, 6*second),
		lasting(faults.Disconnect(8, 6*second), 60*second, 6*second),
		lasting(faults.Failover(8, 2*second), 10*second, 2*second),
		lasting(faults.StaleRead(8, 5*second), 10*second, 5*second),
		{Fault: faults.ClockDrift(8, 100*time.Millisecond)}, {Fault: faults.StoreClockDrift(8, 100*time.Millisecond)},
		every(faults.ClockForward(3, 4*second), 10*second),
		every(faults.ClockBack(3, 4*second), 10*second),
		often(faults.LostMessage(8)), of(faults.StoreError(8)), of(faults.LostRequest(8)), of(faults.LostReply(8)), of(faults.Resend(8)),
		often(faults.RebuildError(8)), often(faults.Panic(8)), often(faults.Goexit(8)),
		late(faults.Delay(8, 3*second), 3*second), late(faults.Duplicate(8, 3*second), 3*second),
	}
}()

// someFaults draws so many kinds. In a check a replica measures what it has by the clock of
// its store, in a simulation by one that is right: so none that lags comes with such a clock
// that drifts.
func someFaults(random *rand.Rand, n int) (all []scheduler.SimulatedFault) {
	lags, drifts := false, false
	for _, kind := range random.Perm(len(simulatedKinds))[:n] {
		f := simulatedKinds[kind]
		switch name := f.Fault.Name(); name {
		case "failover", "stale-read":
			lags = true
		case "store-clock-drift":
			drifts = true
		}
		if lags && drifts {
			return all
		}
		all = append(all, f)
	}
	return all
}

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
	c.Faults = someFaults(random, []int{0, 0, 1, 1, 1, 2, 2, 3}[pick(8)])
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
				if _, err := replays(c); err != nil {
					t.Errorf("%s, seed %d: %v\n%s %+v", e.Name, seed, err, parameters(c), c)
				}
			}
		})
	}
	group.Wait()
}

// The same with each fault alone, and each does strike.
func TestEachFaultOfASimulationReplays(t *testing.T) {
	var group sync.WaitGroup
	for _, f := range simulatedKinds {
		group.Go(func() {
			name, struck := f.Fault.Name(), 0
			_, drifts := f.Fault.(model.Drifting)
			for i, e := range catalogue.All() {
				for seed := range uint64(*simulateSeeds) / 12 {
					c := smallSimulation(t, e, 1000*uint64(i)+seed)
					c.Faults = []scheduler.SimulatedFault{f}
					if name == "lost-message" && e.Name == "nottl" {
						if err := protocol.SetParameter(c.Protocol, "notify", "true"); err != nil {
							t.Error(err)
						}
					}
					strikes, err := replays(c)
					if err != nil {
						t.Errorf("%s, %s, seed %d: %v\n%s %+v", name, e.Name, seed, err, parameters(c), c)
					}
					for _, n := range strikes {
						struck += n
					}
				}
			}
			if struck == 0 && !drifts {
				t.Errorf("the fault %s never strikes in the runs that are replayed", name)
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

// replays compares a simulation with its replay, for each property, and returns how often each
// fault struck.
func replays(c scheduler.Simulation) (strikes []int, err error) {
	c, err = c.Check()
	if err != nil {
		return nil, err
	}
	properties := []model.Property{checks.MutualExclusion(), checks.NoStaleOverwrite(), checks.NoForeignRelease(), checks.NoOrphanedLock(), checks.RebuildBound(min(c.RebuildBound, 200))}
	c.Properties = properties
	simulated, err := scheduler.Simulate(context.Background(), c, scheduler.SimulateOptions{})
	if err != nil {
		return nil, err
	}
	for _, p := range properties {
		t, result, err := scheduler.SimulatedTrace(c, 0, p)
		var tooMany *scheduler.ScenarioError
		if errors.As(err, &tooMany) && strings.Contains(err.Error(), "strikes") {
			// It has too many faults for a trace.
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
		if !reflect.DeepEqual(result, simulated.Runs[0]) {
			return nil, fmt.Errorf("the run that is traced is %+v, but %+v if it is not", result, simulated.Runs[0])
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
			return nil, fmt.Errorf("%s is violated at %v in the simulation, at %v in the replay", p.Name(), violated, replayed)
		}
	}
	return simulated.Runs[0].Strikes, nil
}
