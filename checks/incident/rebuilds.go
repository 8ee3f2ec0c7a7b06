package incident

import (
	"fmt"
	"slices"
	"time"
)

// attempts are those for a lock that were refused.
type attempts struct {
	recent []time.Time
	stormy bool
	since  int // since the lock was taken
	by     map[string]bool
	last   int // line
}

// rebuilds are the values that were stored under a key by holders who had begun before the
// first of them was there: those for one expiry.
type rebuilds struct {
	count int
	lines []int // the first few
	first int
	last  time.Time
}

// maxLines is how many lines of one finding are kept.
const maxLines = 8

// rebuild counts a value that was computed under a lock.
func (a *auditor) rebuild(s *storing) {
	r := a.rebuilt[s.key]
	if r != nil && s.holding.line > r.first {
		a.concluded(s.key)
		r = nil
	}
	if r == nil {
		if len(a.rebuilt) >= maxKept {
			return
		}
		r = &rebuilds{first: s.line}
		a.rebuilt[s.key] = r
	}
	if r.count++; len(r.lines) < maxLines {
		r.lines = append(r.lines, s.line)
	}
	r.last = s.at
}

// concluded tells how often a value was computed for one expiry, if that was more than once,
// and begins anew.
func (a *auditor) concluded(key string) {
	r := a.rebuilt[key]
	if r == nil {
		return
	}
	delete(a.rebuilt, key)
	if r.count > 1 {
		a.find(RepeatedRebuild, key, r.last, slices.Clone(r.lines), fmt.Sprintf("%s was computed %d times for one expiry, %s", key, r.count, numbered(r.lines, r.count)))
	}
}
