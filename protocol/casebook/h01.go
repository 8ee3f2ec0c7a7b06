package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "H-01", Rank: 12, Kind: Heartbeat,
		Title: "Renewal extends whatever lock is there",
		Lesson: `A holder is cut off for longer than its lock lives, and another takes the lock.
When the first is back its heartbeat sets the expiry of the key, which succeeds: it is the
other's lock that it has extended, and it believes that all is well. The store must compare
the owner in the step that extends, and the holder stop if it is another. Until it knows, the
two overlap.`,
		Sources: []string{"https://github.com/sibson/redbeat/issues/127", "https://github.com/sibson/redbeat/pull/128"},
		Checks: []Check{
			{
				Shows: "another's lock is extended", Property: checks.NoForeignRenewal(),
				Before: extends{}, After: extends{Fixed: true},
				World: world(2, 0, faults.Disconnect(1, 10*time.Second)), Faults: 1, Steps: 9,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// extends works in three parts of three seconds, and extends its lock after each.
type extends struct{ Fixed bool }

func (p extends) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	for part := 0; part < 3; part++ {
		c.Sleep(3 * time.Second)
		if mine, err := p.extend(c, token); err == nil && !mine {
			break
		}
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

func (p extends) extend(c *protocol.Client, token protocol.Token) (bool, error) {
	if !p.Fixed {
		return c.Store.PExpire("lock", 5*time.Second)
	}
	owner, err := c.Store.ExpireIfEqual("lock", token, 5*time.Second)
	return owner == protocol.Mine, err
}
