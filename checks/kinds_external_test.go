package checks_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// handler is protocol code that is one function.
type handler func(c *protocol.Client) protocol.Answer

func (h handler) Handle(c *protocol.Client) protocol.Answer { return h(c) }

// renewer holds a lock of 5 s for 9 s, and renews it after 4 s and after 8 s if it is not
// stopped before, in a way that may be wrong.
func renewer(renew func(c *protocol.Client, token protocol.Token) bool, stops bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
			return protocol.Stale()
		}
		c.Acquired("lock")
		heartbeat := protocol.Go(c, func(c *protocol.Client) bool {
			for range 2 {
				if c.Sleep(4*time.Second) != nil || !renew(c, token) {
					return false
				}
			}
			return true
		})
		c.Compute(protocol.Range{Min: 6 * time.Second, Max: 6 * time.Second})
		if stops {
			heartbeat.Stop()
			heartbeat.Wait()
		}
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
		if !stops {
			heartbeat.Wait()
		}
		return protocol.Empty()
	}
}

func owned(c *protocol.Client, token protocol.Token) bool {
	how, err := c.Store.ExpireIfEqual("lock", token, 5*time.Second)
	return err == nil && how == protocol.Mine
}

func anybodys(c *protocol.Client, _ protocol.Token) bool {
	ok, err := c.Store.PExpire("lock", 5*time.Second)
	return err == nil && ok
}

func again(c *protocol.Client, token protocol.Token) bool {
	how, err := c.Store.ExpireIfEqual("lock", token, 5*time.Second)
	if err == nil && how == protocol.Gone {
		ok, err := c.Store.SetNX("lock", token, 5*time.Second)
		return err == nil && ok
	}
	return err == nil && how == protocol.Mine
}

// leaves holds a lock for so long and gives it back, or not.
func leaves(ttl time.Duration, releases bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		if ok, err := c.Store.SetNX("lock", token, ttl); err != nil || !ok {
			return protocol.Stale()
		}
		c.Acquired("lock")
		c.Compute(protocol.Range{Min: time.Second, Max: time.Second})
		c.Releasing("lock")
		if releases {
			c.Store.Del("lock")
		}
		return protocol.Empty()
	}
}

// looks reads the source, stores the value or not, and looks what is cached.
func looks(stores bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		v, err := c.Source.Read()
		if err != nil {
			return protocol.Failed()
		}
		if stores {
			c.Cache.Set("feed", v)
		} else if _, err := protocol.Atomic(c.Cache, v, keepsNewest); err != nil {
			return protocol.Failed()
		}
		c.Cache.Get("feed")
		return protocol.Empty()
	}
}

func keepsNewest(v *protocol.View, value protocol.Value) bool {
	if old, ok := v.Get("feed"); ok && !protocol.Older(old, value) {
		return false
	}
	v.Set("feed", value)
	return true
}

// fills stores what it has read. A writer deletes it, and may leave a mark behind that says
// which version it must have at least.
type fills struct {
	Marks bool
	// InScript deletes in an atomic step, and once more before the update.
	InScript bool
}

func (p fills) Handle(c *protocol.Client) protocol.Answer {
	v, err := c.Rebuild(protocol.Range{Max: time.Second})
	if err != nil {
		return protocol.Failed()
	}
	if p.Marks {
		protocol.Atomic(c.Cache, v, storeUnlessMarked)
	} else {
		c.Cache.Set("feed", v)
	}
	return protocol.Fresh(v)
}

func (p fills) Update(c *protocol.Client) {
	if p.InScript {
		c.Cache.Del("feed")
	}
	v, err := c.Source.Update()
	if err != nil {
		return
	}
	if p.Marks {
		c.Cache.Set("mark", v)
	}
	if p.InScript {
		protocol.Atomic(c.Cache, true, deletesFeed)
	} else {
		c.Cache.Del("feed")
	}
}

func deletesFeed(v *protocol.View, _ bool) bool { return v.Del("feed") }

