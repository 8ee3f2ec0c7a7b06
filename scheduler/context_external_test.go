package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
)

// way is something that a request can come to, or cannot, on one node.
type way struct {
	rule   string
	code   func(c *protocol.Client, reached func())
	faults []model.Fault
	can    bool
}

func followed(t *testing.T, ways []way) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.rule, func(t *testing.T) {
			if got := reachableOnce(t, w.code, w.faults...); got != w.can {
				t.Errorf("reached: %t", got)
			}
		})
	}
}

// gaveUp reports whether the error is that of a context that was cancelled.
func gaveUp(err error) bool { return errors.Is(err, protocol.ErrCancelled) }

// sleeps is what a spawned process does that reports whether it was cancelled.
func sleeps(c *protocol.Client) bool { return gaveUp(c.Sleep(time.Hour)) }

// slept is sleeps for a time that ends before anything else does.
func slept(c *protocol.Client) bool { return gaveUp(c.Sleep(time.Second)) }

func TestCancellingAPartDoesNotCancelTheRest(t *testing.T) {
	followed(t, []way{
		{"what begins in the part later has no effect", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			cancel()
			err := part.Store.Set("k", c.NewToken(), protocol.PX(time.Hour))
			if _, ok, _ := c.Store.Get("k"); ok || !gaveUp(err) {
				reached()
			}
		}, nil, false},
		{"and returns an error", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			cancel()
			if gaveUp(part.Sleep(time.Hour)) {
				reached()
			}
		}, nil, true},
		{"what is done beside it goes on", func(c *protocol.Client, reached func()) {
			_, cancel := c.WithCancel()
			other, _ := c.WithCancel()
			cancel()
			if gaveUp(c.Sleep(time.Second)) || gaveUp(other.Sleep(time.Second)) {
				reached()
			}
		}, nil, false},
		{"a part that is not cancelled goes on", func(c *protocol.Client, reached func()) {
			part, _ := c.WithCancel()
			if gaveUp(part.Sleep(time.Second)) {
				reached()
			}
		}, nil, false},
		{"cancelling twice is harmless", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			cancel()
			other, _ := c.WithCancel()
			cancel()
			if !gaveUp(part.Sleep(time.Second)) || gaveUp(other.Sleep(time.Second)) {
				reached()
			}
		}, nil, false},
		{"what is below it is cancelled with it", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			below, _ := part.WithCancel()
			deeper, _ := below.WithTimeout(time.Hour)
			cancel()
			later, _ := deeper.WithCancel()
			for _, c := range []*protocol.Client{below, deeper, later} {
				if !gaveUp(c.Sleep(time.Hour)) || !c.Cancelled() {
					reached()
				}
			}
		}, nil, false},
		{"what is above it is not", func(c *protocol.Client, reached func()) {
			part, _ := c.WithCancel()
			_, cancel := part.WithCancel()
			cancel()
			if part.Cancelled() || gaveUp(part.Sleep(time.Second)) {
				reached()
			}
		}, nil, false},
		{"it has the patience of where it was opened", func(c *protocol.Client, reached func()) {
			var part *protocol.Client
			c.Within(time.Millisecond, func() { part, _ = c.WithCancel() })
			if errors.Is(part.Store.Push("k"), protocol.ErrTimeout) {
				reached()
			}
		}, nil, true},
		{"a client tells whether its context is done", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			before := part.Cancelled()
			cancel()
			if before || !part.Cancelled() || c.Cancelled() {
				reached()
			}
		}, nil, false},
	})
}

// What an operation that is under way when its context is cancelled may have come to.
func TestWhatIsUnderWayInACancelledPart(t *testing.T) {
	// The process writes in the part, while another cancels that.
	write := func(claims func(soon, late bool, err error) bool) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			protocol.Go(c, func(c *protocol.Client) bool {
				c.SleepBetween(0, time.Second)
				cancel()
				return true
			})
			err := part.Store.Push("k")
			soon, _ := c.Store.Pop("k")
			c.Sleep(time.Second)
			late, _ := c.Store.Pop("k")
			if claims(soon, late, err) {
				reached()
			}
		}
	}
	followed(t, []way{
		{"it may have had its effect", write(func(soon, _ bool, err error) bool { return soon && gaveUp(err) }), nil, true},
		{"or not", write(func(soon, late bool, err error) bool { return !soon && !late && gaveUp(err) }), nil, true},
		{"or have it later", write(func(soon, late bool, err error) bool { return !soon && late && gaveUp(err) }), nil, true},
		{"never twice", write(func(soon, late bool, _ error) bool { return soon && late }), nil, false},
		{"what was done was done", write(func(soon, _ bool, err error) bool { return !soon && err == nil }), nil, false},
	})
}

