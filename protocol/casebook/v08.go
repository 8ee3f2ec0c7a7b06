package casebook

import (
	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "V-08", Rank: 55, Kind: StaleSet,
		Title: "Two writers, two orders",
		Lesson: `Two updates change the source in one order and the cache in the other: the older value stays
in the cache. Deleting instead of setting repairs it as long as nobody fills the cache in
between. The cache must compare versions, or the writers must be one after the other.`,
		Differs: `A delete instead of the store is taken to be a repair, too. It is one where nobody else
stores: with a reader that fills the cache it is V-01.`,
		Sources: []string{"https://github.com/container-registry/harbor-satellite/pull/613", "https://github.com/memcached/memcached/pull/65"},
		Checks: []Check{
			{
				Shows:    "stored in the other order",
				Property: checks.NoStaleOverwrite(),
				Before:   writers{Store: "set"},
				After:    writers{Store: "newer"},
				World:    world(1, 2),
				Steps:    4,
			},
			{
				Shows:    "what stays",
				Property: checks.Convergent(),
				Before:   writers{Store: "set"},
				After:    writers{Store: "newer"},
				World:    world(1, 2),
				Steps:    4,
			},
			{
				Shows:    "a delete instead",
				Property: checks.Convergent(),
				Before:   writers{Store: "delete"},
				After:    writers{Store: "newer"},
				World:    world(1, 2),
				Steps:    5,
			},
		},
	})
}

// writers: two updates change the source in one order and the cache in the
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
