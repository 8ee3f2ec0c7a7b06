package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

var second = protocol.Range{Min: time.Second, Max: time.Second}

// What Go does when code panics or ends its goroutine, done by processes.
func TestPanicsAndEndsOfGoroutines(t *testing.T) {
	recovers := func(c *protocol.Client, reached func()) {
		func() {
			defer func() {
				if recover() != nil {
					reached()
				}
			}()
			c.Compute(second)
		}()
	}
	// What a deferred call of a process does that ends: it can still ask the world.
	defers := func(c *protocol.Client, reached func()) {
		done := false
		defer func() {
			if !done {
				c.Store.Set("orphan", c.NewToken())
			}
		}()
		c.Compute(second)
		done = true
	}
	// The node goes on after what it spawned was ended, which leaves a mark.
	goesOn := func(c *protocol.Client, reached func()) {
		protocol.Go(c, func(c *protocol.Client) bool {
			defer func() { c.Store.Set("k", c.NewToken(), protocol.PX(time.Hour)) }()
			c.Compute(second)
			c.Sleep(time.Hour)
			return true
		})
		c.Sleep(2 * time.Second)
		if _, ok, _ := c.Store.Get("k"); ok {
			reached()
		}
	}
	// The result of what was ended is none.
	waits := func(c *protocol.Client, reached func()) {
		if !protocol.Go(c, func(c *protocol.Client) bool { c.Compute(second); return true }).Wait() {
			reached()
		}
	}
	shares := func(c *protocol.Client, reached func()) {
		var failure *protocol.PanicError
		defer func() {
			if err, ok := recover().(error); ok && errors.As(err, &failure) {
				reached()
			}
		}()
		c.Do("work", func() (protocol.Value, error) { return protocol.Value{}, c.Compute(second) })
	}
	panics, exits := faults.Panic(1), faults.Goexit(1)
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"a panic can be recovered from", reachableOnce(t, recovers, panics), true},
		{"the end of a goroutine cannot", reachableOnce(t, recovers, exits), false},
		{"without a fault there is nothing to recover from", reachableOnce(t, recovers), false},
		{"the panic of a spawned process ends its node", reachableOnce(t, goesOn, panics), false},
		{"the end of its goroutine does not", reachableOnce(t, goesOn, exits), true},
		{"what has ended has no result", reachableOnce(t, waits, exits), true},
		{"and without the fault it has one", reachableOnce(t, waits), false},
		{"who waits for one that panics ends with it", reachableOnce(t, waits, panics), false},
		{"a flight panics for all who have joined", reachable(t, shares, together, fault(panics)), true},
		{"without the fault it does not", reachable(t, shares, together), false},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
	for _, f := range []model.Fault{panics, exits} {
		v := verdictOn(t, orphan{defers}, checks.NoOrphanedLock(), updates(0), nodes(1), fault(f))
		if v.Verdict != scheduler.Violated {
			t.Errorf("%s: a deferred call does not reach the world", f.Name())
		}
	}
}
