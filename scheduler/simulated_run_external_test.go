package scheduler_test

import (
	"reflect"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// leavesLock leaves its lock to the TTL, and the others wait until there is a change.
type leavesLock struct {
	TTL time.Duration `default:"5s"`
}

func (p leavesLock) Handle(c *protocol.Client) protocol.Answer {
	changed, err := c.Store.Watch("lock")
	if err != nil {
		return protocol.Failed()
	}
	if ok, err := c.Store.SetNX("lock", c.NewToken(), p.TTL); err != nil || ok {
		changed.Close()
		return protocol.Empty()
	}
	if changed.Wait() != nil {
		return protocol.Failed()
	}
	return protocol.Stale()
}

// awaitsPush waits for what nobody pushes.
type awaitsPush struct{}

func (awaitsPush) Handle(c *protocol.Client) protocol.Answer {
	if _, err := c.Store.BlockingPop("list", 0); err != nil {
		return protocol.Failed()
	}
	return protocol.Stale()
}

// A run goes on where nobody is about to do anything, as long as an entry may expire or a
// fault may strike for which somebody waits.
func TestARunGoesOnForThoseWhoWaitForAChange(t *testing.T) {
	waiting := func(p protocol.Protocol, all ...scheduler.SimulatedFault) *scheduler.RunResult {
		c := scheduler.NewSimulation(p)
		c.Nodes, c.Requests, c.Latency, c.Duration, c.Faults = 1, 3, protocol.Range{}, time.Hour, all
		return simulate(t, c, 1).Runs[0]
	}
	if r := waiting(&leavesLock{}); r.Answered != 3 || r.Waits.Max != 5*time.Second || r.Lasted != 5*time.Second {
		t.Errorf("a lock is left to its TTL of 5 s: %d of 3 are answered, the last after %v, and the run lasts %v", r.Answered, r.Waits.Max, r.Lasted)
	}
	cancel := scheduler.SimulatedFault{Fault: faults.Cancel(8), Every: 10 * time.Second}
	if r := waiting(&awaitsPush{}, cancel); r.Answers.Failed != 3 || r.CutShort {
		t.Errorf("requests are cancelled every 10 s: %d of 3 that wait fail, cut short %v", r.Answers.Failed, r.CutShort)
	}
	if r := waiting(&awaitsPush{}); r.Unanswered != 3 || r.CutShort || r.Lasted != 0 {
		t.Errorf("nobody ever pushes: %d of 3 are not answered after %v", r.Unanswered, r.Lasted)
	}
	crash := scheduler.SimulatedFault{Fault: faults.Crash(8), Every: 10 * time.Second}
	if r := waiting(&awaitsPush{}, crash); r.Unanswered != 3 || r.CutShort || r.Lasted != 0 {
		t.Errorf("nobody ever pushes, and nodes crash: %d of 3 are not answered after %v", r.Unanswered, r.Lasted)
	}
}

// anyOrder writes two keys, either of them first, and waits for one of them to go.
type anyOrder struct{}

func (anyOrder) Handle(c *protocol.Client) protocol.Answer {
	keys := []string{"this", "that"}
	first := c.Choose(2)
	c.Store.SetNX(keys[first], c.NewToken(), 0)
	c.Store.SetNX(keys[1-first], c.NewToken(), 0)
	gone, err := c.Store.Watch("this")
	if err != nil || gone.Wait() != nil {
		return protocol.Failed()
	}
	return protocol.Stale()
}

// What a fault strikes does not depend on which key came first in the runs before.
func TestARunDoesNotDependOnTheKeysOfThoseBefore(t *testing.T) {
	c := scheduler.NewSimulation(anyOrder{})
	c.Nodes, c.Requests, c.Runs, c.Duration = 1, 1, 20, time.Minute
	c.Faults = []scheduler.SimulatedFault{{Fault: faults.Evict(8), Every: 5 * time.Second}}
	series := simulate(t, c, 1)
	for i, r := range series.Runs {
		c.Seed, c.Runs = r.Seed, 1
		if alone := simulate(t, c, 1).Runs[0]; !reflect.DeepEqual(alone, r) {
			t.Errorf("run %d is %+v, and %+v alone", i, r, alone)
		}
	}
}

// pops waits for an element for 2 s, by the clock of the store.
type pops struct{}

func (pops) Handle(c *protocol.Client) protocol.Answer {
	c.Store.BlockingPop("list", 2*time.Second)
	return protocol.Stale()
}

// Whoever waits at a store whose clock drifts does so by that of the replica that takes over: it
// is right.
func TestWaitsAreThoseOfAReplicaThatTakesOver(t *testing.T) {
	for seed := range uint64(60) {
		c := scheduler.NewSimulation(pops{})
		c.Nodes, c.Requests, c.Seed, c.Arrivals = 2, 4, seed, distribution.Poisson(1)
		c.Faults = []scheduler.SimulatedFault{
			{Fault: faults.StoreClockDrift(8, 100*time.Millisecond)},
			{Fault: faults.Failover(8, 2*time.Second), Every: 10 * time.Second, Lasts: distribution.Uniform(model.Between(0, 2*time.Second))},
		}
		if _, err := replays(c); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
