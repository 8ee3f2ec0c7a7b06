package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// roles is a protocol made of two functions.
type roles struct {
	handle func(c *protocol.Client) protocol.Answer
	update func(c *protocol.Client)
}

func (p roles) Handle(c *protocol.Client) protocol.Answer { return p.handle(c) }
func (p roles) Update(c *protocol.Client)                 { p.update(c) }

// instantly lets operations take no time, so that instants come out exact.
func instantly(s *scheduler.Scenario) { s.Latency = protocol.Range{} }

// verdictOn checks one property.
func verdictOn(t *testing.T, p protocol.Protocol, property model.Property, change ...func(*scheduler.Scenario)) scheduler.Verdict {
	t.Helper()
	s := scheduler.NewScenario(p)
	for _, c := range change {
		c(&s)
	}
	r, err := scheduler.Check(context.Background(), s, []model.Property{property}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exhausted {
		t.Fatalf("not exhausted: %s", r.CutOff)
	}
	return r.Verdicts[0]
}

func updates(n int) func(*scheduler.Scenario) {
	return func(s *scheduler.Scenario) { s.Updates = n }
}

// Tokens are compared with ==: what a Get returns is one's own exactly if nobody
// else has taken the lock meanwhile. With a lock of 2 s it is still one's own after
// 1 s, and may be another's, or gone, after 2 s.
func TestATokenThatComesBackIsEqualExactlyIfItIsOnesOwn(t *testing.T) {
	look := func(after time.Duration, bad func(mine, found bool) bool) code {
		return func(c *protocol.Client) protocol.Answer {
			token := c.NewToken()
			if ok, _ := c.Store.SetNX("lock", token, 2*time.Second); !ok {
				return protocol.Stale()
			}
			c.Sleep(after)
			v, found, _ := c.Store.Get("lock")
			if bad(found && v == token, found) {
				reached(c)
			}
			return protocol.Empty()
		}
	}
	for _, c := range []struct {
		name  string
		after time.Duration
		bad   func(mine, found bool) bool
		want  bool
	}{
		{"not mine after 1 s", time.Second, func(mine, found bool) bool { return !mine }, false},
		{"gone after 2 s", 2 * time.Second, func(mine, found bool) bool { return !found }, true},
		{"another's after 2 s", 2 * time.Second, func(mine, found bool) bool { return found && !mine }, true},
		{"mine after 2 s", 2 * time.Second, func(mine, found bool) bool { return mine }, true},
		{"mine after 2.001 s", 2001 * time.Millisecond, func(mine, found bool) bool { return mine }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			assertReached(t, allowed(t, look(c.after, c.bad), instantly, nodes(2)), c.want)
		})
	}
}

// Values are equal exactly if they were computed from the same version.
func TestValuesAreEqualExactlyIfTheirVersionsAre(t *testing.T) {
	p := code(func(c *protocol.Client) protocol.Answer {
		a, _ := c.Source.Read()
		b, _ := c.Source.Read()
		if a != b {
			reached(c)
		}
		return protocol.Empty()
	})
	assertReached(t, allowed(t, p), false)
	assertReached(t, allowed(t, p, updates(1)), true)
}

// waits is a request that races a child, which sleeps for 10 s, against its own
// work of 1 s.
func TestStopWakesASleepingChildAtOnce(t *testing.T) {
	// A key that lives for 2 s is still there when the child is woken after 1 s;
	// if the child slept for its 10 s, it would be gone.
	stopped := func(c *protocol.Client) protocol.Answer {
		c.Store.Set("mark", c.NewToken(), protocol.PX(2*time.Second))
		task := protocol.Go(c, func(c *protocol.Client) bool { return c.Sleep(10*time.Second) == protocol.ErrStopped })
		c.Sleep(time.Second)
		task.Stop()
		noticed := task.Wait()
		if _, found, _ := c.Store.Get("mark"); !found || !noticed {
			reached(c)
		}
		return protocol.Empty()
	}
	assertReached(t, allowed(t, code(stopped), instantly), false)
}

// Stop is a signal: it comes at the next sleep, also if the child is not in one.
func TestStopIsNoticedAtTheNextSleep(t *testing.T) {
	assertReached(t, allowed(t, code(func(c *protocol.Client) protocol.Answer {
		task := protocol.Go(c, func(c *protocol.Client) bool {
			c.Compute(protocol.Range{Min: 5 * time.Second, Max: 5 * time.Second})
			return c.Sleep(10*time.Second) == protocol.ErrStopped
		})
		c.Sleep(time.Second)
		task.Stop()
		if !task.Wait() {
			reached(c)
		}
		return protocol.Empty()
	}), instantly), false)
}

