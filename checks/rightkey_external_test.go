package checks_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// wanted is the key for which a request asks: any of two.
func wanted(c *protocol.Client) string { return [...]string{"ada", "bob"}[c.Choose(2)] }

// coalesces shares loads by key, or all of them.
func coalesces(byKey bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		key := wanted(c)
		flight := "load"
		if byKey {
			flight += key
		}
		v, err, _ := c.Do(flight, func() (protocol.Value, error) {
			return c.RebuildFor(key, protocol.Range{Min: time.Second, Max: time.Second})
		})
		if err != nil {
			return protocol.Failed()
		}
		return protocol.FreshFor(key, v)
	}
}

// caches stores what it reads under its key, or under the same for all, by a plain Set or in
// an atomic step.
type caches struct{ Own, Atomic bool }

type keyed struct {
	Key   string
	Value protocol.Value
}

func storeKeyed(v *protocol.View, k keyed) protocol.Value {
	v.Set(k.Key, k.Value)
	got, _ := v.Get(k.Key)
	return got
}

func (p caches) Handle(c *protocol.Client) protocol.Answer {
	key := wanted(c)
	under := "ada"
	if p.Own {
		under = key
	}
	if v, ok, err := c.Cache.Get(under); err == nil && ok {
		return protocol.FreshFor(key, v)
	}
	v, err := c.Source.ReadFor(key)
	if err != nil {
		return protocol.Failed()
	}
	if p.Atomic {
		if v, err = protocol.Atomic(c.Cache, keyed{under, v}, storeKeyed); err != nil {
			return protocol.Failed()
		}
	} else if c.Cache.Set(under, v) != nil {
		return protocol.Failed()
	}
	return protocol.FreshFor(key, v)
}

// pooled sends requests over a connection, on which a reply waits until somebody reads it. A
// request that is cancelled in between leaves it there, or closes the connection.
type pooled struct{ Closes bool }

func (p pooled) Handle(c *protocol.Client) protocol.Answer {
	key := wanted(c)
	if !c.Memory.SetNX("busy", c.NewToken()) {
		return protocol.Stale()
	}
	defer c.Memory.Del("busy")
	v, err := c.Source.ReadFor(key)
	if err != nil {
		return protocol.Failed()
	}
	if _, ok := c.Memory.Get("reply"); !ok {
		c.Memory.Set("reply", v)
	}
	if c.Sleep(time.Second) != nil {
		if p.Closes {
			c.Memory.Del("reply")
		}
		return protocol.Failed()
	}
	got, _ := c.Memory.Get("reply")
	c.Memory.Del("reply")
	return protocol.FreshFor(key, got)
}

// A value that was read for one key is stored under no other and answers no request for
// another.
func TestRightKeyTellsValuesApart(t *testing.T) {
	for name, c := range map[string]struct {
		bad, good       protocol.Protocol
		nodes, requests int
		faults          []model.Fault
		says            string
	}{
		"a flight for all":        {coalesces(false), coalesces(true), 1, 2, nil, "and was answered with a value of another key"},
		"a key for all":           {caches{}, caches{Own: true}, 2, 1, nil, "stored version 1 of bob under ada"},
		"a key in a script":       {caches{Atomic: true}, caches{Atomic: true, Own: true}, 2, 1, nil, "stored version 1 of bob under ada"},
		"a reply that is left":    {pooled{}, pooled{Closes: true}, 1, 2, []model.Fault{faults.Cancel(1)}, "was answered with a value of another key"},
		"a store that fails over": {caches{}, caches{Own: true}, 1, 2, []model.Fault{faults.Failover(1, time.Second)}, "under ada"},
	} {
		t.Run(name, func(t *testing.T) {
			scenario := func(p protocol.Protocol) checks.Scenario {
				s := checks.NewScenario(p)
				s.Nodes, s.Requests, s.Updates, s.Faults = c.nodes, c.requests, 1, c.faults
				return s
			}
			if v := verdictOf(t, scenario(c.bad), checks.RightKey()); v.Verdict != scheduler.Violated || !strings.Contains(v.Trace.Explanation, c.says) {
				t.Errorf("%s: %s", v.Verdict, explanation(&v))
			}
			if v := verdictOf(t, scenario(c.good), checks.RightKey()); v.Verdict != scheduler.Holds || v.Vacuous != "" {
				t.Errorf("%s %s: %s", v.Verdict, v.Vacuous, explanation(&v))
			}
		})
	}
	if v := verdictOf(t, checks.NewScenario(looks(true)), checks.RightKey()); v.Verdict != scheduler.Holds || v.Vacuous == "" {
		t.Errorf("of a protocol that does not say for which key it reads: %s, which should be vacuous", v.Verdict)
	}
}

// A process knows versions of each key for itself: who knows a new value of one key may well
// read an old one of another.
func TestVersionsAreKnownByKey(t *testing.T) {
	two := func(second string) handler {
		return func(c *protocol.Client) protocol.Answer {
			if old, err := c.Source.ReadFor("ada"); err == nil {
				c.Cache.Set("ada", old)
			}
			c.Source.ReadFor(second)
			c.Cache.Get("ada")
			return protocol.Empty()
		}
	}
	for second, want := range map[string]scheduler.Result{"ada": scheduler.Violated, "bob": scheduler.Holds} {
		s := checks.NewScenario(two(second))
		s.Nodes = 1
		if v := verdictOf(t, s, checks.MonotonicReads()); v.Verdict != want {
			t.Errorf("%s: %s: %s", second, v.Verdict, explanation(&v))
		}
	}
}
