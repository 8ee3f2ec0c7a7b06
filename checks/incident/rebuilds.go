package incident

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// rebuilds are the values that were stored under a key by holders who had begun before the
// first of them was there: those for one expiry.
type rebuilds struct {
	count  int
	places []place // the first few
	about  []string
	first  place
	last   time.Time
}

// maxLines is how many lines of one finding are kept.
const maxLines = 8

// rebuild counts a value that was computed under a lock.
func (a *auditor) rebuild(s *storing) {
	r := a.rebuilt[s.key]
	if r != nil && s.holding.place.number > r.first.number {
		a.concluded(s.key)
		r = nil
	}
	if r == nil {
		if len(a.rebuilt) >= a.limits.values {
			// What is counted so far is told: there is no room for more.
			for _, key := range slices.Sorted(maps.Keys(a.rebuilt)) {
				a.concluded(key)
			}
		}
		r = &rebuilds{first: s.place}
		a.rebuilt[s.key] = r
	}
	if r.count++; len(r.places) < maxLines {
		r.places = append(r.places, s.place)
		r.about = append(r.about, s.holding.token)
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
		a.find(Finding{Kind: RepeatedRebuild, Key: key, Time: r.last, about: r.about, Text: fmt.Sprintf(
			"%s was computed %d times for one expiry, %s", key, r.count, numbered(r.places, r.count))}, "", r.places...)
	}
}
