package checks_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func TestReportedWaysInWhichCachesBreakAndTheirFixes(t *testing.T) {
	runAll(t, []reported{
		{
			id: "C-02", lesson: "one after the other",
			property: checks.RebuildBound(1),
			before:   lookOnce{}, after: lookOnce{Fixed: true},
			scenario: inWorld(2, 0), steps: 9,
			unharmed: checks.ConcurrentRebuilds(1),
		},
		{
			id: "V-01", lesson: "stored after the invalidation",
			property: noStaleSet(),
			before:   fill{}, after: fill{Fixed: true},
			scenario: inWorld(1, 1), steps: 6,
		},
		{
			id: "V-01", lesson: "a generation that is evicted",
			property: noStaleSet(),
			before:   fill{Fixed: true}, after: tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
			scenario: inWorld(1, 1, faults.Evict(1)), faults: 1, steps: 8,
		},
		{
			id: "V-01", lesson: "invalidated before the commit",
			property: convergent(),
			before:   transaction{}, after: transaction{Fixed: true},
			scenario: inWorld(1, 1), steps: 6,
		},
		{
			id: "V-04", lesson: "a token that a delete voids",
			property: noStaleSet(),
			before:   tokens{Load: quick}, after: tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
			scenario: inWorld(2, 1, faults.Evict(1)), steps: 6,
		},
		{
			id: "V-04", lesson: "one token, one load",
			property: checks.RebuildBound(1),
			before:   tokens{Load: quick}, after: tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
			scenario: inWorld(2, 0), steps: 4,
		},
		{
			id: "V-04", lesson: "a load longer than the interval",
			property: checks.RebuildBound(1),
			before:   tokens{Fixed: true, Interval: 10 * time.Second, Load: long}, after: tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
			scenario: inWorld(2, 0), steps: 5,
			unharmed: checks.RebuildBound(2),
		},
		{
			id: "V-04", lesson: "the interval ends the wait",
			property: checks.AnsweredWithin(8 * time.Second),
			before:   tokens{Fixed: true, Load: quick}, after: tokens{Fixed: true, Interval: 4 * time.Second, Load: quick},
			scenario: inWorld(2, 0, faults.Crash(1)), faults: 1, steps: 18,
		},
		{
			id: "V-08", lesson: "stored in the other order",
			property: checks.NoStaleOverwrite(),
			before:   writers{Store: "set"}, after: writers{Store: "newer"},
			scenario: inWorld(1, 2), steps: 4,
		},
		{
			id: "V-08", lesson: "what stays",
			property: convergent(),
			before:   writers{Store: "set"}, after: writers{Store: "newer"},
			scenario: inWorld(1, 2), steps: 4,
		},
		{
			id: "V-08", lesson: "a delete instead",
			property: convergent(),
			before:   writers{Store: "delete"}, after: writers{Store: "newer"},
			scenario: inWorld(1, 2), steps: 5,
		},
	})
}

const feed = "feed"

var (
	quick = protocol.Range{Min: time.Second, Max: 2 * time.Second}
	long  = protocol.Range{Min: time.Second, Max: 12 * time.Second}
)

// lookOnce is case C-02: a reader that missed gets the lock when the winner has stored
// and released, and rebuilds again; never two at the same time, and yet one for each
// reader. Who gets the lock looks at the cache once more.
type lookOnce struct{ Fixed bool }

func (p lookOnce) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 10*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired(lock)
	defer func() {
		c.Releasing(lock)
		c.Store.DelIfEqual(lock, token)
	}()
	if p.Fixed {
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			return protocol.Fresh(v)
		}
	}
	v, err := c.Rebuild(quick)
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.Set(feed, v)
	return protocol.Fresh(v)
}

// fill is case V-01: a reader loads, then the source is updated and the cache
// invalidated, which finds nothing, and then the reader stores what it has: it stays. A
// generation that each invalidation raises is noted before the load and compared in the
// step that stores. That is as good as the place where the generation is kept: if it is
// evicted, it begins anew. A token (V-04) that is evicted is void.
//
// The corpus calls it a stale overwrite. Nothing is overwritten: no-stale-overwrite,
// which compares with what was last stored under the key, has nothing to say here.
type fill struct{ Fixed bool }

func (p fill) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	generation := protocol.Value{} // that of a cache in which nothing was invalidated
	if p.Fixed {
		var err error
		if generation, _, err = c.Cache.Get(generations); err != nil {
			return protocol.Failed()
		}
	}
	v, err := c.Rebuild(quick)
	if err != nil {
		return protocol.Failed()
	}
	if p.Fixed {
		protocol.Atomic(c.Cache, loaded{v, generation}, storeSame)
	} else {
		c.Cache.Set(feed, v)
	}
	return protocol.Fresh(v)
}

