package checks_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// majority takes a lock in most of three stores.
func majority(c *protocol.Client) protocol.Answer {
	token, granted := c.NewToken(), 0
	stores := c.Stores(3)
	for _, s := range stores {
		if ok, err := s.SetNX("lock", token, time.Minute); err == nil && ok {
			granted++
		}
	}
	if granted >= 2 {
		c.Acquired("lock")
		c.Compute(protocol.Range{Min: time.Second, Max: time.Second})
		c.Releasing("lock")
	}
	for _, s := range stores {
		s.DelIfEqual("lock", token)
	}
	return protocol.Empty()
}

// hasty gives up at the first of three stores that does not grant the lock, and gives back
// what it has been granted: so it may never ask the others.
func hasty(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	stores := c.Stores(3)
	for granted, s := range stores {
		if ok, err := s.SetNX("lock", token, time.Minute); err != nil || !ok {
			for _, s := range stores[:granted] {
				s.DelIfEqual("lock", token)
			}
			return protocol.Stale()
		}
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Min: time.Second, Max: time.Second})
	c.Releasing("lock")
	for _, s := range stores {
		s.DelIfEqual("lock", token)
	}
	return protocol.Empty()
}

// scripted takes and releases a lock in atomic steps, its own only or anybody's.
func scripted(own bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		if ok, err := protocol.Atomic(c.Store, token, takes); err != nil || !ok {
			return protocol.Stale()
		}
		c.Acquired("lock")
		c.Compute(protocol.Range{Min: time.Second, Max: 7 * time.Second})
		c.Releasing("lock")
		if own {
			protocol.Atomic(c.Store, token, givesBack)
		} else {
			protocol.Atomic(c.Store, token, clears)
		}
		return protocol.Empty()
	}
}

func takes(v *protocol.View, token protocol.Token) bool {
	if _, taken := v.Get("lock"); taken {
		return false
	}
	v.Set("lock", token, protocol.PX(5*time.Second))
	return true
}

func givesBack(v *protocol.View, token protocol.Token) bool {
	held, ok := v.Get("lock")
	return ok && held == token && v.Del("lock")
}

func clears(v *protocol.View, _ protocol.Token) bool { return v.Del("lock") }

// keeps takes a lock that never ends, and gives it back unless it starts over.
func keeps(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 0); err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired("lock")
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

// leavesBehind lets its lock run out and starts over, without end.
func leavesBehind(c *protocol.Client) protocol.Answer {
	if ok, err := c.Store.SetNX("lock", c.NewToken(), time.Second); err == nil && ok {
		c.Acquired("lock")
	}
	c.Sleep(time.Second)
	return protocol.Again()
}

// answers gives what the source has, asked for or remembered from the cache.
type answers struct{ Cached bool }

func (p answers) Handle(c *protocol.Client) protocol.Answer {
	if p.Cached {
		if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
			return protocol.Fresh(v)
		}
	}
	v, err := c.Source.Read()
	if err != nil {
		return protocol.Failed()
	}
	if p.Cached {
		c.Cache.Set("feed", v)
	}
	return protocol.Fresh(v)
}

func (p answers) Update(c *protocol.Client) {
	c.Source.Update()
	c.Cache.Del("feed")
}

// replaces reads the source and replaces it on the condition that it has not changed.
func replaces(c *protocol.Client) protocol.Answer {
	if v, err := c.Source.Read(); err == nil {
		c.Source.UpdateIf(v)
	}
	return protocol.Empty()
}

// reader reads what is cached twice.
func reader(c *protocol.Client) protocol.Answer {
	if v, err := c.Source.Read(); err == nil {
		c.Cache.SetNX("feed", v, time.Minute)
	}
	c.Cache.Get("feed")
	c.Cache.Get("feed")
	return protocol.Empty()
}

type linearCase struct {
	name     string
	property model.Property
	protocol protocol.Protocol
	faults   []model.Fault
	adjust   func(*checks.Scenario)
	want     scheduler.Result
	says     string
}

