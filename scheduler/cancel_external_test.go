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

// What a request that is cancelled gets from its operations.
func TestACancelledRequestGivesUp(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		rule string
		code func(c *protocol.Client, reached func())
		can  bool
	}{
		{"an operation under way may have had its effect", func(c *protocol.Client, reached func()) {
			err := c.Store.Set("k", c.NewToken(), protocol.PX(hour))
			c.WithoutCancel(func() {
				if _, ok, _ := c.Store.Get("k"); ok && errors.Is(err, protocol.ErrCancelled) {
					reached()
				}
			})
		}, true},
		{"or not", func(c *protocol.Client, reached func()) {
			err := c.Store.Set("k", c.NewToken(), protocol.PX(hour))
			c.WithoutCancel(func() {
				if _, ok, _ := c.Store.Get("k"); !ok && errors.Is(err, protocol.ErrCancelled) {
					reached()
				}
			})
		}, true},
		{"a read that comes first is given up, too", func(c *protocol.Client, reached func()) {
			if _, _, err := c.Store.Get("k"); errors.Is(err, protocol.ErrCancelled) {
				reached()
			}
		}, true},
		{"one that begins later has none", func(c *protocol.Client, reached func()) {
			if c.Sleep(time.Second) == nil {
				return
			}
			err := c.Store.Set("k", c.NewToken(), protocol.PX(hour))
			c.WithoutCancel(func() {
				if _, ok, _ := c.Store.Get("k"); ok || err == nil {
					reached()
				}
			})
		}, false},
		{"without cancel an operation goes on", func(c *protocol.Client, reached func()) {
			c.WithoutCancel(func() {
				if c.Sleep(time.Second) != nil {
					reached()
				}
			})
		}, false},
		{"a cancellation ends a sleep", func(c *protocol.Client, reached func()) {
			c.Store.Set("k", c.NewToken(), protocol.PX(time.Second))
			if c.Sleep(hour) == nil {
				return
			}
			c.WithoutCancel(func() {
				if _, ok, _ := c.Store.Get("k"); ok {
					reached()
				}
			})
		}, true},
		{"it reaches a spawned process", func(c *protocol.Client, reached func()) {
			child := protocol.Go(c, func(c *protocol.Client) bool { return errors.Is(c.Sleep(time.Second), protocol.ErrCancelled) })
			cancelled := child.Wait()
			c.WithoutCancel(func() {
				if cancelled {
					reached()
				}
			})
		}, true},
		{"but none that was spawned without cancel", func(c *protocol.Client, reached func()) {
			c.WithoutCancel(func() {
				child := protocol.Go(c, func(c *protocol.Client) bool { return errors.Is(c.Sleep(time.Second), protocol.ErrCancelled) })
				if child.Wait() {
					reached()
				}
			})
		}, false},
	} {
		code := func(cl *protocol.Client, reached func()) {
			c.code(cl, func() {
				cl.WithoutCancel(func() { cl.Store.Set("orphan", cl.NewToken()) })
			})
		}
		if got := reachableOnce(t, code, faults.Cancel(1)); got != c.can {
			t.Errorf("%s: %t", c.rule, got)
		}
		if reachableOnce(t, code) {
			t.Errorf("%s: it comes about without a cancellation", c.rule)
		}
	}
}

// shared has requests of a node share the rebuild, as golang.org/x/sync/singleflight
// does: the work is done under the context of the request that came first.
type shared struct{ detached bool }

func (p shared) Handle(c *protocol.Client) protocol.Answer {
	v, err, joined := c.Do("feed", func() (v protocol.Value, err error) {
		work := func() { v, err = c.Rebuild(protocol.Range{Max: time.Second}) }
		if p.detached {
			c.WithoutCancel(work)
		} else {
			work()
		}
		return v, err
	})
	if joined && errors.Is(err, protocol.ErrCancelled) {
		// Somebody's request was cancelled: this may be another one.
		c.Store.Set("failed", c.NewToken())
	}
	_ = v
	return protocol.Empty()
}

// The cancellation of the request that came first fails those that joined it, unless
// the work goes on without it.
func TestTheFirstCallersContextIsThatOfTheWork(t *testing.T) {
	for _, detached := range []bool{false, true} {
		s := scheduler.NewScenario(shared{detached})
		s.Nodes, s.Requests, s.Updates = 1, 2, 0
		s.Faults = []model.Fault{faults.Cancel(1)}
		if got := violated(t, s, checks.NoOrphanedLock()); got == detached {
			t.Errorf("detached %t: a request fails because another was cancelled: %t", detached, got)
		}
	}
}
