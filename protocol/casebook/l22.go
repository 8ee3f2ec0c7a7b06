package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	step := only{faults.StoreClockForward(1, time.Hour), lockStore}
	add(Case{
		ID: "L-22", Rank: 33, Kind: Clock,
		Title: "The clock of the store steps forward",
		Lesson: `A store that notes until when a lock lives as a time of day ends it at once when its
clock is set forward, although its holder has hardly begun to work. Nobody has done
anything wrong, and nobody is told. Clocks should be corrected by running faster or slower
for a while, which a margin in the lifetime pays for; deadlines should be kept by a clock
that never steps. Against a step that comes all the same, only a comparison where the
result is stored helps.`,
		Sources: []string{
			"https://github.com/valkey-io/valkey/issues/2651",
			"https://github.com/redis/redis/issues/416",
			"https://github.com/redis/redis-doc/pull/2106",
		},
		Checks: []Check{
			{
				Shows: "a clock that is corrected slowly", Property: checks.MutualExclusion(),
				Before: shortened{}, After: shortened{},
				World:    world(2, 0, step),
				Repaired: world(2, 0, only{faults.StoreClockDrift(1, 100*time.Millisecond), lockStore}), Faults: 1, Steps: 3,
			},
			{
				Shows: "a comparison where the result is stored", Property: checks.NoStaleOverwrite(),
				Before: shortened{}, After: shortened{Compares: true},
				World: world(2, 1, step), Faults: 1, Steps: 10,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// shortened computes a value for up to 25 seconds under a lock for 30.
type shortened struct{ Compares bool }

func (p shortened) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 30*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired("lock")
	if v, err := c.Rebuild(protocol.Range{Min: 5 * time.Second, Max: 25 * time.Second}); err == nil {
		if p.Compares {
			protocol.Atomic(c.Cache, v, shortenedStore)
		} else {
			c.Cache.Set("feed", v)
		}
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

// shortenedStore stores a value that is not older than that which is there.
func shortenedStore(v *protocol.View, value protocol.Value) bool {
	if there, ok := v.Get("feed"); ok && protocol.Older(value, there) {
		return false
	}
	v.Set("feed", value)
	return true
}
