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

func TestATimeoutEndsAContext(t *testing.T) {
	const ms = time.Millisecond
	followed(t, []way{
		{"what takes longer is given up", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(time.Second)
			if !gaveUp(part.Sleep(2*time.Second)) || !part.Cancelled() {
				reached()
			}
		}, nil, false},
		{"exactly when the time is over", func(c *protocol.Client, reached func()) {
			before, after := c.Deadline(999*ms), c.Deadline(1001*ms)
			part, _ := c.WithTimeout(time.Second)
			part.Sleep(time.Hour)
			if !before.Passed() || after.Passed() {
				reached()
			}
		}, nil, false},
		{"what takes as long may be given up", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(time.Second)
			if gaveUp(part.Sleep(time.Second)) {
				reached()
			}
		}, nil, true},
		{"or not", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(time.Second)
			if !gaveUp(part.Sleep(time.Second)) {
				reached()
			}
		}, nil, true},
		{"what is shorter never is", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(time.Second)
			if gaveUp(part.Sleep(999 * ms)) {
				reached()
			}
		}, nil, false},
		{"an operation of up to 5 ms may take 5 ms", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(5 * ms)
			if _, _, err := part.Store.Get("k"); gaveUp(err) {
				reached()
			}
		}, nil, true},
		{"or less", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(5 * ms)
			if _, _, err := part.Store.Get("k"); err == nil {
				reached()
			}
		}, nil, true},
		{"and is done in 5.001 ms", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(5*ms + time.Microsecond)
			if _, _, err := part.Store.Get("k"); gaveUp(err) {
				reached()
			}
		}, nil, false},
		{"one that was given up may take effect later", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(4 * ms)
			err := part.Store.Push("k")
			if soon, _ := c.Store.Pop("k"); soon || !gaveUp(err) {
				return
			}
			c.Sleep(time.Second)
			if late, _ := c.Store.Pop("k"); late {
				reached()
			}
		}, nil, true},
		{"but not once its latency is over", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(4 * ms)
			part.Store.Push("k")
			c.Sleep(2 * ms)
			if soon, _ := c.Store.Pop("k"); soon {
				return
			}
			c.Sleep(time.Second)
			if late, _ := c.Store.Pop("k"); late {
				reached()
			}
		}, nil, false},
		{"none that begins later has an effect", func(c *protocol.Client, reached func()) {
			part, _ := c.WithTimeout(time.Second)
			if part.Sleep(2 * time.Second); part.Store.Push("k") == nil {
				reached()
			}
			if ok, _ := c.Store.Pop("k"); ok {
				reached()
			}
		}, nil, false},
		{"one in the past is over at once", func(c *protocol.Client, reached func()) {
			for _, d := range []time.Duration{0, -time.Second} {
				part, cancel := c.WithTimeout(d)
				if !part.Cancelled() || !gaveUp(part.Store.Push("k")) {
					reached()
				}
				cancel()
			}
		}, nil, false},
		{"one that is cancelled before does nothing", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithTimeout(time.Second)
			cancel()
			if !gaveUp(part.Sleep(time.Hour)) {
				reached()
			}
			if other, _ := c.WithCancel(); gaveUp(other.Sleep(2 * time.Second)) {
				reached()
			}
		}, nil, false},
		{"the nearer of two counts", func(c *protocol.Client, reached func()) {
			outer, _ := c.WithTimeout(2 * time.Second)
			inner, _ := outer.WithTimeout(time.Second)
			wide, _ := outer.WithTimeout(time.Hour)
			inner.Sleep(time.Hour)
			if outer.Cancelled() || wide.Cancelled() || gaveUp(outer.Sleep(500*ms)) {
				reached()
			}
			wide.Sleep(time.Hour)
			if !outer.Cancelled() {
				reached()
			}
		}, nil, false},
		{"it is measured from the call", func(c *protocol.Client, reached func()) {
			c.Sleep(time.Second)
			part, _ := c.WithTimeout(time.Second)
			if gaveUp(part.Sleep(999 * ms)) {
				reached()
			}
		}, nil, false},
	})
}

// The timers of a paused node do not fire: what is due is due when it runs again.
func TestATimeoutOfANodeThatIsPaused(t *testing.T) {
	pause := []model.Fault{faults.Pause(1, 10*time.Second)}
	short := func(c *protocol.Client) (part *protocol.Client, late *protocol.Deadline) {
		late = c.Deadline(5 * time.Second)
		part, _ = c.WithTimeout(time.Second)
		return part, late
	}
	followed(t, []way{
		{"its process may learn of it late", func(c *protocol.Client, reached func()) {
			part, late := short(c)
			if gaveUp(part.Sleep(time.Hour)) && late.Passed() {
				reached()
			}
		}, pause, true},
		{"what was due at the same time may come first", func(c *protocol.Client, reached func()) {
			part, late := short(c)
			if part.Sleep(2*time.Second) == nil && late.Passed() {
				reached()
			}
		}, pause, true},
		{"or the timeout", func(c *protocol.Client, reached func()) {
			part, late := short(c)
			if gaveUp(part.Sleep(2*time.Second)) && late.Passed() {
				reached()
			}
		}, pause, true},
		{"without a pause it never is late", func(c *protocol.Client, reached func()) {
			part, late := short(c)
			if part.Sleep(2*time.Second) == nil || late.Passed() {
				reached()
			}
		}, nil, false},
		{"a pause may come before the call", func(c *protocol.Client, reached func()) {
			before := c.Deadline(5 * time.Second)
			part, _ := c.WithTimeout(time.Second)
			if part.Sleep(999*time.Millisecond) == nil && before.Passed() && !part.Cancelled() {
				reached()
			}
		}, pause, true},
		{"and between a cancellation and what comes before it", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			task := protocol.Go(part, slept)
			if c.Store.Set("k", c.NewToken(), protocol.PX(time.Hour)); !task.Wait() {
				cancel()
				reached()
			}
		}, pause, true},
	})
}

// What ends at one instant ends in every order, also where the search takes the end of a
// sleep together with what follows it.
func TestTheEndOfASleepAndOfAContextAtOneInstant(t *testing.T) {
	at := func(code func(c *protocol.Client, reached func())) bool {
		s := scheduler.NewScenario(orphan{code})
		s.Nodes, s.Updates, s.Latency = 1, 0, protocol.Range{}
		return violated(t, s, checks.NoOrphanedLock())
	}
	if !at(func(c *protocol.Client, reached func()) {
		part, _ := c.WithTimeout(time.Second)
		c.Sleep(time.Second)
		err := part.Store.Push("k")
		if done, _ := c.Store.Pop("k"); done && gaveUp(err) {
			reached()
		}
	}) {
		t.Error("an operation after the sleep is never given up when it has been issued")
	}
	if !at(func(c *protocol.Client, reached func()) {
		part, _ := c.WithTimeout(time.Second)
		protocol.Go(part, func(c *protocol.Client) bool {
			c.Sleep(time.Hour)
			c.Memory.Incr("over")
			return true
		})
		err := part.Sleep(time.Second)
		if _, over := c.Memory.Get("over"); over && err == nil {
			reached()
		}
	}) {
		t.Error("after a sleep in a context that context is never seen to end")
	}
}
