package scheduler_test

import (
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// What Exec does between two processes of one request: the child writes at some time
// after the parent has begun to watch, or lets what is watched expire.
func TestExecIsDoneOnlyIfNothingWatchedHasChanged(t *testing.T) {
	exec := func(watch func(s *protocol.Store) (*protocol.Watch, error), meanwhile func(c *protocol.Client), want bool) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			c.Store.Set("k", c.NewToken(), protocol.PX(5*time.Second))
			w, _ := watch(c.Store)
			meanwhile(c)
			if _, done, _ := protocol.Exec(w, 0, noted); done == want {
				reached()
			}
		}
	}
	watch := func(s *protocol.Store) (*protocol.Watch, error) { return s.Watch("k") }
	writes := func(s *protocol.Store) (*protocol.Watch, error) { return s.WatchWrites("k") }
	nothing := func(c *protocol.Client) {}
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"it is done if nothing has happened", reachableOnce(t, exec(watch, nothing, true)), true},
		{"and only then refused", reachableOnce(t, exec(watch, nothing, false)), false},
		{"a write of another process refuses it", reachableOnce(t, exec(watch, func(c *protocol.Client) {
			protocol.Go(c, func(c *protocol.Client) bool { c.Store.Del("k"); return true }).Wait()
		}, true)), false},
		{"so does one of its own", reachableOnce(t, exec(watch, func(c *protocol.Client) { c.Store.Set("k", c.NewToken(), protocol.PX(time.Second)) }, true)), false},
		{"a refused write does not", reachableOnce(t, exec(watch, func(c *protocol.Client) { c.Store.SetNX("k", c.NewToken(), time.Second) }, false)), false},
		{"nor does a read, or a write of another key", reachableOnce(t, exec(watch, func(c *protocol.Client) {
			c.Store.Get("k")
			c.Store.Set("other", c.NewToken(), protocol.PX(time.Second))
		}, false)), false},
		{"an expiry does", reachableOnce(t, exec(watch, func(c *protocol.Client) { c.Sleep(6 * time.Second) }, true)), false},
		{"unless only writes are watched", reachableOnce(t, exec(writes, func(c *protocol.Client) { c.Sleep(6 * time.Second) }, false)), false},
		{"an eviction is a change", reachableOnce(t, exec(writes, func(c *protocol.Client) { c.Sleep(time.Second) }, false), faults.Evict(1)), true},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

func noted(v *protocol.View, _ int) bool { return v.Del("other") }

// What is not waited for in vain, and for how long.
func TestWaitsForChangesAndSignals(t *testing.T) {
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"a message before the subscription is lost", reachableOnce(t, func(c *protocol.Client, reached func()) {
			c.Store.Publish("news")
			w, _ := c.Store.Subscribe("news")
			if came, _ := w.WaitWithin(time.Second); came {
				reached()
			}
		}), false},
		{"one after it waits until it is asked for", reachableOnce(t, func(c *protocol.Client, reached func()) {
			w, _ := c.Store.Subscribe("news")
			c.Store.Publish("news")
			if came, _ := w.WaitWithin(0); !came {
				reached()
			}
		}), false},
		{"a message can be lost", reachableOnce(t, func(c *protocol.Client, reached func()) {
			w, _ := c.Store.Subscribe("news")
			heard, _ := c.Store.Publish("news")
			if came, _ := w.WaitWithin(0); heard && !came {
				reached()
			}
		}, faults.LostMessage(1)), true},
		{"in an atomic step, too", reachableOnce(t, func(c *protocol.Client, reached func()) {
			w, _ := c.Store.Subscribe("news")
			protocol.Atomic(c.Store, 0, tell)
			if came, _ := w.WaitWithin(0); !came {
				reached()
			}
		}, faults.LostMessage(1)), true},
		{"without the fault it is not", reachableOnce(t, func(c *protocol.Client, reached func()) {
			w, _ := c.Store.Subscribe("news")
			protocol.Atomic(c.Store, 0, tell)
			if came, _ := w.WaitWithin(0); !came {
				reached()
			}
		}), false},
		{"what is told of once is not told of again", reachableOnce(t, func(c *protocol.Client, reached func()) {
			w, _ := c.Store.Subscribe("news")
			c.Store.Publish("news")
			w.Wait()
			if came, _ := w.WaitWithin(time.Second); came {
				reached()
			}
		}), false},
		{"a signal in a list is kept", reachableOnce(t, func(c *protocol.Client, reached func()) {
			c.Store.Push("signals")
			if came, _ := c.Store.BlockingPop("signals", time.Second); !came {
				reached()
			}
		}), false},
		{"who pops waits no longer than it said", reachableOnce(t, func(c *protocol.Client, reached func()) {
			d := c.Deadline(1010 * time.Millisecond)
			if came, _ := c.Store.BlockingPop("signals", time.Second); came || d.Passed() {
				reached()
			}
		}), false},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

func tell(v *protocol.View, _ int) bool { v.Publish("news"); return true }

// What processes of one node do to each other by its memory: both requests of the one
// node run the code.
func TestMemoryBelongsToTheNode(t *testing.T) {
	locked := func(c *protocol.Client, reached func()) {
		c.Memory.Lock("mutex")
		reached()
		c.Memory.Unlock("mutex")
	}
	first := func(c *protocol.Client, reached func()) {
		if c.Memory.SetNX("leader", c.NewToken()) {
			reached()
		}
	}
	late := func(c *protocol.Client, reached func()) {
		if !c.Memory.LockWithin("mutex", time.Second) {
			reached()
			return
		}
		c.Sleep(2 * time.Second)
		c.Memory.Unlock("mutex")
	}
	three := func(s *scheduler.Scenario) { s.Nodes, s.Requests = 1, 3 }
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"a mutex excludes the requests of a node", reachable(t, locked, together), false},
		{"and nobody else", reachable(t, locked), true},
		{"a variable is one for the node", reachable(t, first, together), false},
		{"and another on each", reachable(t, first), true},
		{"who waits for a mutex may give up", reachable(t, late, three), true},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
}

func TestWaitsThatMakeNoSense(t *testing.T) {
	for _, b := range []breach{
		{"no key to watch", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Watch() // here: no key to watch
			return protocol.Empty()
		}), "there is no key"},
		{"a pop of a token", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Set("k", c.NewToken())
			c.Store.Pop("k") // here: a pop of a token
			return protocol.Empty()
		}), "holds no list"},
		{"a mutex that is free", code(func(c *protocol.Client) protocol.Answer {
			c.Memory.Unlock("mutex") // here: a mutex that is free
			return protocol.Empty()
		}), "not locked"},
		{"a transaction in memory", code(func(c *protocol.Client) protocol.Answer {
			protocol.Exec(c.Memory.Watch("k"), 0, noted) // here: a transaction in memory
			return protocol.Empty()
		}), "lock a mutex"},
		{"a watch of the parent", code(func(c *protocol.Client) protocol.Answer {
			w, _ := c.Store.Watch("k")
			protocol.Go(c, func(*protocol.Client) bool {
				w.Wait() // here: a watch of the parent
				return true
			}).Wait()
			return protocol.Empty()
		}), "another process"},
		{"a commit of nothing", code(func(c *protocol.Client) protocol.Answer {
			c.Source.Commit() // here: a commit of nothing
			return protocol.Empty()
		}), "has no transaction"},
		{"too much to remember", code(func(c *protocol.Client) protocol.Answer {
			for _, k := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
				c.Memory.Del(k) // here: too much to remember
			}
			return protocol.Empty()
		}), "more than 8 keys"},
	} {
		t.Run(b.name, b.refused)
	}
}