func TestACancelledContextReachesWhatWasSpawnedThroughIt(t *testing.T) {
	followed(t, []way{
		{"a process that was spawned through it gives up", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			task := protocol.Go(part, sleeps)
			cancel()
			if !task.Wait() {
				reached()
			}
		}, nil, false},
		{"so does what that has spawned", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			task := protocol.Go(part, func(c *protocol.Client) bool { return protocol.Go(c, sleeps).Wait() })
			cancel()
			if !task.Wait() {
				reached()
			}
		}, nil, false},
		{"one that is spawned when it is cancelled gives up at once", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			cancel()
			if !protocol.Go(part, sleeps).Wait() {
				reached()
			}
		}, nil, false},
		{"one that was spawned beside it goes on", func(c *protocol.Client, reached func()) {
			_, cancel := c.WithCancel()
			task := protocol.Go(c, slept)
			cancel()
			if task.Wait() {
				reached()
			}
		}, nil, false},
		{"a spawned process can cancel what its parent works in", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			protocol.Go(c, func(c *protocol.Client) bool {
				c.Sleep(time.Second)
				cancel()
				return true
			})
			if gaveUp(part.Sleep(time.Hour)) && !c.Cancelled() {
				reached()
			}
		}, nil, true},
		{"after which its own context is not done", func(c *protocol.Client, reached func()) {
			_, cancel := c.WithCancel()
			task := protocol.Go(c, func(c *protocol.Client) bool {
				cancel()
				return c.Cancelled() || slept(c)
			})
			if task.Wait() {
				reached()
			}
		}, nil, false},
		{"a context outlives the process that opened it", func(c *protocol.Client, reached func()) {
			task := protocol.Go(c, func(c *protocol.Client) bool {
				part, _ := c.WithTimeout(time.Second)
				protocol.Go(part, func(c *protocol.Client) bool {
					err := c.Sleep(time.Hour)
					c.WithoutCancel(func() { c.Store.Push("done") })
					return gaveUp(err)
				})
				return true
			})
			task.Wait()
			c.Sleep(2 * time.Second)
			if ok, _ := c.Store.Pop("done"); !ok {
				reached()
			}
		}, nil, false},
		{"waits end with it", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			for _, wait := range []func(c *protocol.Client) error{
				func(c *protocol.Client) error { return c.Memory.Receive("channel") },
				func(c *protocol.Client) error { _, err := c.Store.BlockingPop("list", 0); return err },
				func(c *protocol.Client) error { w, _ := c.Store.Watch("k"); return w.Wait() },
			} {
				protocol.Go(part, func(c *protocol.Client) bool {
					if gaveUp(wait(c)) {
						c.WithoutCancel(func() { c.Store.Push("ended") })
					}
					return true
				})
			}
			c.Sleep(time.Second)
			cancel()
			c.Sleep(time.Second)
			for range 3 {
				if ok, _ := c.Store.Pop("ended"); !ok {
					reached()
				}
			}
		}, nil, false},
	})
}

func TestWithoutCancelBelowAContext(t *testing.T) {
	followed(t, []way{
		{"what is done without cancel goes on", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			cancel()
			part.WithoutCancel(func() {
				if part.Cancelled() || gaveUp(part.Sleep(time.Second)) || protocol.Go(part, slept).Wait() {
					reached()
				}
			})
		}, nil, false},
		{"a context that is opened there has none above it", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			part.WithoutCancel(func() {
				free, _ := part.WithCancel()
				cancel()
				if free.Cancelled() || gaveUp(free.Sleep(time.Second)) {
					reached()
				}
			})
		}, nil, false},
		{"but ends when it is cancelled itself", func(c *protocol.Client, reached func()) {
			c.WithoutCancel(func() {
				free, _ := c.WithTimeout(time.Second)
				below, _ := free.WithCancel()
				if !gaveUp(below.Sleep(time.Hour)) {
					reached()
				}
			})
		}, nil, false},
		{"afterwards all is as before", func(c *protocol.Client, reached func()) {
			part, cancel := c.WithCancel()
			part.WithoutCancel(func() {})
			cancel()
			if !gaveUp(part.Sleep(time.Hour)) {
				reached()
			}
		}, nil, false},
	})
}

