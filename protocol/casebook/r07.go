package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "R-07", Rank: 37, Kind: QuorumLock,
		Title: "An acquisition that arrives after its release",
		Lesson: `The request to one of several stores is slow, the client times out and releases everywhere.
Its release overtakes the request on another connection: the release finds nothing, and then
the lock is set, which nobody holds. Others lose that vote until the TTL is over. Request
and release must go through one connection, or what may still come must be released once
more after it has come.`,
		Sources: []string{
			"https://github.com/antirez/redlock-rb/issues/3",
		},
		Checks: []Check{
			{
				Shows: "a ghost that nobody holds", Property: checks.AnsweredWithin(8 * time.Second),
				Before: overtaken{}, After: overtaken{Fixed: true},
				World: world(1, 0, faults.Delay(1, 2*time.Second)).requests(2), Faults: 1, Steps: 23,
			},
		},
	})
}

// overtaken wants the vote of one of the stores and gives it back at once, as after a lost
// election; it tries again after a second if it got none. If its request may still be under way
// it waits for that and releases once more.
type overtaken struct{ Fixed bool }

func (p overtaken) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	vote := c.Stores(1)[0]
	granted, err := vote.SetNX("lock", token, 20*time.Second)
	vote.DelIfEqual("lock", token)
	if err != nil && p.Fixed {
		c.Sleep(3 * time.Second)
		vote.DelIfEqual("lock", token)
	}
	if !granted {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	return protocol.Empty()
}
