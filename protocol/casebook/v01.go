package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "V-01", Rank: 7, Kind: StaleSet,
		Title: "Read before the update, stored after the invalidation",
		Lesson: `A reader loads a value, the source is updated and the cache invalidated, and then the reader
stores the old value, which stays. The same happens if an update invalidates before it
commits. What is stored must be compared with a version or a mark that the invalidation
leaves behind, and that must not be evicted.`,
		Differs: `It is called a stale overwrite. Nothing is overwritten: no-stale-overwrite, which compares
with what was last stored under the key, has nothing to say here.`,
		Sources: []string{"https://github.com/zeromicro/go-zero/issues/3000", "https://github.com/google/guava/issues/1881", "https://github.com/ben-manes/caffeine/issues/193"},
		Checks: []Check{
			{
				Shows:    "stored after the invalidation",
				Property: checks.NoStaleSet(),
				Before:   fill{},
				After:    fill{Fixed: true},
				World:    world(1, 1),
				Steps:    6,
			},
			{
				Shows:    "a generation that is evicted",
				Property: checks.NoStaleSet(),
				Before:   fill{Fixed: true},
				After:    tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
				World:    world(1, 1, faults.Evict(1)),
				Faults:   1,
				Steps:    8,
			},
			{
				Shows:    "invalidated before the commit",
				Property: checks.Convergent(),
				Before:   transaction{},
				After:    transaction{Fixed: true},
				World:    world(1, 1),
				Steps:    6,
			},
		},
	})
}

// fill: a reader loads, then the source is updated and the cache
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

// transaction: an update invalidates before it commits, and a reader
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
