package checks_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// serves asks a store that may refuse; what it fails with is an error, nothing, or what it
// found before.
type serves struct{ Old, Empty bool }

func (p serves) Handle(c *protocol.Client) protocol.Answer {
	old, there, _ := c.Cache.Get("feed")
	v, err := c.Source.Read()
	if err == nil {
		err = c.Cache.Set("feed", v)
	}
	switch {
	case err == nil:
		return protocol.Fresh(v)
	case p.Empty:
		return protocol.Empty()
	case !p.Old:
		return protocol.Failed()
	case there:
		return protocol.Fresh(old)
	}
	return protocol.Stale()
}

// shares joins the load of others, which runs in the context of whoever came first, or in
// none.
func shares(detached bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		v, err, _ := c.Do("feed", func() (v protocol.Value, err error) {
			load := func() { v, err = c.Rebuild(protocol.Range{Min: time.Second, Max: time.Second}) }
			if detached {
				c.WithoutCancel(load)
			} else {
				load()
			}
			return v, err
		})
		if err != nil {
			return protocol.Failed()
		}
		return protocol.Fresh(v)
	}
}

// asks fails with its own operation.
var asks = handler(func(c *protocol.Client) protocol.Answer {
	if _, _, err := c.Cache.Get("feed"); err != nil {
		return protocol.Failed()
	}
	return protocol.Stale()
})

// inChild fails with what it has spawned: that is its own. It may fail, too, when it finds
// that another has failed.
func inChild(own bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		t := protocol.Go(c, func(c *protocol.Client) bool {
			_, _, err := c.Cache.Get("feed")
			return err == nil
		})
		if !t.Wait() {
			c.Cache.Set("failed", c.NewToken())
			return protocol.Failed()
		}
		if own {
			return protocol.Stale()
		}
		if _, failed, err := c.Cache.Get("failed"); err != nil || failed {
			return protocol.Failed()
		}
		return protocol.Stale()
	}
}

// stolen takes a lock away from whoever has it.
type stolen struct{}

func (stolen) Handle(c *protocol.Client) protocol.Answer {
	if err := c.Store.Set("lock", c.NewToken(), protocol.PX(time.Minute)); err != nil {
		return protocol.Failed()
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Min: time.Second, Max: time.Second})
	c.Releasing("lock")
	return protocol.Empty()
}

// fencedOff takes a lock and a number, and writes with that.
type fencedOff struct{}

