package scheduler_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

var (
	combinedCases = flag.Int("combined", 40, "how many combinations of faults are tried")
	combinedFirst = flag.Int("combined-first", 0, "the first combination")
)

// medley does a bit of everything that the oracle does not know.
type medley struct{ Kind int }

func (p medley) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	short := protocol.Range{Min: time.Second, Max: 2 * time.Second}
	switch p.Kind {
	case 0: // a session, and a queue of signals
		x, ok, err := c.Store.OpenSession("session", 3*time.Second)
		if err != nil || !ok {
			c.Store.BlockingPop("signals", 2*time.Second)
			return protocol.Empty()
		}
		if ok, err := c.Store.SetNX("lock", token, 0, protocol.Ephemeral("session", time.Second)); err == nil && ok {
			c.Acquired("lock")
			c.Compute(short)
			x.KeepAlive()
			c.Releasing("lock")
		}
		x.Close()
		c.Store.Push("signals")
	case 1: // times, and the memory of the node
		now := c.Now(2 * time.Second)
		if !c.Memory.LockWithin("mutex", time.Second) {
			return protocol.Stale()
		}
		ok, err := c.Store.SetNX("lock", token, 0, protocol.At(now))
		if err == nil && !ok {
			if _, since, there, err := c.Store.GetStamped("lock"); err == nil && there && c.OlderThan(since, 2*time.Second) {
				c.Store.Del("lock")
			}
		} else if err == nil {
			c.Acquired("lock")
			c.Compute(short)
			c.Releasing("lock")
			c.Store.DelIfEqual("lock", token)
		}
		c.Memory.Unlock("mutex")
	case 2: // messages, and a transaction of the store
		w, err := c.Store.Watch("lock")
		if err != nil {
			return protocol.Failed()
		}
		if _, done, err := protocol.Exec(w, token, takes); err == nil && done {
			c.Acquired("lock")
			c.Compute(short)
			c.Releasing("lock")
			c.Store.DelIfEqual("lock", token)
			c.Store.Publish("free")
			return protocol.Empty()
		}
		if s, err := c.Store.Subscribe("free"); err == nil {
			s.WaitWithin(2 * time.Second)
		}
	case 3: // a transaction of the source, and timeouts
		c.Within(time.Second, func() {
			if v, err := c.Source.Begin(); err == nil {
				c.Cache.SetFenced("feed", v, v)
				c.Source.Commit()
			}
		})
		v, err := c.Rebuild(short)
		if err == nil {
			c.Cache.Set("feed", v)
		}
	case 4: // stores that are independent, and replicas
		granted := 0
		for _, s := range c.Stores(2) {
			if ok, err := s.SetNX("lock", token, 3*time.Second); err == nil && ok {
				granted++
			}
		}
		if ok, err := c.Stores(1)[0].WaitReplicas(1, time.Second); err == nil && ok && granted == 2 {
			c.Acquired("lock")
			c.Compute(short)
			c.Releasing("lock")
		}
		for _, s := range c.Stores(2) {
			s.DelIfEqual("lock", token)
		}
	case 5: // work that ends with its lease
		work, cancel := c.WithTimeout(2 * time.Second)
		defer cancel()
		if ok, err := work.Store.SetNX("lock", token, 3*time.Second); err != nil || !ok {
			work.Memory.ReceiveWithin("ended", time.Second)
			return protocol.Stale()
		}
		c.Acquired("lock")
		protocol.Go(c, func(c *protocol.Client) bool {
			c.Sleep(time.Second)
			if own, err := c.Store.ExpireIfEqual("lock", token, 3*time.Second); err != nil || own != protocol.Mine {
				cancel()
			}
			return true
		})
		work.Compute(short)
		c.Releasing("lock")
		c.WithoutCancel(func() { c.Store.DelIfEqual("lock", token) })
	case 6: // contexts below each other, of several processes
		outer, cancel := c.WithTimeout(1500 * time.Millisecond)
		inner, _ := outer.WithCancel()
		task := protocol.Go(inner, func(c *protocol.Client) bool {
			part, _ := c.WithTimeout(time.Second)
			_, err := part.Source.Update()
			return err == nil && !c.Cancelled()
		})
		v, err := inner.Rebuild(short)
		if err == nil {
			c.Cache.Set("feed", v)
		}
		cancel()
		if task.Wait() {
			outer.WithoutCancel(func() { outer.Cache.Del("feed") })
		}
	case 7: // a row that says since when it is locked, by the clock of the store
		began, err := c.Store.Now(3 * time.Second)
		if err != nil {
			return protocol.Failed()
		}
		if ok, err := protocol.Atomic(c.Store, claimed{token, began}, claimsRow); err == nil && ok {
			c.Acquired("lock")
			c.Compute(short)
			c.Releasing("lock")
			c.Store.DelIfEqual("lock", token)
		}
	}
	return protocol.Empty()
}

// medleys is how many kinds of medleys there are.
const medleys = 8

func takes(v *protocol.View, token protocol.Token) bool { return v.SetNX("lock", token, 3*time.Second) }

type claimed struct {
	Token protocol.Token
	At    protocol.Timestamp
}

