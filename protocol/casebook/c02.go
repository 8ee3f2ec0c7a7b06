package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "C-02", Rank: 9, Kind: Stampede,
		Title: "The winner does not look again",
		Lesson: `A lock lets one request rebuild the value. A reader that has missed gets the lock only when
the winner has stored the value and given the lock back, and rebuilds it once more. Whoever
gets the lock must look at the cache again before it works.`,
		Sources: []string{"https://github.com/laravel/framework/pull/60920", "https://github.com/sqlalchemy/dogpile.cache"},
		Checks: []Check{
			{
				Shows:    "one after the other",
				Property: checks.RebuildBound(1),
				Before:   lookOnce{},
				After:    lookOnce{Fixed: true},
				World:    world(2, 0),
				Steps:    9,
				Unharmed: checks.ConcurrentRebuilds(1),
			},
		},
	})
}

const feed = "feed"

var (
	quick = protocol.Range{Min: time.Second, Max: 2 * time.Second}
	long  = protocol.Range{Min: time.Second, Max: 12 * time.Second}
)

// lookOnce: a reader that missed gets the lock when the winner has stored
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

const lock = "lock"
