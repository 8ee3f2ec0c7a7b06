package casebook

import (
	"time"

	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "R-07", Rank: 37, Kind: QuorumLock,
		Title: "A slow request for the lock arrives after its release",
		Lesson: `The client waits no longer for a slow store, and gives the lock back everywhere, also
where it has heard nothing. On another connection the release can overtake the request: it
finds nothing to delete, and afterwards the store grants the lock to somebody who has gone.
Until its lifetime is over that store has no vote for others. Both must go through one
connection, so that they arrive in order; the lifetime bounds what remains.`,
		Sources: []string{"https://github.com/antirez/redlock-rb/issues/3", "https://github.com/go-redsync/redsync"},
		Checks: []Check{{
			Shows: "a grant that nobody wants", Property: grantedToSomeone(),
			Before: overtaken{}, After: overtaken{InOrder: true},
			World: world(1, 0).latency(2 * time.Second), Steps: 7,
		}},
	})
}

// overtaken waits for each of three stores for a second at most, and needs two.
type overtaken struct{ InOrder bool }

func (p overtaken) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	granted := 0
	if p.InOrder {
		for i := range 3 {
			protocol.Go(c, func(c *protocol.Client) bool { return overtakenConnection(c, i, token) })
		}
		for granted < 2 {
			if ok, err := c.Memory.ReceiveWithin("granted", time.Second); err != nil || !ok {
				break
			}
			granted++
		}
	} else {
		for _, s := range c.Stores(3) {
			c.Within(time.Second, func() {
				if ok, err := s.SetNX("lock", token, 20*time.Second); err == nil && ok {
					granted++
				}
			})
		}
	}
	if granted >= 2 {
		c.Acquired("lock")
		c.Sleep(time.Second)
		c.Releasing("lock")
	}
	for _, s := range c.Stores(3) {
		if p.InOrder {
			c.Memory.Send("release")
		} else {
			s.DelIfEqual("lock", token)
		}
	}
	return protocol.Empty()
}

// overtakenConnection sends one store one request after the other.
func overtakenConnection(c *protocol.Client, store int, token protocol.Token) bool {
	s := c.Stores(3)[store]
	if ok, err := s.SetNX("lock", token, 20*time.Second); err == nil && ok {
		c.Memory.Send("granted")
	}
	c.Memory.Receive("release")
	_, err := s.DelIfEqual("lock", token)
	return err == nil
}
