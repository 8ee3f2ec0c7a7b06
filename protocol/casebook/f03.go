package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
)

func init() {
	add(Case{
		ID: "F-03", Rank: 29, Kind: Fencing,
		Title: "A fence whose counter is lost",
		Lesson: `Fencing numbers come from a counter in a store. If the counter is evicted, expires, or is
rolled back by a failover, a later holder gets a number that was given out before, and the
resource cannot tell the two apart, or locks the new one out. The number must be counted
where it is compared, or by something that does not forget.`,
		Sources: []string{"https://github.com/bsm/redislock/pull/94", "https://github.com/redisson/redisson/issues/6510", "https://github.com/redisson/redisson/issues/5044"},
		Checks: []Check{
			{
				Shows:    "a counter that is evicted",
				Property: checks.FencesIncrease(),
				Before:   guarded{Guard: "read and write"},
				After:    guarded{Guard: "counted"},
				World:    world(2, 0, only{faults.Evict(1), lockStore}),
				Faults:   1,
				Steps:    8,
			},
			{
				Shows:      "a counter that is rolled back",
				Property:   checks.NoStaleOverwrite(),
				Before:     guarded{Guard: "read and write"},
				After:      guarded{Guard: "counted"},
				World:      world(2, 1, only{faults.Failover(1, time.Second), lockStore}),
				Faults:     1,
				Steps:      13,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}
