package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-07", Rank: 45, Kind: ConsensusLock,
		Title: "A session that ends while its client is cut off",
		Lesson: `A lock is a node that lives as long as the session of its client. The client is cut off for
longer than the session lives: the server removes the node and another gets the lock, while
the first one works on and learns of it only when it is connected again. Being cut off must
count as having lost the lock, by a clock of one's own that is ahead of the server's.`,
		Sources: []string{
			"https://github.com/apache/curator/issues/727",
			"https://github.com/Netflix/curator/issues/9",
			"https://github.com/vespa-engine/vespa/pull/3340",
		},
		Checks: []Check{
			{
				Shows: "it works on", Property: checks.MutualExclusion(),
				Before: suspended{}, After: suspended{Fixed: true},
				World: world(2, 0, faults.Partition(1, time.Minute)), Faults: 1, Steps: 10,
			},
		},
	})
}

// suspended holds a lock by a session of 20 s for up to 25 s, which it keeps alive every 5 s.
type suspended struct{ Fixed bool }

func (p suspended) Handle(c *protocol.Client) protocol.Answer {
	alive := c.Deadline(10 * time.Second)
	session, key := openFree(c)
	if session == nil {
		return protocol.Failed()
	}
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 0, protocol.Ephemeral(key, time.Second)); err != nil || !ok {
		session.Close()
		return protocol.Empty()
	}
	if p.Fixed && alive.Passed() {
		// It has been cut off meanwhile.
		session.Close()
		return protocol.Empty()
	}
	c.Acquired("lock")
	for range 5 {
		c.Compute(protocol.Range{Max: 5 * time.Second})
		if p.Fixed && alive.Passed() {
			break
		}
		c.Within(time.Second, func() {
			if there, err := session.KeepAlive(); err == nil && there {
				alive.Reset()
			}
		})
	}
	c.Releasing("lock")
	c.Within(time.Second, func() { session.Close() })
	return protocol.Empty()
}

// openFree opens a session under the first of two names that is free: one for each client.
func openFree(c *protocol.Client) (*protocol.Session, string) {
	for _, key := range [...]string{"session 1", "session 2"} {
		if session, ok, err := c.Store.OpenSession(key, 20*time.Second); err == nil && ok {
			return session, key
		}
	}
	return nil, ""
}
