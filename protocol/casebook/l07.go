package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-07", Rank: 17, Kind: BasicLock,
		Title: "An acquisition whose reply is lost",
		Lesson: `The reply to an acquisition is lost, or comes after the client has given up. The lock is
there all the same, and refuses its own creator when it tries again with a new token, until
the TTL is over. A try that may have succeeded must be taken back with the same token before
the next one. That is best effort: if the request that takes it back is lost, too, only a
short TTL helps.`,
		Sources: []string{"https://github.com/leandromoreira/redlock-rb/issues/76", "https://github.com/simstudioai/sim/pull/6864", "https://github.com/antirez/redlock-rb/issues/3"},
		Checks: []Check{
			{
				Shows:    "refused by one's own ghost",
				Property: checks.AnsweredWithin(4 * time.Second),
				Before:   ghost{TTL: 30 * time.Second},
				After:    ghost{Fixed: true, TTL: 30 * time.Second},
				World:    world(1, 0, faults.LostReply(1)),
				Faults:   1,
				Steps:    7,
			},
			{
				Shows:    "what gives it back is lost, too",
				Property: checks.AnsweredWithin(10 * time.Second),
				Before:   ghost{Fixed: true, TTL: 30 * time.Second},
				After:    ghost{Fixed: true, TTL: 5 * time.Second},
				World:    world(1, 0, faults.LostReply(1), faults.LostRequest(1)),
				Faults:   2,
				Steps:    19,
			},
		},
	})
}

// ghost: the reply to an acquisition is lost, but the lock is there, and
// refuses its own creator when it tries again. A try that may have succeeded is taken
// back with the same token before the next one.
//
// The fix is best effort, as the corpus says: if the request to take it back is lost,
// too, the ghost stays until its TTL is over, which must then be short enough.
type ghost struct {
	Fixed bool
	TTL   time.Duration
}

func (p ghost) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	ok, err := c.Store.SetNX(lock, token, p.TTL)
	if err != nil && p.Fixed {
		c.Store.DelIfEqual(lock, token)
	}
	if err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired(lock)
	c.Sleep(time.Second)
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
	return protocol.Empty()
}