// The fault that cancels a request cancels what is below it.
func TestContextsOfARequestThatIsCancelled(t *testing.T) {
	cancel := []model.Fault{faults.Cancel(1)}
	always := func(claims func(c, part *protocol.Client) bool) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			part, _ := c.WithCancel()
			if claims(c, part) {
				c.WithoutCancel(func() { c.Store.Set("orphan", c.NewToken()) })
			}
		}
	}
	followed(t, []way{
		{"a context is cancelled with its request", always(func(_, part *protocol.Client) bool { return gaveUp(part.Sleep(time.Second)) }), cancel, true},
		{"never without it", always(func(_, part *protocol.Client) bool { return gaveUp(part.Sleep(time.Second)) }), nil, false},
		{"both are done then", always(func(c, part *protocol.Client) bool {
			return gaveUp(part.Sleep(time.Second)) && (!c.Cancelled() || !part.Cancelled())
		}), cancel, false},
		{"one that is opened afterwards is cancelled", always(func(c, _ *protocol.Client) bool {
			if !gaveUp(c.Sleep(time.Second)) {
				return false
			}
			late, _ := c.WithTimeout(time.Hour)
			return !late.Cancelled()
		}), cancel, false},
		{"one that has none above it goes on", always(func(c, part *protocol.Client) bool {
			var free *protocol.Client
			c.WithoutCancel(func() { free, _ = c.WithCancel() })
			return gaveUp(free.Sleep(time.Second))
		}), cancel, false},
		{"without cancel it is not done", always(func(c, part *protocol.Client) bool {
			if !gaveUp(c.Sleep(time.Second)) {
				return false
			}
			done := false
			c.WithoutCancel(func() { done = c.Cancelled() })
			part.WithoutCancel(func() { done = done || part.Cancelled() })
			return done
		}), cancel, false},
		{"a part that was cancelled tells nothing of its request", always(func(c, _ *protocol.Client) bool {
			part, end := c.WithCancel()
			end()
			part.Sleep(time.Second)
			return c.Cancelled()
		}), nil, false},
	})
}

// Nobody waits in a context that is done for a reply that never comes.
func TestALostReplyIsNotWaitedForLongerThanAContextLasts(t *testing.T) {
	waits := func(limit time.Duration) func(c *protocol.Client, reached func()) {
		return func(c *protocol.Client, reached func()) {
			late := c.Deadline(20 * time.Millisecond)
			part, _ := c.WithTimeout(limit)
			if part.Store.Push("k"); late.Passed() {
				reached()
			}
		}
	}
	lost := []model.Fault{faults.LostReply(1)}
	followed(t, []way{
		{"a short one ends the wait", waits(10 * time.Millisecond), lost, false},
		{"a long one does not", waits(time.Hour), lost, true},
		{"nor does one beside it", func(c *protocol.Client, reached func()) {
			c.WithTimeout(10 * time.Millisecond)
			if gaveUp(c.Store.Push("k")) {
				reached()
			}
		}, lost, false},
	})
}

// A part that another process cancels at any time comes to what a request comes to that
// the fault cancels, and a timeout is what a process is that sleeps and then cancels.
func TestPartsEndAsRequestsDo(t *testing.T) {
	outcomes := func(open func(c *protocol.Client) *protocol.Client, all ...model.Fault) (can [16]bool) {
		for n := range can {
			can[n] = reachableOnce(t, func(c *protocol.Client, _ func()) {
				part := open(c)
				bit := func(n int, is bool) int {
					if is {
						return 1 << n
					}
					return 0
				}
				slow := c.Deadline(2 * time.Millisecond)
				got := bit(0, gaveUp(part.Store.Push("k"))) | bit(1, slow.Passed())
				c.WithoutCancel(func() {
					soon, _ := c.Store.Pop("k")
					c.Sleep(time.Second)
					late, _ := c.Store.Pop("k")
					if got |= bit(2, soon) | bit(3, late); got == n {
						c.Store.Set("orphan", c.NewToken())
					}
				})
			}, all...)
		}
		return can
	}
	byProcess := func(wait func(c *protocol.Client)) func(c *protocol.Client) *protocol.Client {
		return func(c *protocol.Client) *protocol.Client {
			part, cancel := c.WithCancel()
			protocol.Go(c, func(c *protocol.Client) bool {
				wait(c)
				cancel()
				return true
			})
			return part
		}
	}
	want := outcomes(func(c *protocol.Client) *protocol.Client { return c }, faults.Cancel(1))
	got := outcomes(byProcess(func(c *protocol.Client) { c.SleepAtLeast(0) }))
	if got != want {
		t.Errorf("a part comes to %v, a request to %v", got, want)
	}
	for d := range 7 * time.Millisecond / time.Millisecond {
		d := (d + 1) * time.Millisecond
		want := outcomes(byProcess(func(c *protocol.Client) { c.Sleep(d) }))
		got := outcomes(func(c *protocol.Client) *protocol.Client {
			part, _ := c.WithTimeout(d)
			return part
		})
		if got != want {
			t.Errorf("a timeout of %s comes to %v, a process that cancels to %v", d, got, want)
		}
	}
}