func linearCases() []linearCase {
	lock, register, counter, reads := checks.LinearizableLock(), checks.LinearizableRegister(), checks.LinearizableCounter(), checks.LinearizableReads()
	one := func(f model.Fault) []model.Fault { return []model.Fault{f} }
	pause := one(faults.Pause(1, 12*time.Second))
	requests := func(s *checks.Scenario) { s.Updates = 0 }
	invalidating := func(s *checks.Scenario) { s.Invalidate = true }
	return []linearCase{
		{"what runs out may be taken", lock, catalogue.Lease{}, pause, nil, scheduler.Holds, ""},
		{"a release that is slow to be told", lock, catalogue.Lease{}, nil, func(s *checks.Scenario) { s.Reply.Max = 5 * time.Millisecond }, scheduler.Holds, ""},
		{"a grant that a failover forgets", lock, catalogue.Lease{}, one(faults.Failover(1, time.Second)), nil, scheduler.Violated, "had neither released it nor had its lease run out"},
		{"a grant that an operator deletes", lock, keepsFor(time.Minute), one(faults.OperatorDelete(1)), requests, scheduler.Violated, "acquired lock at"},
		{"a release of what another has", lock, catalogue.FixedTTL{TTL: 5 * time.Second}, nil, nil, scheduler.Violated, "released lock:feed at 5s, which it did not hold"},
		{"a release by token", lock, keepsFor(5 * time.Second), pause, requests, scheduler.Holds, ""},
		{"atomic steps", lock, scripted(true), nil, requests, scheduler.Holds, ""},
		{"atomic steps that clear", lock, scripted(false), nil, requests, scheduler.Violated, "which it did not hold"},
		{"a majority", lock, handler(majority), nil, requests, scheduler.Holds, ""},
		{"a majority with a crash", lock, handler(majority), one(faults.Crash(1)), requests, scheduler.Holds, ""},
		{"all or none, in haste", lock, handler(hasty), one(faults.StoreError(1)), requests, scheduler.Holds, ""},
		{"all or none, without the stores' memory", lock, handler(hasty), one(faults.Wipe(3)), requests, scheduler.Violated, "acquired lock at"},
		// Each of two has asked before or after the loss, and has a second store.
		{"a majority without a store's memory", lock, handler(majority), one(faults.Wipe(1)), requests, scheduler.Violated, "acquired lock at"},
		{"requests that start over", lock, handler(keeps), nil, requests, scheduler.Holds, ""},
		{"leases that are left behind", lock, handler(leavesBehind), nil, requests, scheduler.Holds, ""},
		{"a crash under a lock without a TTL", lock, catalogue.NoTTL{}, one(faults.Crash(1)), nil, scheduler.Holds, ""},
		// An error comes instead of an effect, however often somebody tries.
		{"a store that refuses", lock, catalogue.NoTTL{}, one(faults.Disconnect(1, 5*time.Second)), nil, scheduler.Holds, ""},
		{"a store that refuses", register, catalogue.NoTTL{}, one(faults.Disconnect(1, 5*time.Second)), nil, scheduler.Holds, ""},
		{"a release that is sent again", lock, keepsFor(time.Minute), one(faults.Resend(1)), requests, scheduler.Violated, "was told at 3s that it no longer held lock"},
		{"a reply that is lost", lock, keepsFor(time.Minute), one(faults.LostReply(1)), requests, scheduler.Holds, ""},
		{"a request that is sent twice", lock, keepsFor(time.Minute), one(faults.Duplicate(1, time.Minute)), requests, scheduler.Holds, ""},

		{"a store", register, handler(reader), nil, nil, scheduler.Holds, ""},
		{"a store that forgets", register, handler(reader), one(faults.Evict(1)), nil, scheduler.Holds, ""},
		{"a store that is slow", register, handler(reader), nil, func(s *checks.Scenario) { s.Reply.Max = time.Millisecond }, scheduler.Holds, ""},
		{"a replica that lags", register, handler(reader), one(faults.StaleRead(1, time.Second)), nil, scheduler.Violated, "is answered with missing"},
		{"a failover that brings back", register, catalogue.Lease{}, one(faults.Failover(1, time.Second)), invalidating, scheduler.Violated, "is answered with v1"},
		{"a request whose reply is lost", register, handler(reader), one(faults.LostReply(1)), nil, scheduler.Holds, ""},
		{"a request that is delayed", register, handler(reader), one(faults.Delay(1, time.Minute)), nil, scheduler.Holds, ""},
		{"numbers", register, counts{}, nil, nil, scheduler.Holds, ""},
		{"numbers that are counted twice", register, counts{}, one(faults.Resend(1)), nil, scheduler.Violated, "Incr fence"},

		{"transactions side by side", counter, changes(false), nil, requests, scheduler.Violated, "both count from v1"},
		{"transactions under a lock", counter, changes(true), nil, requests, scheduler.Holds, ""},
		{"transactions under a lock that ends", counter, changes(true), one(faults.Evict(1)), requests, scheduler.Violated, "both count from v1"},
		{"conditions", counter, handler(replaces), nil, nil, scheduler.Holds, ""},

		{"the source itself", reads, answers{}, nil, nil, scheduler.Holds, ""},
		{"a copy", reads, answers{Cached: true}, nil, invalidating, scheduler.Violated, "had changed the source and returned at"},
		{"a lagging replica of the source", reads, answers{}, one(faults.StaleRead(1, time.Second)), nil, scheduler.Violated, "was answered with v1"},
	}
}

