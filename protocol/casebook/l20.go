package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
	"lockstep/scheduler"
)

func init() {
	add(Case{
		ID: "L-20", Rank: 5, Kind: StoreFailover,
		Title: "A failover forgets the lock",
		Lesson: `Replication is asynchronous: the primary fails before the lock has reached the replica,
which is promoted and grants the lock again. Waiting for replicas helps only if all of them
have it, or if the one that has it is promoted; and since the failover may have come before
one asked, the lock must be looked at once more afterwards. A majority of independent
stores, all needed, withstands one of them; a fence at the resource helps in any case.`,
		Sources: []string{"https://github.com/opsmill/infrahub/issues/9450", "https://github.com/sibson/redbeat/issues/163", "https://github.com/redisson/redisson/issues/2669"},
		Checks: []Check{
			{
				Shows:    "granted again after a failover",
				Property: checks.MutualExclusion(),
				Before:   quorum{Stores: 1, Need: 1},
				After:    quorum{Stores: 3, Need: 3},
				World:    world(2, 0, faults.Failover(1, time.Second)),
				Faults:   1,
				Steps:    8,
			},
			{
				Shows:    "a majority that has no room",
				Property: checks.MutualExclusion(),
				Before:   quorum{Stores: 3, Need: 2, Enough: true},
				After:    quorum{Stores: 3, Need: 3},
				World:    world(2, 0, faults.Failover(1, time.Second)),
				Faults:   1,
				Steps:    11,
			},
			{
				Shows:    "who is promoted",
				Property: checks.MutualExclusion(),
				Before:   acknowledged{By: 1, Looks: true},
				After:    acknowledged{By: 2, Looks: true},
				World:    twoReplicas,
				Faults:   1,
				Steps:    8,
			},
			{
				Shows:    "a failover before the question",
				Property: checks.MutualExclusion(),
				Before:   acknowledged{By: 2},
				After:    acknowledged{By: 2, Looks: true},
				World:    twoReplicas,
				Faults:   1,
				Steps:    6,
			},
			{
				Shows:      "a comparison where the effect is",
				Property:   checks.NoStaleOverwrite(),
				Before:     quorum{Stores: 1, Need: 1, Writes: "as it is"},
				After:      quorum{Stores: 1, Need: 1, Writes: "newer"},
				World:      world(2, 1, only{faults.Failover(1, time.Second), firstStore}),
				Faults:     1,
				Steps:      15,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

func twoReplicas(s *scheduler.Scenario) {
	world(2, 0, faults.Failover(1, time.Second))(s)
	s.Replicas = 2
}

// acknowledged: a lock is trusted when replicas have it. If not all have it,
// one that has not may take over; and if it was lost before the replicas were asked, they
// have all that there is: one must look for it afterwards.
type acknowledged struct {
	By    int
	Looks bool
}

func (p acknowledged) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	ok, err := c.Store.WaitReplicas(p.By, time.Second)
	if ok && err == nil && p.Looks {
		var holder protocol.Token
		holder, ok, err = c.Store.Get(lock)
		ok = ok && holder == token
	}
	if ok && err == nil {
		c.Acquired(lock)
		c.SleepBetween(time.Second, 2*time.Second)
		c.Releasing(lock)
	}
	c.Store.DelIfEqual(lock, token)
	return protocol.Empty()
}
