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
		Lesson: `A client that has lost the connection cannot be told that its session is over: the
server removes the lock after the timeout, the next one takes it, and the first works on
until it is connected again. No event comes earlier than that. The loss of the connection
must therefore count as the loss of the lock: the work stops when a heartbeat fails, before
the session can have ended, and nothing is tried again under a session opened later.`,
		Sources: []string{
			"https://github.com/apache/curator/issues/727",
			"https://github.com/Netflix/curator/issues/9",
			"https://github.com/vespa-engine/vespa/pull/3340",
		},
		Checks: []Check{
			{
				Shows: "it works on while it is cut off", Property: checks.MutualExclusion(),
				Before: cutOff{}, After: cutOff{Stops: true},
				World: world(2, 0, faults.Disconnect(1, 15*time.Second)), Faults: 1, Steps: 13,
			},
		},
	})
}

// cutOff holds a lock that is bound to a session of ten seconds, with four heartbeats.
type cutOff struct{ Stops bool }

func (p cutOff) Handle(c *protocol.Client) protocol.Answer {
	x, ok, err := c.Store.OpenSession("session", 10*time.Second)
	if err != nil || !ok {
		return protocol.Empty()
	}
	ok, err = c.Store.SetNX("lock", x.Token(), 0, protocol.Ephemeral("session", time.Second))
	if err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	for range 4 {
		c.Sleep(3 * time.Second)
		alive, err := x.KeepAlive()
		if err == nil && !alive || err != nil && p.Stops {
			break
		}
	}
	c.Releasing("lock")
	x.Close()
	return protocol.Empty()
}