// An operation that a child has issued when it is told to stop still takes
// effect: here a Set under way is there when the child has been waited for, and
// may come after whatever the parent does without waiting.
func TestAnOperationThatIsUnderWayAtStopTakesEffect(t *testing.T) {
	write := func(wait bool) code {
		return func(c *protocol.Client) protocol.Answer {
			token := c.NewToken()
			task := protocol.Go(c, func(c *protocol.Client) bool {
				c.Store.Set("mark", token, protocol.PX(time.Hour))
				return true
			})
			task.Stop()
			if wait {
				task.Wait()
			}
			if _, found, _ := c.Store.Get("mark"); !found {
				reached(c)
			}
			return protocol.Empty()
		}
	}
	assertReached(t, allowed(t, write(true)), false)
	assertReached(t, allowed(t, write(false)), true)
}

// Wait blocks until the child has ended: a key that lives for as long as the child
// sleeps, or a little less, is gone.
func TestWaitBlocksUntilTheChildEnds(t *testing.T) {
	wait := func(ttl time.Duration) code {
		return func(c *protocol.Client) protocol.Answer {
			c.Store.Set("mark", c.NewToken(), protocol.PX(ttl))
			protocol.Go(c, func(c *protocol.Client) bool { return c.Sleep(3*time.Second) == nil }).Wait()
			if _, found, _ := c.Store.Get("mark"); found {
				reached(c)
			}
			return protocol.Empty()
		}
	}
	assertReached(t, allowed(t, wait(2999*time.Millisecond), instantly), false)
	assertReached(t, allowed(t, wait(3*time.Second), instantly), true) // at one instant, in any order
	assertReached(t, allowed(t, wait(3001*time.Millisecond), instantly), true)
}

// PTTL tells whether less than the constant is left: of 10 s, after 7 s, 3 s are.
func TestPTTLComparesWhatIsLeftWithAConstant(t *testing.T) {
	for _, c := range []struct {
		after, limit time.Duration
		possible     map[protocol.Remaining]bool
	}{
		{7 * time.Second, 2999 * time.Millisecond, map[protocol.Remaining]bool{protocol.NotBelow: true}},
		{7 * time.Second, 3 * time.Second, map[protocol.Remaining]bool{protocol.NotBelow: true, protocol.Below: true}},
		{7 * time.Second, 3001 * time.Millisecond, map[protocol.Remaining]bool{protocol.Below: true}},
		{7 * time.Second, 0, map[protocol.Remaining]bool{protocol.NotBelow: true}},
		{0, 11 * time.Second, map[protocol.Remaining]bool{protocol.Below: true}},
		{11 * time.Second, time.Second, map[protocol.Remaining]bool{protocol.Absent: true}},
	} {
		for _, reply := range []protocol.Remaining{protocol.Absent, protocol.NoTTL, protocol.Below, protocol.NotBelow} {
			t.Run(fmt.Sprintf("%s after %s is %d", c.limit, c.after, reply), func(t *testing.T) {
				assertReached(t, allowed(t, code(func(client *protocol.Client) protocol.Answer {
					client.Store.SetNX("lock", client.NewToken(), 10*time.Second)
					client.Sleep(c.after)
					if got, _ := client.Store.PTTL("lock", c.limit); got == reply {
						reached(client)
					}
					return protocol.Empty()
				}), instantly), c.possible[reply])
			})
		}
	}
}