func (fencedOff) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, time.Minute); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired("lock")
	number, err := c.Store.Incr("number")
	v, err2 := c.Source.Read()
	if err == nil && err2 == nil {
		c.Cache.SetFenced("feed", v, number)
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

// The verdicts on how requests are answered, and on what they hold, do not depend on the
// reductions.
func TestOutcomesAreTheSameWithoutReductions(t *testing.T) {
	for _, c := range []struct {
		property        model.Property
		protocol        protocol.Protocol
		nodes, requests int
		fault           model.Fault
		want            scheduler.Result
		faults, steps   int
	}{
		{checks.Available(), serves{}, 2, 1, faults.StoreError(1), scheduler.Violated, 1, 6},
		{checks.Available(), serves{Old: true}, 2, 1, faults.StoreError(1), scheduler.Holds, 0, 0},
		{checks.IsolatedFailures(), shares(false), 1, 2, faults.Cancel(1), scheduler.Violated, 1, 6},
		{checks.IsolatedFailures(), shares(true), 1, 2, faults.Cancel(1), scheduler.Holds, 0, 0},
		{checks.IsolatedFailures(), inChild(false), 2, 1, faults.StoreError(1), scheduler.Violated, 1, 6},
		{checks.IsolatedFailures(), inChild(true), 1, 2, faults.StoreError(1), scheduler.Holds, 0, 0},
		{checks.IsolatedFailures(), asks, 2, 2, faults.LostReply(1), scheduler.Holds, 0, 0},
		{checks.ContinuousHold(), stolen{}, 2, 1, nil, scheduler.Violated, 0, 2},
		{checks.ContinuousHold(), renewer(owned, true), 2, 1, faults.Pause(1, 12*time.Second), scheduler.Violated, 1, 3},
		{checks.HolderNotFencedOff(), fencedOff{}, 3, 1, faults.Evict(1), scheduler.Violated, 1, 9},
		{checks.HolderNotFencedOff(), fencedOff{}, 2, 1, nil, scheduler.Holds, 0, 0},
	} {
		s := checks.NewScenario(c.protocol)
		s.Nodes, s.Requests, s.Updates = c.nodes, c.requests, 0
		if c.fault != nil {
			s.Faults = []model.Fault{c.fault}
		}
		v := verdictOf(t, s, c.property)
		if v.Verdict != c.want || v.Vacuous != "" || v.Faults != c.faults || v.Steps != c.steps {
			t.Errorf("%s: %s %d/%d %s; it should be %s %d/%d: %s", c.property.Name(), v.Verdict, v.Faults, v.Steps, v.Vacuous, c.want, c.faults, c.steps, explanation(&v))
		}
	}
}

// A pause that is longer than the lease has left at its worst makes a gap: renewed each 4 s
// and up to 5 ms later, a lock of 5 s has 995 ms left.
func TestContinuousHoldHasAnExactBorder(t *testing.T) {
	for pause, want := range map[time.Duration]scheduler.Result{
		994 * time.Millisecond: scheduler.Holds, 995 * time.Millisecond: scheduler.Violated,
	} {
		s := checks.NewScenario(renewer(owned, true))
		s.Nodes, s.Updates, s.Faults = 2, 0, []model.Fault{faults.Pause(1, pause)}
		if v := verdictOf(t, s, checks.ContinuousHold()); v.Verdict != want || v.Vacuous != "" {
			t.Errorf("with a pause of %s: %s %s: %s", pause, v.Verdict, v.Vacuous, explanation(&v))
		}
	}
}

// A property that had nothing to say says so.
func TestOutcomesCanBeVacuous(t *testing.T) {
	idle := handler(func(*protocol.Client) protocol.Answer { return protocol.Failed() })
	for _, p := range []model.Property{checks.Available(), checks.ContinuousHold(), checks.HolderNotFencedOff()} {
		s := checks.NewScenario(idle)
		s.Updates = 0
		if v := verdictOf(t, s, p); v.Verdict != scheduler.Holds || v.Vacuous != p.Vacuous() {
			t.Errorf("%s: %s %q", p.Name(), v.Verdict, v.Vacuous)
		}
	}
	s := checks.NewScenario(asks)
	s.Updates = 0
	if v := verdictOf(t, s, checks.IsolatedFailures()); v.Verdict != scheduler.Holds || v.Vacuous == "" {
		t.Errorf("%s: %s %q", v.Property, v.Verdict, v.Vacuous)
	}
}

// Whoever has been cancelled may fail as it likes: nobody waits for its answer.
func TestWhoIsCancelledNeedNotBeServed(t *testing.T) {
	hangs := handler(func(c *protocol.Client) protocol.Answer {
		v, err := c.Source.Read()
		if err != nil || c.Cache.Set("feed", v) != nil {
			return protocol.Stale()
		}
		if c.Sleep(time.Second) != nil {
			return protocol.Failed()
		}
		return protocol.Fresh(v)
	})
	s := checks.NewScenario(hangs)
	s.Updates, s.Faults = 0, []model.Fault{faults.Cancel(1)}
	for _, p := range []model.Property{checks.Available(), checks.IsolatedFailures()} {
		if v := verdictOf(t, s, p); v.Verdict != scheduler.Holds || v.Vacuous != "" {
			t.Errorf("%s: %s %q: %s", p.Name(), v.Verdict, v.Vacuous, explanation(&v))
		}
	}
}