// keepsFor takes a lock for so long, works for 3 s, and gives it back by its token.
func keepsFor(ttl time.Duration) handler {
	return func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		if ok, err := c.Store.SetNX("lock", token, ttl); err != nil || !ok {
			return protocol.Stale()
		}
		c.Acquired("lock")
		c.Compute(protocol.Range{Min: 3 * time.Second, Max: 3 * time.Second})
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
		return protocol.Empty()
	}
}

func (c *linearCase) check(t *testing.T, o scheduler.Options) scheduler.Verdict {
	s := checks.NewScenario(c.protocol)
	s.Faults = c.faults
	if c.adjust != nil {
		c.adjust(&s)
	}
	r, err := scheduler.Check(context.Background(), s, []model.Property{c.property}, o)
	if err != nil {
		t.Fatalf("%s, %s: %v", c.property.Name(), c.name, err)
	}
	return r.Verdicts[0]
}

// Each object is linearizable in worlds that keep its promise, and is not in others. The
// verdict, its cost and the trace are the same whatever the search leaves out, and for
// every number of workers.
func TestObjectsAreLinearizableWhereTheirPromiseIsKept(t *testing.T) {
	for _, c := range linearCases() {
		t.Run(c.property.Name()+"/"+c.name, func(t *testing.T) {
			v := c.check(t, scheduler.Options{Workers: 1})
			if v.Verdict != c.want || v.Vacuous != "" || !strings.Contains(explanation(&v), c.says) && c.want == scheduler.Violated {
				t.Errorf("%s %s, want %s: %v", v.Verdict, v.Vacuous, c.want, explanation(&v))
			}
			if v.Trace != nil && len(v.Trace.History) == 0 {
				t.Error("the trace has no history")
			}
			for _, o := range []scheduler.Options{{Workers: 4}, {NoSymmetry: true}, {PauseAnyTime: true}} {
				other := c.check(t, o)
				if other.Verdict != v.Verdict || other.Faults != v.Faults || other.Steps != v.Steps {
					t.Errorf("with %+v: %s after %d faults and %d steps, want %s after %d and %d", o, other.Verdict, other.Faults, other.Steps, v.Verdict, v.Faults, v.Steps)
				}
				a, _ := json.Marshal(v.Trace)
				if b, _ := json.Marshal(other.Trace); o.Workers == 4 && string(a) != string(b) {
					t.Error("the trace depends on the number of workers")
				}
			}
		})
	}
}

// Whoever deletes another's lock and is told so has released what it did not hold: where
// that happens the lock is not linearizable, and a lock that is not forgotten in any other
// way is linearizable where it does not happen.
func TestAForeignReleaseIsNotLinearizable(t *testing.T) {
	told := 0
	for _, e := range catalogue.All() {
		name, p := e.Name, e.New()
		for _, f := range [][]model.Fault{nil, {faults.Pause(1, 40*time.Second)}, {faults.Crash(1)}, {faults.Cancel(1)}} {
			s := checks.NewScenario(p)
			s.Faults = f
			r, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoForeignRelease(), checks.LinearizableLock()}, scheduler.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			foreign, linear := r.Verdicts[0], r.Verdicts[1]
			if foreign.Verdict != linear.Verdict || foreign.Faults != linear.Faults || foreign.Steps != linear.Steps {
				t.Errorf("%s %v: foreign releases: %s after %d faults, %d steps; linearizable: %s after %d faults, %d steps: %s", name, f,
					foreign.Verdict, foreign.Faults, foreign.Steps, linear.Verdict, linear.Faults, linear.Steps, explanation(&linear))
			}
			if foreign.Verdict == scheduler.Violated {
				told++
			}
		}
	}
	if told == 0 {
		t.Error("nobody ever released another's lock")
	}
}

// A trace with a history replays, and its history is that of the search.
func TestATraceKeepsTheHistory(t *testing.T) {
	s := checks.NewScenario(catalogue.FixedTTL{TTL: 5 * time.Second})
	r, err := scheduler.Check(context.Background(), s, []model.Property{checks.LinearizableLock()}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trace := r.Verdicts[0].Trace
	var b strings.Builder
	if err := trace.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, err := model.ReadTrace(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := scheduler.Replay(s, read, checks.LinearizableLock()); err != nil {
		t.Error(err)
	}
	var got []string
	for _, o := range read.History {
		got = append(got, fmt.Sprintf("%s %s -> %s", o.Process, o.Input, o.Output))
	}
	want := "n0/0 acquire lock:feed -> done; n1/0 acquire lock:feed -> done;  the lease of lock:feed runs out -> done; n0/0 release lock:feed -> done"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}