// What becomes of a TTL of 2 s: it is asked for after 3 s.
func TestWhatWritesDoToATTL(t *testing.T) {
	second := time.Second
	for name, c := range map[string]struct {
		write func(c *protocol.Client, token protocol.Token)
		there bool
	}{
		"nothing":                {func(*protocol.Client, protocol.Token) {}, false},
		"a plain Set drops it":   {func(c *protocol.Client, token protocol.Token) { c.Store.Set("x", token) }, true},
		"KeepTTL keeps it":       {func(c *protocol.Client, token protocol.Token) { c.Store.Set("x", token, protocol.KeepTTL()) }, false},
		"PX restarts it":         {func(c *protocol.Client, token protocol.Token) { c.Store.Set("x", token, protocol.PX(3*second)) }, true},
		"a plain SetXX drops it": {func(c *protocol.Client, token protocol.Token) { c.Store.SetXX("x", token) }, true},
		"a refused SetNX does not touch it": {func(c *protocol.Client, token protocol.Token) {
			c.Store.SetNX("x", token, time.Minute)
		}, false},
		"PExpire restarts it":      {func(c *protocol.Client, token protocol.Token) { c.Store.PExpire("x", 3*second) }, true},
		"PExpire with 0 deletes":   {func(c *protocol.Client, token protocol.Token) { c.Store.PExpire("x", 0) }, false},
		"ExpireIfEqual if mine":    {func(c *protocol.Client, token protocol.Token) { c.Store.ExpireIfEqual("x", token, 3*second) }, true},
		"ExpireIfEqual if not":     {func(c *protocol.Client, token protocol.Token) { c.Store.ExpireIfEqual("x", c.NewToken(), 3*second) }, false},
		"ExpireIfEqual below 0":    {func(c *protocol.Client, token protocol.Token) { c.Store.ExpireIfEqual("x", token, -1) }, false},
		"PExpire on a key without": {func(c *protocol.Client, token protocol.Token) { c.Store.Set("x", token); c.Store.PExpire("x", second) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := allowed(t, code(func(client *protocol.Client) protocol.Answer {
				token := client.NewToken()
				client.Store.Set("x", token, protocol.PX(2*second))
				client.Sleep(second)
				c.write(client, token)
				client.Sleep(2 * second)
				_, found, _ := client.Store.Get("x")
				// What stands there without a TTL is not what this is about.
				client.Store.Del("x")
				if found {
					client.Cache.Set("reached", token)
				}
				return protocol.Empty()
			}), instantly)
			_, got := broken(r)["no-orphaned-lock"]
			if got != c.there {
				t.Errorf("there after 3 s: %t, want %t", got, c.there)
			}
		})
	}
}

// PExpire with 0 deletes at once, not only when time passes.
func TestPExpireWithNothingDeletesAtOnce(t *testing.T) {
	assertReached(t, allowed(t, code(func(c *protocol.Client) protocol.Answer {
		c.Store.Set("x", c.NewToken(), protocol.PX(time.Minute))
		c.Store.PExpire("x", 0)
		if _, found, _ := c.Store.Get("x"); found {
			reached(c)
		}
		return protocol.Empty()
	}), instantly), false)
}

// guarded takes a lock of 10 s, works for 5 s, and stores only if its deadline of
// 9 s has not passed.
func guarded(guard bool) code {
	return func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		d := c.Deadline(9 * time.Second)
		if ok, _ := c.Store.SetNX("lock", token, 10*time.Second); !ok {
			return protocol.Stale()
		}
		v, _ := c.Rebuild(protocol.Range{Min: 5 * time.Second, Max: 5 * time.Second})
		if guard && d.Passed() {
			return protocol.Failed()
		}
		c.Cache.Set("feed", v)
		c.Store.DelIfEqual("lock", token)
		return protocol.Fresh(v)
	}
}

// A deadline that guards a write helps against slow work and against a pause
// before the deadline is read. It does not help against a pause between the read
// and the write: after 5 s of work, one of 5 s lets the lock expire. The next one
// needs 5 s for its work; the first one writes after it exactly if the pause may
// last for 10 s, of which the deadline knows nothing.
func TestADeadlineDoesNotGuardAgainstAPauseAfterItWasRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		guard bool
		pause time.Duration
		want  scheduler.Result
	}{
		{"no guard, short pause", false, 9999 * time.Millisecond, scheduler.Holds},
		{"no guard, long pause", false, 10 * time.Second, scheduler.Violated},
		{"guard, short pause", true, 9999 * time.Millisecond, scheduler.Holds},
		{"guard, long pause", true, 10 * time.Second, scheduler.Violated},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := verdictOn(t, guarded(c.guard), checks.NoStaleOverwrite(), instantly, pause(1, c.pause))
			if v.Verdict != c.want {
				t.Errorf("%s, want %s", v.Verdict, c.want)
			}
		})
	}
}

// The deadline does guard if the pause comes before it is read: here the write
// takes place only if the work was done in time, so without faults a work of up to
// 20 s never writes late.
func TestADeadlineGuardsAgainstSlowWork(t *testing.T) {
	slow := func(guard bool) code {
		return func(c *protocol.Client) protocol.Answer {
			token := c.NewToken()
			d := c.Deadline(9 * time.Second)
			if ok, _ := c.Store.SetNX("lock", token, 10*time.Second); !ok {
				return protocol.Stale()
			}
			v, _ := c.Rebuild(protocol.Range{Min: time.Second, Max: 20 * time.Second})
			if guard && d.Passed() {
				return protocol.Failed()
			}
			c.Cache.Set("feed", v)
			return protocol.Fresh(v)
		}
	}
	if v := verdictOn(t, slow(false), checks.NoStaleOverwrite()); v.Verdict != scheduler.Violated {
		t.Errorf("without the guard: %s", v.Verdict)
	}
	if v := verdictOn(t, slow(true), checks.NoStaleOverwrite()); v.Verdict != scheduler.Holds {
		t.Errorf("with the guard: %s", v.Verdict)
	}
}

