package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
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

func simulation(t testing.TB, name string, change ...func(*scheduler.Simulation)) scheduler.Simulation {
	t.Helper()
	e, ok := catalogue.Find(name)
	if !ok {
		t.Fatalf("there is no protocol %s", name)
	}
	c := scheduler.NewSimulation(e.New())
	c.Name = name
	for _, change := range change {
		change(&c)
	}
	return c
}

func simulate(t testing.TB, c scheduler.Simulation, workers int) *scheduler.Simulated {
	t.Helper()
	r, err := scheduler.Simulate(context.Background(), c, scheduler.SimulateOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// PROTOCOLS.md: 100,000 requests at the boundary on 50 nodes come to 100,000 rebuilds
// without coordination, to one a node with a shared flight, and to one under a lock.
func TestRebuildsOfAHerdAreThoseThatAreClaimed(t *testing.T) {
	for name, want := range map[string]int{
		"direct": 100_000, "singleflight": 50, "setnx": 1, "stacked": 1, "fixedttl": 1, "lease": 1, "fenced": 1, "versioned": 1,
	} {
		r := simulate(t, simulation(t, name), 1).Runs[0]
		if r.MostRebuilds() != want || r.Answered != 100_000 || r.Unanswered != 0 {
			t.Errorf("%s: %d rebuilds and %d answers, want %d rebuilds", name, r.MostRebuilds(), r.Answered, want)
		}
	}
	// The claim of nottl is refuted: a loser that has missed takes the lock when it is
	// released. One more look makes it true.
	for _, look := range []bool{false, true} {
		c := simulation(t, "nottl")
		c.Protocol = &catalogue.NoTTL{LookAgain: look}
		r := simulate(t, c, 1).Runs[0]
		if most := r.MostRebuilds(); most > 1 == look {
			t.Errorf("nottl with look-again %v: %d rebuilds", look, most)
		}
	}
}

// The same seed gives the same results for every number of workers, and whatever ran
// before on the same worker.
func TestResultsDoNotDependOnWorkers(t *testing.T) {
	for _, e := range catalogue.All() {
		c := simulation(t, e.Name, func(c *scheduler.Simulation) {
			c.Nodes, c.Requests, c.Runs, c.Updates, c.ValueTTL = 5, 40, 9, 2, 20*time.Second
			c.Arrivals = distribution.Poisson(10)
			c.Faults = []scheduler.SimulatedFault{
				{Fault: faults.Pause(8, time.Minute), Every: 20 * time.Second, Lasts: lognormal(t, time.Second, 10*time.Second)},
				{Fault: faults.Crash(8), Every: time.Minute},
			}
			c.Rebuild, c.LatencyOf = lognormal(t, 2*time.Second, 25*time.Second), lognormal(t, time.Millisecond, 20*time.Millisecond)
			c.Duration = 2 * time.Minute
		})
		one, three := simulate(t, c, 1), simulate(t, c, 3)
		if !reflect.DeepEqual(one, three) {
			t.Errorf("%s: one worker and three find different results", e.Name)
		}
		c.Seed, c.Runs = c.Seed+8, 1
		if alone := simulate(t, c, 1); !reflect.DeepEqual(alone.Runs[0], one.Runs[8]) {
			t.Errorf("%s: the last run is %+v, and %+v alone", e.Name, one.Runs[8], alone.Runs[0])
		}
	}
}

func lognormal(t testing.TB, p50, p99 time.Duration) distribution.Distribution {
	t.Helper()
	d, err := distribution.LogNormal(p50, p99)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A simulation shows no violation that the exhaustive check excludes, and no more rebuilds
// for one expiry, in the same scenario.
func TestNothingIsSimulatedThatACheckExcludes(t *testing.T) {
	const runs = 400
	for _, e := range catalogue.All() {
		for _, look := range []bool{false, true} {
			for _, invalidate := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/look-again=%v/invalidate=%v", e.Name, look, invalidate), func(t *testing.T) {
					p := e.New()
					if look && protocol.SetParameter(p, "look-again", "true") != nil {
						t.Skip("it has no such parameter")
					}
					world := scheduler.NewScenario(p)
					world.Requests, world.Invalidate = 1, invalidate
					world, err := world.Check()
					if err != nil {
						t.Fatal(err)
					}
					properties := []model.Property{checks.MutualExclusion(), checks.NoStaleOverwrite(), checks.NoForeignRelease(), checks.NoOrphanedLock(), checks.RebuildBound(world.RebuildBound)}
					report, err := scheduler.Check(context.Background(), world, properties, scheduler.Options{})
					if err != nil {
						t.Fatal(err)
					}
					c := scheduler.NewSimulation(p)
					c.Nodes, c.Requests, c.Updates, c.Invalidate, c.Runs, c.Properties = world.Nodes, 1, 1, invalidate, runs, properties
					c.Arrivals = distribution.Poisson(0.1)
					r := simulate(t, c, 1)
					for i, count := range r.Violations {
						if count.Runs > 0 && report.Verdicts[i].Verdict == scheduler.Holds {
							t.Errorf("%s holds, but is violated with seed %d", count.Property, count.Seed)
						}
					}
					if !report.Exhausted {
						t.Fatal("the check was cut off")
					}
				})
			}
		}
	}
}

// A run that can never end is over when nothing changes any more, and the requests that
// poll are not answered.
func TestPollersWithoutHopeAreUnanswered(t *testing.T) {
	c := simulation(t, "nottl", func(c *scheduler.Simulation) {
		c.Nodes, c.Requests, c.Runs = 4, 100, 40
		c.Faults = []scheduler.SimulatedFault{{Fault: faults.Crash(8), Every: 30 * time.Second}}
	})
	stuck := 0
	for _, r := range simulate(t, c, 0).Runs {
		if r.Answered+r.Lost+r.Unanswered != 400 {
			t.Fatalf("requests do not add up: %+v", r)
		}
		if r.Unanswered > 0 {
			stuck++
		}
	}
	if stuck == 0 {
		t.Error("no crash of a holder left anybody waiting")
	}
}

