package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "C-04", Rank: 10, Kind: Stampede,
		Title: "Everybody who has waited for the lock in vain computes",
		Lesson: `Whoever does not get the lock waits for it as long as it lives, and then computes
without it. That is right for one of them and a stampede for all: a rebuild slower than the
lock has only put it off. Who has waited must compete again, so that one succeeds and the
others go on waiting; then each lifetime of the lock that a rebuild outlasts costs one
more. If the holder renews it while it computes there is no successor at all.`,
		Sources: []string{
			"https://github.com/aio-libs/aiocache/pull/235", "https://github.com/rpardini/docker-registry-proxy/issues/31",
			"https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_cache_lock_age",
		},
		Checks: []Check{
			{
				Shows: "all who have waited", Property: checks.RebuildBound(2),
				Before: waitedInVain{}, After: waitedInVain{Then: "compete"},
				World: world(3, 0).at(0), Steps: 12,
			},
			{
				Shows: "one successor", Property: checks.RebuildBound(1),
				Before: waitedInVain{Then: "compete"}, After: waitedInVain{Then: "compete", Renew: true},
				World: world(2, 0).at(0), Steps: 12,
			},
			{
				Shows: "a successor for each lifetime", Property: checks.RebuildBound(2),
				Before: waitedInVain{Then: "compete", Load: veryLong}, After: waitedInVain{Then: "compete", Load: veryLong, Renew: true},
				World: world(3, 0).at(0), Steps: 23,
			},
		},
	})
}

type waitedInVain struct {
	Then  string         `default:"compute" choices:"compute,compete"`
	Load  protocol.Range `default:"1s..8s"`
	Renew bool
}

// veryLong is longer than two lifetimes of the lock.
var veryLong = protocol.Range{Min: time.Second, Max: 12 * time.Second}

func (p waitedInVain) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	ok, err := c.Store.SetNX("lock", token, 5*time.Second)
	if err != nil {
		return protocol.Failed()
	}
	if !ok {
		c.Sleep(5 * time.Second)
		if p.Then == "compete" {
			return protocol.Again()
		}
		return p.compute(c)
	}
	c.Acquired("lock")
	defer func() {
		c.Releasing("lock")
		c.Store.DelIfEqual("lock", token)
	}()
	if p.Renew {
		beat := protocol.Go(c, func(c *protocol.Client) bool { return keepLock(c, token) })
		defer beat.Stop()
	}
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	return p.compute(c)
}

func (p waitedInVain) compute(c *protocol.Client) protocol.Answer {
	v, err := c.Rebuild(p.Load)
	if err != nil {
		return protocol.Failed()
	}
	c.Cache.Set("feed", v)
	return protocol.Fresh(v)
}

// keepLock renews the lock until it is stopped, or has lost it.
func keepLock(c *protocol.Client, token protocol.Token) bool {
	for {
		c.Checkpoint(token)
		if c.Sleep(2*time.Second) != nil {
			return true
		}
		if got, err := c.Store.ExpireIfEqual("lock", token, 5*time.Second); err == nil && got != protocol.Mine {
			return false
		}
	}
}