// Two writers change the database in one order and the cache in the other (case
// V-08 of the corpus): without any fault the older value stays. Deleting instead
// of setting closes it.
func TestTwoWritersThatSetTheCacheLeaveTheOlderValue(t *testing.T) {
	writer := func(set bool) roles {
		return roles{
			func(c *protocol.Client) protocol.Answer {
				if v, found, _ := c.Cache.Get("feed"); found {
					return protocol.Fresh(v)
				}
				return protocol.Stale()
			},
			func(c *protocol.Client) {
				v, err := c.Source.Update()
				if err != nil {
					return
				}
				if set {
					c.Cache.Set("feed", v)
				} else {
					c.Cache.Del("feed")
				}
			},
		}
	}
	v := verdictOn(t, writer(true), checks.NoStaleOverwrite(), updates(2))
	// Both updates, then both sets the other way round.
	if v.Verdict != scheduler.Violated || v.Faults != 0 || v.Steps != 4 || !v.Minimal {
		t.Errorf("setting: %s with %d faults and %d steps (minimal: %t), want violated with 0 and 4", v.Verdict, v.Faults, v.Steps, v.Minimal)
	}
	if v := verdictOn(t, writer(false), checks.NoStaleOverwrite(), updates(2)); v.Verdict != scheduler.Holds {
		t.Errorf("deleting: %s", v.Verdict)
	}
}

// A heartbeat outlives its work (case H-04 of the corpus): the request fails and
// returns without stopping it, so it renews the lock for ever, and whoever tries
// again and again is never answered. The fix binds the heartbeat to the work.
func TestAHeartbeatThatOutlivesItsWorkBlocksEverybodyForEver(t *testing.T) {
	request := func(bound bool) code {
		return func(c *protocol.Client) protocol.Answer {
			token := c.NewToken()
			if ok, _ := c.Store.SetNX("lock", token, 10*time.Second); !ok {
				c.Sleep(time.Second)
				return protocol.Again()
			}
			heartbeat := protocol.Go(c, func(c *protocol.Client) bool {
				for {
					c.Checkpoint(token)
					if c.Sleep(3*time.Second) != nil {
						return true
					}
					if owner, _ := c.Store.ExpireIfEqual("lock", token, 10*time.Second); owner != protocol.Mine {
						return false
					}
				}
			})
			c.Compute(protocol.Range{Min: time.Second, Max: 5 * time.Second})
			// The work has failed: nothing is released, the TTL is to see to it.
			if bound {
				heartbeat.Stop()
			}
			return protocol.Failed()
		}
	}
	if v := verdictOn(t, request(false), checks.Answered(), updates(0)); v.Verdict != scheduler.Violated || v.Faults != 0 {
		t.Errorf("a heartbeat that goes on: %s with %d faults", v.Verdict, v.Faults)
	}
	if v := verdictOn(t, request(true), checks.Answered(), updates(0)); v.Verdict != scheduler.Holds {
		t.Errorf("a heartbeat that stops with its work: %s", v.Verdict)
	}
	// Alone on its node a request has nobody to wait for.
	if v := verdictOn(t, request(false), checks.Answered(), updates(0), nodes(1)); v.Verdict != scheduler.Holds {
		t.Errorf("alone: %s", v.Verdict)
	}
}

// An acquisition whose reply is lost is given back before it is reported as
// failed (case L-07 of the corpus). As long as no fault loses a reply the error
// path is never taken: the code is learned as if it were not there.
func TestTheErrorPathOfAnAcquisitionIsCodeLikeAnyOther(t *testing.T) {
	p := code(func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		ok, err := c.Store.SetNX("lock", token, 10*time.Second)
		if err != nil {
			if _, err := c.Store.DelIfEqual("lock", token); err != nil {
				return protocol.Failed()
			}
			return protocol.Again()
		}
		if !ok {
			return protocol.Stale()
		}
		c.Acquired("lock")
		v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
		if err != nil {
			return protocol.Failed()
		}
		c.Cache.Set("feed", v)
		c.Releasing("lock")
		if owner, err := c.Store.DelIfEqual("lock", token); err != nil || owner != protocol.Mine {
			reached(c)
		}
		return protocol.Fresh(v)
	})
	r := allowed(t, p, nodes(2), func(s *scheduler.Scenario) { s.Faults = []model.Fault{faults.Crash(1)} })
	if got := broken(r); len(got) != 0 {
		t.Errorf("broken: %v", got)
	}
}
