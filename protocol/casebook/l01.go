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
		Title: "Lock and its expiry are two commands",
		Lesson: `One command takes the lock, and the next one gives it an expiry. If the client
dies in between, or the second command fails, the lock stays for ever and everybody waits for
nobody. One command must do both: the conditional set with a TTL, or a script.`,
		Sources: []string{"https://github.com/laravel/horizon/issues/1738", "https://github.com/redis/redis-py/issues/554", "https://github.com/lukas-krecan/ShedLock/issues/65"},
		Checks: []Check{
			{
				Shows: "a crash in between", Property: checks.Answered(),
				Before: twoCommands{}, After: twoCommands{Fixed: true},
				World: world(2, 0, faults.Crash(1)), Faults: 1, Steps: 3,
			},
			{
				Shows: "an expiry that is refused", Property: checks.Answered(),
				Before: twoCommands{}, After: twoCommands{Fixed: true},
				World: world(2, 0, faults.StoreError(1)), Faults: 1, Steps: 3,
			},
		},
	})
}

// twoCommands takes a lock that is to end after ten seconds.
type twoCommands struct{ Fixed bool }

func (p twoCommands) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	ok, err := p.take(c, token)
	if err != nil {
		return protocol.Failed()
	}
	if !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired("lock")
	c.Sleep(time.Second)
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

func (p twoCommands) take(c *protocol.Client, token protocol.Token) (bool, error) {
	if p.Fixed {
		return c.Store.SetNX("lock", token, 10*time.Second)
	}
	if ok, err := c.Store.SetNX("lock", token, 0); err != nil || !ok {
		return false, err
	}
	return c.Store.PExpire("lock", 10*time.Second)
}