func claimsRow(v *protocol.View, c claimed) bool {
	if _, locked := v.Get("lock"); locked && !v.OlderThan("lock", 2*time.Second) {
		return false
	}
	v.Set("lock", c.Token, protocol.At(c.At))
	return true
}

// combination draws a protocol and two or three kinds of faults.
func combination(t *rapid.T) scheduler.Scenario {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
	entries := catalogue.All()
	var s scheduler.Scenario
	if n := pick(len(entries) + 2*medleys); n < len(entries) {
		s = scheduler.NewScenario(entries[n].New())
		s.Name = entries[n].Name
	} else {
		kind := (n - len(entries)) % medleys
		s = scheduler.NewScenario(medley{Kind: kind})
		s.Name, s.KeepZeros = fmt.Sprint("medley ", kind), true
	}
	kinds := faults.Kinds()
	chosen := map[string]bool{}
	for range 2 + pick(2) {
		k := kinds[pick(len(kinds))]
		if chosen[k.Name] {
			continue
		}
		chosen[k.Name] = true
		took := protocol.Range{Min: time.Second, Max: time.Duration(1+pick(4)) * time.Second}
		if k.Shape == faults.CountRate {
			took.Max /= 10
		}
		s.Faults = append(s.Faults, k.New(1, took))
	}
	s.Updates = pick(2)
	if pick(4) == 0 {
		s.Reply = protocol.Range{Max: 5 * time.Millisecond}
	}
	if pick(4) == 0 {
		s.Latency = protocol.Range{}
	}
	if pick(5) == 0 {
		within := time.Duration(pick(2)) * time.Second
		s.ArriveWithin = &within
	}
	s.Replicas = 1 + pick(2)
	return s
}

var combinations = rapid.Custom(combination)

// Whatever is combined: every counterexample replays, and no reduction changes a verdict
// or its cost.
func TestReductionsChangeNothingWhateverFaultsAreCombined(t *testing.T) {
	compared := 0
	for n := range *combinedCases {
		s := combinations.Example(*combinedFirst + n)
		want, ok := combined(t, s, scheduler.Options{})
		if !ok {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(reductions)) {
			got, ok := combined(t, s, reductions[name])
			if !ok {
				continue
			}
			compared++
			for property, cost := range want {
				// Where only some of the times of a state are stuck answered may be silent.
				if !agree(got[property], cost) && property != "answered" {
					t.Errorf("case %d, %s, %v: %s without %s: %s, and %s with it", *combinedFirst+n, s.Name, s.Bounds().Faults, property, name, got[property], cost)
				}
			}
		}
	}
	t.Logf("%d comparisons", compared)
	if compared < *combinedCases {
		t.Errorf("only %d comparisons for %d combinations", compared, *combinedCases)
	}
}

// dearer stands for a violation that may not be the cheapest.
const dearer = "violated at some cost"

// agree reports whether two verdicts are compatible. Where clocks drift a search may find
// runs for which there are no rates: then it may be inconclusive, or not know the
// cheapest.
func agree(a, b string) bool {
	inconclusive := string(scheduler.Inconclusive)
	if a == b || a == inconclusive || b == inconclusive {
		return true
	}
	violated := func(s string) bool { return strings.HasPrefix(s, string(scheduler.Violated)) }
	return (a == dearer || b == dearer) && violated(a) && violated(b)
}

// combined returns what is said of each property; false if the search is too large.
func combined(t *testing.T, s scheduler.Scenario, o scheduler.Options) (map[string]string, bool) {
	t.Helper()
	o.MaxStates = 15_000
	s, err := s.Check()
	if err != nil {
		t.Fatal(err)
	}
	properties := append(checks.All(max(1, s.RebuildBound)), checks.WriteUnderLease(), checks.CleanWhenIdle(), checks.FreshWithin(time.Second))
	r, err := scheduler.Check(context.Background(), s, properties, o)
	var broken *scheduler.ProtocolError
	if errors.As(err, &broken) {
		t.Fatalf("%s, %v: %v", s.Name, s.Bounds().Faults, err)
	}
	if err != nil {
		t.Errorf("%s, %v, %+v: %v", s.Name, s.Bounds().Faults, o, err)
		return nil, false
	}
	if !r.Exhausted {
		return nil, false
	}
	m := map[string]string{}
	for _, v := range r.Verdicts {
		m[v.Property] = string(v.Verdict)
		if v.Verdict == scheduler.Violated {
			m[v.Property] = fmt.Sprintf("violated %d/%d", v.Faults, v.Steps)
			if !v.Minimal {
				m[v.Property] = dearer
			}
		}
	}
	return m, true
}

// Nor does the number of workers change a byte.
func TestWorkersChangeNothingWhateverFaultsAreCombined(t *testing.T) {
	for n := range *combinedCases {
		s := combinations.Example(*combinedFirst + n)
		want := told(t, s, scheduler.Options{Workers: 1, MaxStates: 3_000})
		for _, workers := range []int{2, 5} {
			o := scheduler.Options{Workers: workers, MaxStates: 3_000}
			o.Together()
			if got := told(t, s, o); got != want {
				t.Errorf("case %d, %s, %v: with %d workers\n%.2000s\nand with one\n%.2000s", *combinedFirst+n, s.Name, s.Bounds().Faults, workers, got, want)
			}
		}
	}
}
