package scheduler_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// mutexed rebuilds under a mutex of the node, for which some wait without end and others for
// a time, and keeps a copy there.
type mutexed struct {
	Rebuild protocol.Range `default:"1s..2s"`
	Longest time.Duration  `default:"1500ms"`
}

func (p mutexed) Handle(c *protocol.Client) protocol.Answer {
	if v, ok := c.Memory.Get("copy"); ok {
		return protocol.Fresh(v)
	}
	if c.Choose(2) == 0 {
		c.Memory.Lock("mutex")
	} else if !c.Memory.LockWithin("mutex", p.Longest) {
		return protocol.Stale()
	}
	defer c.Memory.Unlock("mutex")
	if v, ok := c.Memory.Get("copy"); ok {
		return protocol.Fresh(v)
	}
	v, err := c.Rebuild(p.Rebuild)
	if err != nil {
		return protocol.Failed()
	}
	if c.Choose(3) == 0 {
		c.Memory.Set("copy", v)
	}
	return protocol.Fresh(v)
}

// timed renews its lock from a task and gives up by a deadline, by the TTL that is left, or
// by the result of the task.
type timed struct {
	TTL     time.Duration  `default:"3s"`
	Rebuild protocol.Range `default:"0s..5s"`
}

func (p timed) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	deadline := c.Deadline(6 * time.Second)
	for range 3 {
		ok, _ := c.Store.SetNX("lock", token, p.TTL)
		if ok {
			return p.hold(c, token, deadline)
		}
		if deadline.Passed() {
			return protocol.Empty()
		}
		if left, _ := c.Store.PTTL("lock", time.Second); left == protocol.Below {
			c.Sleep(time.Second)
			continue
		}
		c.SleepBetween(time.Second, 3*time.Second)
	}
	return protocol.Stale()
}

func (p timed) hold(c *protocol.Client, token protocol.Token, deadline *protocol.Deadline) protocol.Answer {
	c.Acquired("lock")
	deadline.Reset()
	renewals := protocol.Go(c, func(c *protocol.Client) bool {
		for range 2 {
			if c.Sleep(time.Second) != nil {
				return true
			}
			if owner, _ := c.Store.ExpireIfEqual("lock", token, p.TTL); owner != protocol.Mine {
				return false
			}
		}
		return true
	})
	v, _ := c.Rebuild(p.Rebuild)
	renewals.Stop()
	mine := renewals.Wait()
	if !mine || deadline.Passed() {
		return protocol.Failed()
	}
	number, _ := c.Store.Incr("number")
	c.Memory.Set("last", number)
	c.Cache.Set("feed", v, c.ValueTTL())
	if holder, ok, _ := c.Store.Get("lock"); ok && holder == token {
		c.Releasing("lock")
		c.Store.Del("lock")
	}
	return protocol.Fresh(v)
}

// What the catalogue does not use replays, too: mutexes, memory, choices, deadlines, TTLs that
// are asked for, counters, and tasks that are waited for.
func TestEachStepOfOtherOperationsReplays(t *testing.T) {
	for name, p := range map[string]protocol.Protocol{"mutexed": &mutexed{}, "timed": &timed{}} {
		for seed := range 2 * uint64(*simulateSeeds) {
			random := rand.New(rand.NewPCG(seed, 9))
			c := scheduler.NewSimulation(p)
			c.Name, c.Seed, c.Duration, c.RebuildBound = name, seed, 2*time.Minute, 2
			c.Nodes, c.Requests, c.Updates = 1+random.IntN(3), 1+random.IntN(8), random.IntN(2)
			c.Latency = []protocol.Range{{Max: 5 * time.Millisecond}, {}, {Max: time.Second}}[random.IntN(3)]
			if random.IntN(2) == 0 {
				c.Arrivals = distribution.Poisson(1)
			}
			if random.IntN(3) == 0 {
				c.ValueTTL = time.Duration(1+random.IntN(5)) * time.Second
			}
			if random.IntN(3) == 0 {
				c.Faults = []scheduler.SimulatedFault{{Fault: faults.Pause(8, 5*time.Second), Every: 10 * time.Second, Lasts: distribution.Uniform(model.Between(0, 5*time.Second))}}
			}
			if random.IntN(4) == 0 {
				c.Faults = append(c.Faults, scheduler.SimulatedFault{Fault: faults.Crash(8), Every: 20 * time.Second})
			}
			if _, err := replays(c); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
		}
	}
}
