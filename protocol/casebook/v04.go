package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "V-04", Rank: 22, Kind: StaleSet,
		Title: "Permits that an invalidation voids",
		Lesson: `Whoever misses first gets a permit to load and store; others wait or take a stale copy. An
invalidation voids the permit, so that what was loaded before it is not stored. Without that
a slow loader stores a value that is older than the last invalidation; with it, a permit
whose holder has crashed must end by itself.`,
		Sources: []string{"https://docslib.org/doc/10547744/scaling-memcache-at-facebook", "https://awesome-everything.pages.dev/en/glossary/memcache_lease/"},
		Checks: []Check{
			{
				Shows:    "a token that a delete voids",
				Property: checks.NoStaleSet(),
				Before:   tokens{Load: quick},
				After:    tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
				World:    world(2, 1, faults.Evict(1)),
				Steps:    6,
			},
			{
				Shows:    "one token, one load",
				Property: checks.RebuildBound(1),
				Before:   tokens{Load: quick},
				After:    tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
				World:    world(2, 0),
				Steps:    4,
			},
			{
				Shows:    "a load longer than the interval",
				Property: checks.RebuildBound(1),
				Before:   tokens{Fixed: true, Interval: 10 * time.Second, Load: long},
				After:    tokens{Fixed: true, Interval: 10 * time.Second, Load: quick},
				World:    world(2, 0),
				Steps:    5,
				Unharmed: checks.RebuildBound(2),
			},
			{
				Shows:    "the interval ends the wait",
				Property: checks.AnsweredWithin(8 * time.Second),
				Before:   tokens{Fixed: true, Load: quick},
				After:    tokens{Fixed: true, Interval: 4 * time.Second, Load: quick},
				World:    world(2, 0, faults.Crash(1)),
				Faults:   1,
				Steps:    18,
			},
		},
	})
}

// tokens: who misses first gets
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
