package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-01", Rank: 25, Kind: BasicLock,
		Title: "A lock and its expiry are two commands",
		Lesson: `The lock is set first and gets its TTL in a second round trip. A process that dies in
between leaves a lock that never ends: all others are refused until somebody deletes it by
hand. The second command may also fail and nobody look. Lock and TTL must be one command,
SET with NX and PX.`,
		Sources: []string{
			"https://github.com/laravel/horizon/issues/1738",
			"https://github.com/redis/redis-py/issues/554",
			"https://github.com/lukas-krecan/ShedLock/issues/65",
		},
		Checks: []Check{
			{
				Shows: "a crash between the two", Property: checks.Answered(),
				Before: twoCommands{}, After: twoCommands{Fixed: true},
				World: world(2, 0, faults.Crash(1)), Faults: 1, Steps: 3,
			},
			{
				Shows: "the second is refused", Property: checks.Answered(),
				Before: twoCommands{}, After: twoCommands{Fixed: true},
				World: world(2, 0, faults.StoreError(2)), Faults: 2, Steps: 5,
			},
		},
	})
}

// twoCommands sets a lock and then its TTL. It waits for as long as the lock is taken,
// and looks at no error, as the code that was reported does not.
type twoCommands struct{ Fixed bool }

func (p twoCommands) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	ttl := time.Duration(0)
	if p.Fixed {
		ttl = 10 * time.Second
	}
	ok, err := c.Store.SetNX("lock", token, ttl)
	if err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired("lock")
	if !p.Fixed {
		c.Store.PExpire("lock", 10*time.Second)
	}
	c.Compute(protocol.Range{Max: time.Second})
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}
