package checks_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func TestReportedWaysInWhichWaitingBreaksAndTheirFixes(t *testing.T) {
	runAll(t, []reported{
		{
			id: "L-25", lesson: "told before it listens",
			property: checks.Answered(),
			before:   notified{}, after: notified{Subscribe: "first"},
			scenario: inWorld(2, 0), steps: 4,
		},
		{
			id: "L-25", lesson: "a message that is lost",
			property: checks.Answered(),
			before:   notified{Subscribe: "first"}, after: notified{Subscribe: "first", Fallback: 5 * time.Second},
			scenario: inWorld(2, 0, faults.LostMessage(1)), faults: 1, steps: 6,
		},
		{
			id: "L-25", lesson: "a holder that is gone",
			property: checks.Answered(),
			before:   notified{Subscribe: "first"}, after: notified{Subscribe: "first", Fallback: 5 * time.Second},
			scenario: inWorld(2, 0, faults.Crash(1)), faults: 1, steps: 5,
		},
		{
			id: "N-01", lesson: "a release that is one step, split",
			property: checks.Answered(),
			before:   signalled{}, after: signalled{Atomic: true},
			scenario: inWorld(3, 0), steps: 9,
		},
	})
}

// notified is case L-25: a waiter that subscribes to the message of the release only
// when it has been refused misses a release in between, and waits for ever for a lock
// that is free. It must subscribe first and then try once more; and bound its wait,
// since a message can be lost and a holder can die.
type notified struct {
	Subscribe string `default:"late" choices:"late,first"`
	Fallback  time.Duration
}

func (p notified) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if p.Subscribe == "late" {
		if takes(c, token) {
			return p.work(c, token)
		}
	}
	released, err := c.Store.Subscribe("released")
	if err != nil {
		return protocol.Failed()
	}
	if p.Subscribe == "first" && takes(c, token) {
		return p.work(c, token)
	}
	if p.Fallback > 0 {
		released.WaitWithin(p.Fallback)
	} else {
		released.Wait()
	}
	return protocol.Again()
}

func takes(c *protocol.Client, token protocol.Token) bool {
	ok, err := c.Store.SetNX(lock, token, 10*time.Second)
	if err == nil && ok {
		c.Acquired(lock)
	}
	return err == nil && ok
}

func (p notified) work(c *protocol.Client, token protocol.Token) protocol.Answer {
	c.Sleep(time.Second)
	c.Releasing(lock)
	protocol.Atomic(c.Store, token, releaseAndTell)
	return protocol.Empty()
}

func releaseAndTell(v *protocol.View, token protocol.Token) bool {
	if holder, ok := v.Get(lock); !ok || holder != token {
		return false
	}
	v.Del(lock)
	v.Publish("released")
	return true
}

// signalled is case N-01, a report that was wrong: a release clears the list of signals,
// adds one and deletes the lock; a waiter is said to be woken between the two last, to
// find the lock still there, and to wait for ever. The release is a script, and so one
// step. As three steps it does happen.
type signalled struct{ Atomic bool }

func (p signalled) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 0); err != nil || !ok {
		c.Store.BlockingPop("signal", 0)
		return protocol.Again()
	}
	c.Acquired(lock)
	c.Sleep(time.Second)
	c.Releasing(lock)
	if p.Atomic {
		protocol.Atomic(c.Store, token, releaseAndSignal)
		return protocol.Empty()
	}
	if holder, ok, err := c.Store.Get(lock); err != nil || !ok || holder != token {
		return protocol.Failed()
	}
	c.Store.Del("signal")
	c.Store.Push("signal")
	c.Store.Del(lock)
	return protocol.Empty()
}

func releaseAndSignal(v *protocol.View, token protocol.Token) bool {
	if holder, ok := v.Get(lock); !ok || holder != token {
		return false
	}
	v.Del("signal")
	v.Push("signal")
	return v.Del(lock)
}
