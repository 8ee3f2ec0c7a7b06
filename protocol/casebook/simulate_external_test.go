package casebook_test

import (
	"errors"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/casebook"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// What a simulation cannot follow it refuses; everything else it follows rightly: each step
// of a run replays. The casebook uses everything that a protocol can.
func TestASimulationFollowsACaseOrRefusesIt(t *testing.T) {
	followed, refused, seeds, least := 0, 0, uint64(6), 200
	if testing.Short() {
		seeds, least = 1, 30
	}
	for _, c := range casebook.All() {
		for _, k := range c.Checks {
			for _, p := range []protocol.Protocol{k.Before, k.After} {
				if p == nil {
					continue
				}
				world := scheduler.NewScenario(p)
				k.World(&world)
				for seed := range seeds {
					s := scheduler.NewSimulation(p)
					s.Nodes, s.Requests, s.Updates = 1+int(seed%3), 1+int(seed/2), world.Updates
					s.Latency, s.Reply, s.ValueTTL, s.Invalidate = world.Latency, world.Reply, world.ValueTTL, world.Invalidate
					s.Seed, s.Duration = seed, time.Minute
					if seed%2 == 1 {
						s.Arrivals = distribution.Poisson(1)
					}
					s.Properties = []model.Property{checks.NoOrphanedLock()}
					_, _, err := scheduler.SimulatedTrace(s, 0, checks.NoOrphanedLock())
					var protocolError *scheduler.ProtocolError
					var scenarioError *scheduler.ScenarioError
					switch {
					case err == nil:
						followed++
					case errors.As(err, &protocolError) || errors.As(err, &scenarioError):
						refused++
						t.Logf("%s %s %T: %v", c.ID, k.Shows, p, err)
					default:
						t.Errorf("%s %s %T, seed %d: %v", c.ID, k.Shows, p, seed, err)
					}
				}
			}
		}
	}
	t.Logf("%d runs were followed, %d refused", followed, refused)
	if followed < least {
		t.Errorf("only %d runs were followed", followed)
	}
}
