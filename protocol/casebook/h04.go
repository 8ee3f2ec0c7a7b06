package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "H-04", Rank: 14, Kind: Heartbeat,
		Title: "A heartbeat that outlives the work",
		Lesson: `The work fails and returns without telling its heartbeat, which goes on renewing a lock that
nobody uses: all others wait for as long as the process lives. Whatever ends the work must
stop the heartbeat and wait for it, on every path. A bound on how often it renews limits the
damage, and is no repair.`,
		Differs: `Reports need no fault: there, the callback that starts the heartbeat overtakes the one that
stops it. Here a Stop is not lost if it comes first, so it is a failure of the work that
forgets to stop it.`,
		Sources: []string{"https://github.com/redisson/redisson/issues/7272", "https://github.com/redisson/redisson/issues/4368", "https://github.com/redisson/redisson/issues/1626"},
		Checks: []Check{
			{
				Shows:    "blocked for ever",
				Property: checks.Answered(),
				Before:   heartbeatOutlives{},
				After:    heartbeatOutlives{Fixed: true},
				World:    world(2, 0, faults.RebuildError(1)),
				Faults:   1,
				Steps:    3,
			},
			{
				Shows:    "renewed for nobody",
				Property: quiescent(),
				Before:   heartbeatOutlives{},
				After:    heartbeatOutlives{Fixed: true},
				World:    world(1, 0, faults.RebuildError(1)),
				Faults:   1,
				Steps:    4,
			},
		},
	})
}

// heartbeatOutlives: the work fails, nobody tells the heartbeat, and it renews a
// lock for ever that protects nothing. Whatever ends the work ends the heartbeat.
//
// The corpus needs no fault: there, the callback that starts the heartbeat overtakes the
// one that stops it. A Stop is not lost if it comes first, so here it is the failure that
// forgets to stop it.
type heartbeatOutlives struct{ Fixed bool }

func (p heartbeatOutlives) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 10*time.Second); err != nil || !ok {
		c.Sleep(time.Second)
		return protocol.Again()
	}
	c.Acquired(lock)
	heartbeat := protocol.Go(c, func(c *protocol.Client) bool {
		for {
			c.Checkpoint(token)
			if c.Sleep(3*time.Second) != nil {
				return true
			}
			if owner, err := c.Store.ExpireIfEqual(lock, token, 10*time.Second); err == nil && owner != protocol.Mine {
				return false
			}
		}
	})
	if err := c.Compute(protocol.Range{Min: 2 * time.Second, Max: 4 * time.Second}); err != nil && !p.Fixed {
		return protocol.Failed()
	}
	heartbeat.Stop()
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
	return protocol.Empty()
}
