package scheduler_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// What a transaction of the source shows to others, and how long they wait for it.
func TestATransactionIsSeenWhenItIsCommitted(t *testing.T) {
	read := func(c *protocol.Client) protocol.Value {
		return protocol.Go(c, func(c *protocol.Client) protocol.Value { v, _ := c.Source.Read(); return v }).Wait()
	}
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"before that it is not", reachableOnce(t, func(c *protocol.Client, reached func()) {
			v, _ := c.Source.Begin()
			if read(c) == v {
				reached()
			}
		}), false},
		{"afterwards it is", reachableOnce(t, func(c *protocol.Client, reached func()) {
			v, _ := c.Source.Begin()
			c.Source.Commit()
			if read(c) != v {
				reached()
			}
		}), false},
		{"one that is rolled back never is", reachableOnce(t, func(c *protocol.Client, reached func()) {
			before := read(c)
			c.Source.Begin()
			c.Source.Rollback()
			if read(c) != before {
				reached()
			}
		}), false},
		{"others wait with their changes", reachable(t, func(c *protocol.Client, reached func()) {
			c.Source.Begin()
			reached()
			c.Source.Commit()
		}), false},
		{"but not for a process that is gone", reachable(t, func(c *protocol.Client, reached func()) {
			c.Source.Begin()
			reached()
			c.Source.Commit()
		}, fault(faults.Crash(1))), false},
		{"an update that is conditional is done if nothing has changed", reachableOnce(t, func(c *protocol.Client, reached func()) {
			v, _ := c.Source.Read()
			if _, done, _ := c.Source.UpdateIf(v); !done {
				reached()
			}
		}), false},
		{"and only then", reachableOnce(t, func(c *protocol.Client, reached func()) {
			v, _ := c.Source.Read()
			c.Source.Update()
			if _, done, _ := c.Source.UpdateIf(v); done {
				reached()
			}
		}), false},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
	// A process that returns or crashes without a commit holds nobody up.
	abandons := code(func(c *protocol.Client) protocol.Answer {
		if _, err := c.Source.Begin(); err == nil {
			c.Sleep(time.Second)
		}
		return protocol.Empty()
	})
	for _, all := range [][]model.Fault{nil, {faults.Crash(1)}} {
		s := scheduler.NewScenario(abandons)
		s.Updates, s.Faults = 0, all
		if violated(t, s, checks.Answered()) {
			t.Errorf("%d faults: who waits for the transaction of another waits for ever", len(all))
		}
	}
}
