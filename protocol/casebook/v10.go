package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "V-10", Rank: 23, Kind: StaleSet,
		Title: "The cached copy is not deleted, and the error is logged only",
		Lesson: `An update is committed, the cache refuses the delete that should follow, and only the log
hears of it: what is gone in the database is served for as long as the entry lives. A crash
between the two does the same. So nothing after the commit can be relied upon. A barrier in
the cache comes before it, which removes the value and lets none be stored for longer than
any fill takes. If it cannot be put up the update is refused, as long as nothing has
happened.`,
		Sources: []string{
			"http://www.tigrisdata.com/blog/antithesis", "https://antithesis.com/blog/2026/tigris_report/",
			"https://github.com/Shopify/identity_cache/pull/529",
		},
		Checks: []Check{
			{
				Shows: "the delete fails", Property: checks.Convergent(),
				Before: swallowed{}, After: swallowed{Fixed: true},
				World: world(1, 1, faults.StoreError(1)), Faults: 1, Steps: 6,
			},
			{
				Shows: "the delete times out", Property: checks.Convergent(),
				Before: swallowed{}, After: swallowed{Fixed: true},
				World: world(1, 1, faults.LostRequest(1)), Faults: 1, Steps: 7,
			},
			{
				Shows: "the writer is gone before the delete", Property: checks.Convergent(),
				Before: swallowed{}, After: swallowed{Fixed: true},
				World: world(1, 1, faults.Crash(1)), Faults: 1, Steps: 6,
			},
		},
	})
}

// swallowed stores in one step what is not there and not barred, before the repair as
// well: what goes wrong is not that a slow reader stores after the delete.
type swallowed struct{ Fixed bool }

func (p swallowed) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	if err != nil {
		return protocol.Failed()
	}
	protocol.Atomic(c.Cache, v, storeUnlessBarred)
	return protocol.Fresh(v)
}

func (p swallowed) Update(c *protocol.Client) {
	if p.Fixed {
		if _, err := protocol.Atomic(c.Cache, barrier{c.NewToken(), 5 * time.Second}, bar); err != nil {
			return // the update is refused
		}
		c.Source.Update()
		return
	}
	if _, err := c.Source.Update(); err != nil {
		return
	}
	// Its error is logged.
	protocol.Atomic(c.Cache, barrier{c.NewToken(), 5 * time.Second}, bar)
}

type barrier struct {
	Token protocol.Token
	TTL   time.Duration
}

// bar removes the value, and lets none be stored for a while.
func bar(v *protocol.View, b barrier) bool {
	v.Set("barrier", b.Token, protocol.PX(b.TTL))
	return v.Del("feed")
}

func storeUnlessBarred(v *protocol.View, value protocol.Value) bool {
	if _, barred := v.Get("barrier"); barred {
		return false
	}
	return v.SetNX("feed", value, 0)
}