func (p fill) Update(c *protocol.Client) {
	c.Source.Update()
	if p.Fixed {
		protocol.Atomic(c.Cache, 0, invalidate)
	} else {
		c.Cache.Del(feed)
	}
}

const generations = "generation"

type loaded struct{ Value, Generation protocol.Value }

func storeSame(v *protocol.View, l loaded) bool {
	if generation, _ := v.Get(generations); generation != l.Generation {
		return false
	}
	v.Set(feed, l.Value)
	return true
}

func invalidate(v *protocol.View, _ int) bool {
	v.Incr(generations)
	return v.Del(feed)
}

// transaction is case V-01, too: an update invalidates before it commits, and a reader
// stores what it can still see. It must invalidate afterwards, and when those have stored
// who have read before: here, where that takes 15 ms at most, after 20 ms.
type transaction struct{ Fixed bool }

func (p transaction) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, err := c.Source.Read()
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.SetNX(feed, v, 0)
	return protocol.Fresh(v)
}

func (p transaction) Update(c *protocol.Client) {
	if _, err := c.Source.Begin(); err != nil {
		return
	}
	if !p.Fixed {
		c.Cache.Del(feed)
	}
	c.Source.Commit()
	if p.Fixed {
		c.Sleep(20 * time.Millisecond)
		c.Cache.Del(feed)
	}
}

// tokens is case V-04, which is the fix of V-01 and of a stampede: who misses first gets
// a token, the others wait; a delete voids the token, and only who has a valid one can
// store. An evicted token is void, too. Without a token each reader loads, and stores
// what has been invalidated meanwhile.
//
// One load for each miss is what it promises if a load is faster than the interval after
// which another reader gets a token, else there are two. Without an interval a crash of
// who has the token lets everybody wait for ever.
type tokens struct {
	Fixed    bool
	Interval time.Duration
	Load     protocol.Range
}

func (p tokens) Handle(c *protocol.Client) protocol.Answer {
	if !p.Fixed {
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			return protocol.Fresh(v)
		}
		v, err := c.Rebuild(p.Load)
		if err != nil {
			return protocol.Failed()
		}
		c.Cache.Set(feed, v)
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	got, err := protocol.Atomic(c.Cache, permit{token, p.Interval}, getOrPermit)
	switch {
	case err != nil:
		return protocol.Failed()
	case got.Hit:
		return protocol.Fresh(got.Value)
	case !got.Permitted:
		c.Sleep(time.Second)
		return protocol.Again()
	}
	v, err := c.Rebuild(p.Load)
	if err != nil {
		return protocol.Failed()
	}
	protocol.Atomic(c.Cache, permitted{v, token}, setPermitted)
	return protocol.Fresh(v)
}

func (p tokens) Update(c *protocol.Client) {
	c.Source.Update()
	if p.Fixed {
		protocol.Atomic(c.Cache, 0, void)
	} else {
		c.Cache.Del(feed)
	}
}

const permits = "permit"

type permit struct {
	Token    protocol.Token
	Interval time.Duration
}

type looked struct {
	Hit, Permitted bool
	Value          protocol.Value
}

func getOrPermit(v *protocol.View, p permit) looked {
	if value, ok := v.Get(feed); ok {
		return looked{Hit: true, Value: value}
	}
	return looked{Permitted: v.SetNX(permits, p.Token, p.Interval)}
}

type permitted struct {
	Value protocol.Value
	Token protocol.Token
}

func setPermitted(v *protocol.View, w permitted) bool {
	if token, ok := v.Get(permits); !ok || token != w.Token {
		return false
	}
	v.Del(permits)
	v.Set(feed, w.Value)
	return true
}

func void(v *protocol.View, _ int) bool {
	v.Del(permits)
	return v.Del(feed)
}

// writers is case V-08: two updates change the source in one order and the cache in the
// other. Nothing stores but what is newer than what is stored.
//
// The corpus takes a delete instead of the set to be a fix, too. It is one where nobody
// else stores: with a reader that fills the cache it is case V-01.
type writers struct {
	Store string `default:"set" choices:"set,delete,newer"`
}

func (p writers) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, err := c.Source.Read()
	if err != nil {
		return protocol.Failed()
	}
	p.store(c, v)
	return protocol.Fresh(v)
}

func (p writers) Update(c *protocol.Client) {
	v, err := c.Source.Update()
	switch {
	case err != nil:
	case p.Store == "delete":
		c.Cache.Del(feed)
	default:
		p.store(c, v)
	}
}

func (p writers) store(c *protocol.Client, v protocol.Value) {
	if p.Store == "newer" {
		protocol.Atomic(c.Cache, v, storeNewer)
	} else {
		c.Cache.Set(feed, v)
	}
}

func storeNewer(v *protocol.View, value protocol.Value) bool {
	if stored, ok := v.Get(feed); ok && protocol.Older(value, stored) {
		return false
	}
	v.Set(feed, value)
	return true
}
