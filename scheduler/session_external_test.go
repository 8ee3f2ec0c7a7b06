package scheduler_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// The end of a session, the removal of what is bound to it, and that its client learns of
// it are three steps, in every order of the two last.
func TestTheEndOfASessionIsThreeSteps(t *testing.T) {
	const ttl, within = 5 * time.Second, 2 * time.Second
	bound := func(then func(c *protocol.Client, x *protocol.Session, reached func())) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			x, ok, err := c.Store.OpenSession("session", ttl)
			if err != nil || !ok {
				return
			}
			if ok, err := c.Store.SetNX("lock", x.Token(), 0, protocol.Ephemeral("session", within)); err == nil && ok {
				then(c, x, reached)
			}
		}
	}
	there := func(c *protocol.Client, key string) bool { _, ok, _ := c.Store.Get(key); return ok }
	for _, c := range []struct {
		rule       string
		got, wants bool
	}{
		{"what is bound to a session is there as long as it is", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			c.Sleep(4 * time.Second)
			if !there(c, "lock") {
				reached()
			}
		})), false},
		{"it may outlive the session", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			c.Sleep(6 * time.Second)
			if !there(c, "session") && there(c, "lock") {
				reached()
			}
		})), true},
		{"or may not", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			c.Sleep(6 * time.Second)
			if !there(c, "lock") {
				reached()
			}
		})), true},
		{"but not for longer than it is said", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			c.Sleep(8 * time.Second)
			if there(c, "lock") {
				reached()
			}
		})), false},
		{"a client that keeps it alive keeps it", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			c.Sleep(4 * time.Second)
			alive, _ := x.KeepAlive()
			c.Sleep(4 * time.Second)
			if !alive || !there(c, "lock") {
				reached()
			}
		})), false},
		{"one that comes too late learns of it", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			c.Sleep(6 * time.Second)
			if alive, _ := x.KeepAlive(); alive {
				reached()
			}
		})), false},
		{"one that closes it loses what was bound", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			x.Close()
			c.Sleep(3 * time.Second)
			if there(c, "lock") {
				reached()
			}
		})), false},
		{"nothing is bound to a session that is gone", reachableOnce(t, bound(func(c *protocol.Client, x *protocol.Session, reached func()) {
			x.Close()
			if err := c.Store.Set("other", x.Token(), protocol.Ephemeral("session", within)); err == nil {
				reached()
			}
		})), false},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %t", c.rule, c.got)
		}
	}
	// Whoever is gone leaves nothing behind.
	s := scheduler.NewScenario(code(func(c *protocol.Client) protocol.Answer {
		x, ok, err := c.Store.OpenSession("session", ttl)
		if err == nil && ok {
			ok, err = c.Store.SetNX("lock", x.Token(), 0, protocol.Ephemeral("session", within))
		}
		if err != nil || !ok {
			c.Sleep(time.Second)
			return protocol.Again()
		}
		c.Sleep(time.Second)
		x.Close()
		return protocol.Empty()
	}))
	s.Updates = 0
	fault(faults.Crash(1))(&s)
	if violated(t, s, checks.Answered()) {
		t.Error("a crash leaves a lock behind that is bound to a session")
	}
}