func storeUnlessMarked(v *protocol.View, value protocol.Value) bool {
	if mark, ok := v.Get("mark"); ok && protocol.Older(value, mark) {
		return false
	}
	v.Set("feed", value)
	return true
}

// counts takes a number.
type counts struct{}

func (counts) Handle(c *protocol.Client) protocol.Answer {
	c.Store.Incr("fence")
	return protocol.Empty()
}

// believes takes a lock and is slow to believe it, and looks again before it does or not.
func believes(looks bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
			return protocol.Stale()
		}
		c.Sleep(time.Second)
		if seen, ok, err := c.Store.Get("lock"); looks && (err != nil || !ok || seen != token) {
			return protocol.Stale()
		}
		c.Acquired("lock")
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
		return protocol.Empty()
	}
}

// changes reads the source and changes it in a transaction, under a lock or without.
func changes(locks bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		if locks {
			if ok, err := c.Store.SetNX("lock", token, time.Minute); err != nil || !ok {
				return protocol.Stale()
			}
		}
		if _, err := c.Source.Read(); err == nil {
			if _, err := c.Source.Begin(); err == nil {
				c.Source.Commit()
			}
		}
		if locks {
			c.Store.DelIfEqual("lock", token)
		}
		return protocol.Empty()
	}
}

// Each property is violated by one variant, and holds for another that gives it something
// to say.
func TestEachPropertyTellsVariantsApart(t *testing.T) {
	pause := []model.Fault{faults.Pause(1, 12*time.Second)}
	refused, cancelled := []model.Fault{faults.StoreError(1)}, []model.Fault{faults.Cancel(1)}
	lease, longer := catalogue.Lease{}, []model.Fault{faults.Pause(1, 5*time.Second)}
	type variant struct {
		protocol protocol.Protocol
		faults   []model.Fault
	}
	for _, c := range []struct {
		property    model.Property
		breaks      variant
		holds       variant
		explanation string
	}{
		{checks.NoForeignRenewal(), variant{renewer(anybodys, true), pause}, variant{renewer(owned, true), pause}, "by then belonged to"},
		{checks.NoRenewalAfterRelease(), variant{renewer(owned, false), []model.Fault{faults.LostRequest(1)}}, variant{renewer(owned, true), []model.Fault{faults.LostRequest(1)}}, "had begun to release"},
		{checks.NoRecreatedLock(), variant{renewer(again, true), pause}, variant{renewer(owned, true), pause}, "set lock anew, which its request believed to hold; the lock expired at"},
		{checks.WriteUnderLease(), variant{lease, pause}, variant{lease, longer}, "it still believed that it held lock:feed"},
		{checks.ReleasedWhenDone(), variant{leaves(time.Minute, false), nil}, variant{leaves(time.Minute, true), nil}, "left lock behind"},
		{checks.CleanWhenIdle(), variant{leaves(0, false), nil}, variant{leaves(time.Minute, false), nil}, "lock is left (#1)"},
		{checks.MonotonicReads(), variant{looks(true), nil}, variant{looks(false), nil}, "knew a newer one"},
		{checks.NoStaleSet(), variant{fills{}, nil}, variant{fills{Marks: true}, nil}, "had invalidated at"},
		{checks.NoStaleSet(), variant{fills{InScript: true}, nil}, variant{fills{Marks: true, InScript: true}, nil}, "had invalidated at"},
		{checks.NodeRebuilds(1), variant{catalogue.Direct{}, nil}, variant{catalogue.SingleFlight{}, nil}, "while 1 other was under way on its node"},
		{checks.Convergent(), variant{fills{}, nil}, variant{fills{Marks: true}, nil}, "is older than the source"},
		{checks.FencesIncrease(), variant{counts{}, []model.Fault{faults.Evict(1)}}, variant{counts{}, nil}, "got the number 1 from fence, which"},
		{checks.HonestStatus(), variant{believes(false), pause}, variant{believes(true), pause}, "no token in a store is its own"},
		{checks.Available(), variant{serves{}, refused}, variant{serves{Old: true}, refused}, "was answered with an error, and version 1 is under feed since"},
		{checks.Available(), variant{serves{Empty: true}, refused}, variant{serves{Old: true}, refused}, "was answered with nothing, and version 1 is under feed since"},
		{checks.IsolatedFailures(), variant{shares(false), cancelled}, variant{shares(true), cancelled}, "was struck by a cancel at"},
		{checks.IsolatedFailures(), variant{shares(false), []model.Fault{faults.RebuildError(1)}}, variant{asks, []model.Fault{faults.StoreError(1)}}, "; Compute of n0/"},
		{checks.IsolatedFailures(), variant{inChild(false), refused}, variant{inChild(true), refused}, "no operation of its own had failed"},
		{checks.ContinuousHold(), variant{lease, pause}, variant{lease, longer}, "that it holds lock:feed; the lock expired at"},
		{checks.ContinuousHold(), variant{renewer(again, true), pause}, variant{renewer(owned, true), nil}, "believes since 0s that it holds lock"},
		{checks.ContinuousHold(), variant{stolen{}, nil}, variant{leaves(time.Minute, true), nil}, "took it away at"},
		{checks.HolderNotFencedOff(), variant{fencedOff{}, []model.Fault{faults.Evict(1)}}, variant{fencedOff{}, nil}, "holds lock and brings the number 1, and feed:fence has 2, which"},
		{checks.NoLostUpdate(), variant{changes(false), nil}, variant{changes(true), nil}, "without having read that of"},
	} {
		check := func(v variant) scheduler.Verdict {
			s := checks.NewScenario(v.protocol)
			s.Faults, s.Invalidate = v.faults, true
			if _, ok := v.protocol.(protocol.Updater); !ok {
				s.Invalidate = false
			}
			switch v.protocol.(type) {
			case fencedOff:
				s.Nodes = 3
			}
			if c.property == checks.NodeRebuilds(1) || c.property == checks.IsolatedFailures() {
				s.Requests = 2
			}
			if c.property == checks.NoLostUpdate() {
				s.Updates = 0 // which take no lock
			}
			r, err := scheduler.Check(context.Background(), s, []model.Property{c.property}, scheduler.Options{})
			if err != nil {
				t.Fatalf("%s: %v", c.property.Name(), err)
			}
			return r.Verdicts[0]
		}
		bad, good := check(c.breaks), check(c.holds)
		if bad.Verdict != scheduler.Violated || !strings.Contains(bad.Trace.Explanation, c.explanation) {
			t.Errorf("%s: %s, and the explanation has not %q: %v", c.property.Name(), bad.Verdict, c.explanation, explanation(&bad))
		}
		if good.Verdict != scheduler.Holds || good.Vacuous != "" {
			t.Errorf("%s: the other variant: %s %s: %v", c.property.Name(), good.Verdict, good.Vacuous, explanation(&good))
		}
	}
}

func explanation(v *scheduler.Verdict) string {
	if v.Trace == nil {
		return "no trace"
	}
	return v.Trace.Explanation
}

// Names are unique, and a property says what it is about.
func TestKindsOfPropertiesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range checks.Kinds() {
		p := k.New(1, time.Second)
		if seen[k.Name] || k.Name == "" || p.Rule() == "" || p.Vacuous() == "" {
			t.Errorf("%q: %q, %q", k.Name, p.Rule(), p.Vacuous())
		}
		seen[k.Name] = true
	}
}

// A trace says with which argument a property was checked: what stands there makes the same
// property again.
func TestArgumentsAreWhatStandsAfterTheName(t *testing.T) {
	for _, k := range checks.Kinds() {
		p := k.New(3, 1500*time.Millisecond)
		argued, ok := p.(model.Argued)
		if ok != (k.Argument != checks.NoArgument) {
			t.Errorf("%s: has an argument: %v", k.Name, ok)
			continue
		}
		want := map[checks.Argument]string{checks.Count: "3", checks.Longest: "1.5s", checks.Window: "3/1.5s"}[k.Argument]
		if ok && argued.Argument() != want {
			t.Errorf("%s: the argument is %q, not %q", k.Name, argued.Argument(), want)
		}
	}
}
