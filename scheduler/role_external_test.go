package scheduler_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// service is a protocol with all roles.
type service struct {
	handle    func(c *protocol.Client) protocol.Answer
	boot, job func(c *protocol.Client)
}

func (p service) Handle(c *protocol.Client) protocol.Answer { return p.handle(c) }
func (p service) Boot(c *protocol.Client)                   { p.boot(c) }
func (p service) Job(c *protocol.Client)                    { p.job(c) }

func nothing(*protocol.Client) {}

// leaves is a request that leaves a lock without a TTL behind where claims says so.
func leaves(claims func(c *protocol.Client) bool) func(c *protocol.Client) protocol.Answer {
	return func(c *protocol.Client) protocol.Answer {
		if claims(c) {
			c.Store.Set("orphan", c.NewToken())
		}
		return protocol.Empty()
	}
}

func TestBootComesBeforeEverythingElseOnItsNode(t *testing.T) {
	prepare := func(c *protocol.Client) {
		c.Sleep(time.Second)
		c.Memory.Incr("ready")
	}
	unprepared := service{boot: prepare, job: nothing, handle: leaves(func(c *protocol.Client) bool {
		_, ok := c.Memory.Get("ready")
		return !ok
	})}
	// How often the node was started, since the store remembers.
	again := service{boot: func(c *protocol.Client) { c.Store.Push("starts") }, job: nothing, handle: leaves(func(c *protocol.Client) bool {
		c.Sleep(time.Second)
		first, _ := c.Store.Pop("starts")
		second, _ := c.Store.Pop("starts")
		return first && second
	})}
	restart := fault(faults.Restart(1, protocol.Range{Max: time.Second}))
	window := func(s *scheduler.Scenario) { within := 2 * time.Second; s.ArriveWithin = &within }
	late := service{boot: prepare, job: nothing, handle: leaves(func(c *protocol.Client) bool {
		_, ok, _ := c.Store.Get("begun")
		return !ok
	})}
	late.boot = func(c *protocol.Client) {
		c.Store.Set("begun", c.NewToken(), protocol.PX(6*time.Second))
		c.Sleep(5 * time.Second)
	}
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"no request arrives before it has returned", orphaned(t, unprepared), false},
		{"nor after a restart, with an empty memory", orphaned(t, unprepared, restart), false},
		{"it comes once", orphaned(t, again), false},
		{"and again after a restart", orphaned(t, again, restart, requests(2)), true},
		{"a window of arrivals begins when it has returned", orphaned(t, late, window), true},
		{"and is no longer than it says", orphaned(t, late, func(s *scheduler.Scenario) { within := 900 * time.Millisecond; s.ArriveWithin = &within }), false},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

// orphaned reports whether a lock without a TTL can be left behind on one node.
func orphaned(t *testing.T, p protocol.Protocol, change ...func(*scheduler.Scenario)) bool {
	t.Helper()
	s := scheduler.NewScenario(p)
	s.Nodes, s.Updates = 1, 0
	for _, c := range change {
		c(&s)
	}
	return violated(t, s, checks.NoOrphanedLock())
}

// A job that removes the lock of whoever is gone makes a lock without a TTL usable; and it
// is not a request: nobody waits for it.
func TestAJobGoesOnBesideTheRequests(t *testing.T) {
	p := service{boot: nothing, handle: func(c *protocol.Client) protocol.Answer {
		if ok, err := c.Store.SetNX("lock", c.NewToken(), 0); err != nil || !ok {
			c.Sleep(time.Second)
			return protocol.Again()
		}
		c.Sleep(time.Second)
		c.Store.Del("lock")
		return protocol.Empty()
	}}
	p.job = func(c *protocol.Client) {
		for {
			c.Checkpoint()
			c.Sleep(time.Minute)
			c.Store.Del("lock")
		}
	}
	for jobs, want := range []bool{true, false} {
		s := scheduler.NewScenario(p)
		s.Jobs, s.Updates = jobs, 0
		fault(faults.Crash(1))(&s)
		if got := violated(t, s, checks.Answered()); got != want {
			t.Errorf("%d jobs: a request is never answered: %t", jobs, got)
		}
	}
}

// A shutdown is a job that goes step by step: what it does in the wrong order breaks as
// anything else does. The work must end before the lock is given back.
func TestAShutdownIsASequenceOfSteps(t *testing.T) {
	shutdown := func(waits bool) service {
		p := service{boot: nothing, handle: func(c *protocol.Client) protocol.Answer {
			token := c.NewToken()
			if _, stopping := c.Memory.Get("stopping"); stopping {
				return protocol.Failed()
			}
			if ok, err := c.Store.SetNX("lock", token, time.Hour); err != nil || !ok {
				return protocol.Empty()
			}
			c.Memory.Set("held", token)
			c.Acquired("lock")
			c.Sleep(time.Second)
			c.Releasing("lock")
			c.Store.DelIfEqual("lock", token)
			c.Memory.Send("done")
			return protocol.Empty()
		}}
		p.job = func(c *protocol.Client) {
			c.Memory.Incr("stopping")
			token, ok := c.Memory.Get("held")
			if !ok {
				return
			}
			if waits {
				c.Memory.Receive("done")
			}
			c.Store.DelIfEqual("lock", token)
		}
		return p
	}
	for _, waits := range []bool{false, true} {
		s := scheduler.NewScenario(shutdown(waits))
		s.Updates = 0
		if got := violated(t, s, checks.MutualExclusion()); got == waits {
			t.Errorf("waits for the work %t: the lock is given away while it is held: %t", waits, got)
		}
	}
}

// Nodes of another configuration are others: one with a shorter TTL loses its lock. And a
// node is no copy of one that runs something else.
func TestOtherNodesRunAProtocolOfTheirOwn(t *testing.T) {
	held := func(ttl time.Duration) protocol.Protocol {
		return code(func(c *protocol.Client) protocol.Answer {
			if ok, err := c.Store.SetNX("lock", c.NewToken(), ttl); err == nil && ok {
				c.Acquired("lock")
				c.SleepBetween(time.Second, 5*time.Second)
				c.Releasing("lock")
			}
			return protocol.Empty()
		})
	}
	for _, c := range []struct {
		ttl  time.Duration
		want bool
	}{{6 * time.Second, false}, {4 * time.Second, true}} {
		s := scheduler.NewScenario(held(6 * time.Second))
		s.Nodes, s.Updates, s.Others = 1, 0, []scheduler.Other{{Protocol: held(c.ttl), Nodes: 1}}
		if got := violated(t, s, checks.MutualExclusion()); got != c.want {
			t.Errorf("a node with a TTL of %s: the lock is held twice: %t", c.ttl, got)
		}
	}
}