// The end of the context ends a simulation with the runs that are over.
func TestAStoppedSimulationIsPartial(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := simulation(t, "lease", func(c *scheduler.Simulation) { c.Nodes, c.Requests, c.Runs = 2, 10, 1000 })
	r, err := scheduler.Simulate(ctx, c, scheduler.SimulateOptions{Workers: 1, Progress: func(p scheduler.SimulateProgress) {
		if p.Runs == 7 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Partial || len(r.Runs) != 7 || r.Wanted != 1000 {
		t.Errorf("partial %v with %d runs of %d", r.Partial, len(r.Runs), r.Wanted)
	}
}

func TestSimulationsThatMakeNoSenseAreRefused(t *testing.T) {
	for want, change := range map[string]func(*scheduler.Simulation){
		"0 nodes: it must be 1 to 10000":        func(c *scheduler.Simulation) { c.Nodes = 0 },
		"0 runs":                                func(c *scheduler.Simulation) { c.Runs = 0 },
		"it must be positive, or 0 for an hour": func(c *scheduler.Simulation) { c.Duration = -1 },
		"use fewer requests or a higher rate": func(c *scheduler.Simulation) {
			c.Arrivals, c.Requests = distribution.Poisson(1.0/3600), 10_000
		},
		"updates within":                        func(c *scheduler.Simulation) { c.UpdateWithin = -1 },
		"does not follow the property answered": func(c *scheduler.Simulation) { c.Properties = []model.Property{checks.Answered()} },
		"the fault lost-reply strikes operations": func(c *scheduler.Simulation) {
			c.Faults = []scheduler.SimulatedFault{{Fault: faults.LostReply(1), Every: time.Second}}
		},
		"the fault evict strikes no operations": func(c *scheduler.Simulation) {
			c.Faults = []scheduler.SimulatedFault{{Fault: faults.Evict(1), Share: 0.1}}
		},
		"for how long the fault starve lasts": func(c *scheduler.Simulation) {
			c.Faults = []scheduler.SimulatedFault{{Fault: faults.Starve(1, time.Second), Every: time.Second}}
		},
		"the time must be positive":  func(c *scheduler.Simulation) { c.Faults = []scheduler.SimulatedFault{{Fault: faults.Crash(1)}} },
		"56 processes are under way": func(c *scheduler.Simulation) { c.Protocol, c.Requests = &catalogue.NoTTL{Notify: true}, 100 },
		"is there all the time": func(c *scheduler.Simulation) {
			c.Faults = []scheduler.SimulatedFault{{Fault: faults.ClockDrift(8, 10*time.Millisecond), Every: time.Second}}
		},
		"a second can be wrong by a multiple of 1ms alone": func(c *scheduler.Simulation) {
			c.Latency.Max = 1001 * time.Microsecond
			if err := protocol.SetParameter(c.Protocol, "rebuild", "1s"); err != nil {
				t.Fatal(err)
			}
			c.Faults = []scheduler.SimulatedFault{{Fault: faults.ClockDrift(8, 10*time.Microsecond)}}
		},
		"steps without end in no time": func(c *scheduler.Simulation) { *c = withoutTime(*c) },
	} {
		c := simulation(t, "lease", func(c *scheduler.Simulation) { c.Nodes, c.Requests = 2, 2 }, change)
		_, err := scheduler.Simulate(context.Background(), c, scheduler.SimulateOptions{})
		var scenario *scheduler.ScenarioError
		var broken *scheduler.ProtocolError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &scenario) && !errors.As(err, &broken) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// withoutTime polls without any time.
func withoutTime(c scheduler.Simulation) scheduler.Simulation {
	c.Protocol = &catalogue.SetNX{TTL: time.Second, Expiry: "store", Losers: "poll", Rebuild: protocol.Range{Min: time.Second, Max: time.Second}, Release: "plain", Tries: 1, Fallback: "stale"}
	c.KeepZeros, c.Latency, c.Duration = true, protocol.Range{}, time.Minute
	return c
}

// The speed that is asked for: 100,000 requests on 50 nodes within 3 s and 500 MB.
func BenchmarkSimulate(b *testing.B) {
	for _, e := range catalogue.All() {
		b.Run(e.Name, func(b *testing.B) {
			b.ReportAllocs()
			c := simulation(b, e.Name)
			for b.Loop() {
				simulate(b, c, 0)
			}
			b.ReportMetric(float64(b.N)*100_000/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// The clocks of all nodes drift, each at a rate of its own, in the trace as well.
func TestEachClockDriftsInATrace(t *testing.T) {
	c := simulation(t, "lease", func(c *scheduler.Simulation) {
		c.Nodes, c.Requests = 3, 2
		c.Faults = []scheduler.SimulatedFault{{Fault: faults.ClockDrift(8, 100*time.Millisecond)}, {Fault: faults.StoreClockDrift(8, 100*time.Millisecond)}}
	})
	trace, _, err := scheduler.SimulatedTrace(c, 0, checks.MutualExclusion())
	if err != nil {
		t.Fatal(err)
	}
	seconds := map[time.Duration]bool{}
	for _, step := range trace.Steps {
		if step.Second != 0 {
			seconds[step.Second] = true
		}
	}
	if len(seconds) != 4 {
		t.Errorf("the seconds of the clocks of three nodes and the store of locks take %v", seconds)
	}
}
