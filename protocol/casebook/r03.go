package casebook

import (
	"lockstep/checks"
	"lockstep/faults"
)

func init() {
	add(Case{
		ID: "R-03", Rank: 36, Kind: QuorumLock,
		Title: "A store of the quorum restarts without its memory",
		Lesson: `A lock is granted by two of three independent stores. One of the two restarts with its
memory lost, so that two stores know nothing of the lock, and grant it again while the first
holder works. A store must come back only when every lock has ended that it may have
granted, or remember through the restart; needing all three is what a design pays that
cannot wait.`,
		Sources: []string{
			"https://redis.io/docs/latest/develop/use/patterns/distributed-locks/",
			"https://github.com/go-redsync/redsync/pull/147",
		},
		Checks: []Check{
			{
				Shows: "two of three, and all three", Property: checks.MutualExclusion(),
				Before: quorum{Stores: 3, Need: 2, Enough: true}, After: quorum{Stores: 3, Need: 3},
				World: world(2, 0, only{faults.Wipe(1), firstStore}), Faults: 1, Steps: 10,
			},
		},
	})
}
