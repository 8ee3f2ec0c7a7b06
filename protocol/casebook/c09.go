package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "C-09", Rank: 40, Kind: Stampede,
		Title: "Errors are not cached, and everybody tries again",
		Lesson: `A lock lets one reader load at a time. The load fails, nothing is stored, and the next
one that waits takes the lock and tries the same. The backend that has just failed gets as
many loads as there are readers, one after the other, and the last of them has waited for
all. An error is a result, too: it is kept for a short time, and whoever finds it fails at
once. A value that comes back meanwhile stays unseen for that long.`,
		Sources: []string{
			"https://github.com/koala73/worldmonitor/issues/3527", "https://github.com/thibaultcha/lua-resty-mlcache/issues/82",
			"https://github.com/maypok86/otter/issues/136",
		},
		Checks: []Check{
			{
				Shows: "a load for each reader", Property: checks.RebuildBound(1),
				Before: uncachedError{}, After: uncachedError{Fixed: true},
				World: world(2, 0, faults.RebuildError(1)).at(0), Faults: 1, Steps: 12,
			},
			{
				Shows: "the last one waits for all", Property: checks.AnsweredWithin(4 * time.Second),
				Before: uncachedError{}, After: uncachedError{Fixed: true},
				World: world(2, 0, faults.RebuildError(1)).at(0), Faults: 1, Steps: 17,
			},
		},
	})
}

type uncachedError struct{ Fixed bool }

func (p uncachedError) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 10*time.Second); err != nil {
		return protocol.Failed()
	} else if !ok {
		c.Sleep(500 * time.Millisecond)
		return protocol.Again()
	}
	c.Acquired("lock")
	defer func() {
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
	}()
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	if p.Fixed {
		if _, ok, err := c.Cache.Get("error"); err == nil && ok {
			return protocol.Failed()
		}
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	if err != nil {
		if p.Fixed {
			c.Cache.Set("error", token, protocol.PX(5*time.Second))
		}
		return protocol.Failed()
	}
	c.Cache.Set("feed", v)
	return protocol.Fresh(v)
}
