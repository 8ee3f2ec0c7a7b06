package incident

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"lockstep/model"
)

// end tells what stands when the recording ends.
func (a *auditor) end() {
	for _, key := range slices.Sorted(maps.Keys(a.locks)) {
		lock := a.locks[key]
		found, _ := a.keys.get(key, a.now)
		if found == nil || found.holding == nil || !found.expires.IsZero() {
			continue
		}
		h := found.holding
		if lock.since >= patience && a.now.Sub(h.seenAt) >= silent && lock.last > h.seen {
			a.find(LockWithoutTTL, key, a.now, []int{h.line, h.seen, lock.last}, fmt.Sprintf(
				"%s acquired %s without a TTL in line %d and did nothing after line %d; until the end, %s later, %s asked for it %d times in vain",
				who(h), key, h.line, h.seen, a.now.Sub(h.seenAt).Round(time.Millisecond), model.Count(len(lock.by), "other", "others"), lock.since))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.rebuilt)) {
		a.concluded(key)
	}
	names := slices.SortedFunc(maps.Keys(a.tokens), func(a, b of) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.token, b.token)) })
	for _, name := range names {
		if h := a.tokens[name]; h.next != nil && !h.released && !h.overlapped {
			a.doubt([]int{h.line, h.next.line}, fmt.Sprintf("%s lost %s, which another acquired in line %d; whether it still believed to hold it is not shown", who(h), h.key, h.next.line),
				"a log of the client: when it noticed, or returned")
		}
	}
}
