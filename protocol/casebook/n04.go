package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "N-04", Rank: 112, Kind: NegativeControl,
		Title: "A waiter that gives up does not unlock, and nothing leaks",
		Lesson: `A worker waits for a lock, gives up and returns an error; the report misses the unlock on
that path and fears that the lock stays. It is not the waiter's: who holds it unlocks it,
and until then nobody else must. With the unlock that was asked for a waiter that loses its
patience removes the lock of the one that works, and the next one gets in.`,
		Sources: []string{"https://github.com/thibaultcha/lua-resty-mlcache/issues/76"},
		Checks: []Check{
			{
				Shows: "the unlock that was asked for", Property: checks.NoForeignRelease(),
				Before: impatient{Unlock: true}, After: impatient{},
				World: world(2, 0), Steps: 5,
			},
			{
				Shows: "the next one gets in", Property: checks.MutualExclusion(),
				Before: impatient{Unlock: true}, After: impatient{},
				World: world(3, 0), Steps: 6,
			},
			{
				Shows: "nothing is left", Property: checks.CleanWhenIdle(),
				After: impatient{}, World: world(2, 0),
			},
		},
	})
}

// impatient has a lock without a lifetime, as the workers of a server have in the memory
// that they share.
type impatient struct{ Unlock bool }

func (p impatient) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	ok, err := c.Store.SetNX("lock", token, 0)
	if err == nil && !ok {
		c.Sleep(time.Second)
		ok, err = c.Store.SetNX("lock", token, 0)
	}
	if err != nil || !ok {
		if p.Unlock {
			c.Store.Del("lock")
		}
		return protocol.Failed()
	}
	c.Acquired("lock")
	c.SleepBetween(time.Second, 5*time.Second)
	c.Releasing("lock")
	c.Store.Del("lock")
	return protocol.Empty()
}
