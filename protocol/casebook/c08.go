package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "C-08", Rank: 39, Kind: Stampede,
		Title: "The load fails, and the old value is not served",
		Lesson: `A value is too old but still there. The load that should replace it fails, and the
reader passes the error on, often having deleted the entry first: an outage, although an
answer was at hand. The old value is served instead, and for a short time that a load has
failed is remembered, so that the next readers do not all try the same again. How old a value can be served
is then the lifetime and the outage together, which whoever relies on it has to know.`,
		Sources: []string{
			"https://github.com/rails/rails/issues/45311", "https://github.com/thibaultcha/lua-resty-mlcache/pull/52",
			"https://github.com/Kong/kong/pull/3579",
		},
		Checks: []Check{
			{
				Shows: "an error instead of the old value", Property: checks.Available(),
				Before: outlived{}, After: outlived{Fixed: true},
				World: world(1, 0, faults.RebuildError(1)), Faults: 1, Steps: 8,
			},
		},
	})
}

var outlivedLoad = protocol.Range{Min: time.Second, Max: 2 * time.Second}

const outlivedAfter = 10 * time.Second

// outlived fills its cache when it starts. What is there is too old after a while, and
// stays.
type outlived struct{ Fixed bool }

func (p outlived) Boot(c *protocol.Client) {
	if v, err := c.Rebuild(outlivedLoad); err == nil {
		c.Cache.Set("feed", v, protocol.At(c.Now(outlivedAfter)))
	}
}

func (p outlived) Handle(c *protocol.Client) protocol.Answer {
	old, since, ok, err := c.Cache.GetStamped("feed")
	there := err == nil && ok
	if there && !c.OlderThan(since, outlivedAfter) {
		return protocol.Fresh(old)
	}
	if there && p.Fixed {
		if _, failed, err := c.Cache.Get("failed"); err == nil && failed {
			return protocol.Fresh(old)
		}
	}
	v, loadErr := c.Rebuild(outlivedLoad)
	if loadErr == nil {
		c.Cache.Set("feed", v, protocol.At(c.Now(outlivedAfter)))
		return protocol.Fresh(v)
	}
	if there && p.Fixed {
		c.Cache.Set("failed", c.NewToken(), protocol.PX(3*time.Second))
		return protocol.Fresh(old)
	}
	return protocol.Failed()
}
