package incident

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lockstep/model"
)

// end tells what stands when the recording ends.
func (a *auditor) end() {
	for _, key := range slices.Sorted(maps.Keys(a.locks)) {
		a.endOfLock(key, a.locks[key])
	}
	for _, key := range slices.Sorted(maps.Keys(a.rebuilt)) {
		a.concluded(key)
	}
	names := slices.SortedFunc(maps.Keys(a.tokens.values), func(a, b of) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.token, b.token)) })
	for _, name := range names {
		if h := a.tokens.values[name]; h.next != nil && !h.released && !h.overlapped && !a.beliefs.knows(h.token) {
			a.doubt(h.key, fmt.Sprintf("%s lost %s, which another acquired in %s; whether it still believed to hold it is not shown", a.who(h.grant), h.key, h.next.place),
				"a log of the client: when it noticed, or returned", h.place, h.next.place)
		}
	}
	a.withoutValues()
	for _, key := range slices.Sorted(maps.Keys(a.locks)) {
		if !a.locks[key].isValue(key) {
			a.result.Locks = append(a.result.Locks, key)
		}
	}
	a.beliefs.end()
	r := a.result
	r.Last, r.Dropped, r.Forgotten = a.now, a.keys.dropped, a.forgotten()
	r.sort()
}

// endOfLock tells who waits in vain for a lock that nothing ends.
func (a *auditor) endOfLock(key string, lock *attempts) {
	found, _ := a.keys.get(key, a.now)
	if found == nil || found.holding == nil || !found.expires.IsZero() {
		return
	}
	h := found.holding
	if lock.since < patience || a.now.Sub(h.seenAt) < silent || lock.last.number < h.seen.number {
		return
	}
	var waiters []Waiter
	others := 0
	texts := []string{}
	for _, client := range slices.SortedFunc(maps.Keys(lock.by), func(x, y string) int {
		return cmp.Or(cmp.Compare(lock.by[x].first.number, lock.by[y].first.number), cmp.Compare(x, y))
	}) {
		w := lock.by[client]
		if w.granted != lock.granted {
			continue
		}
		if others++; others > maxBadKept {
			continue
		}
		waiters = append(waiters, Waiter{Name: a.called(client), Since: w.since, Line: w.first.Place, Tries: w.tries, Last: w.last.Place})
		texts = append(texts, fmt.Sprintf("%s since %s (%s), %s, to %s", a.called(client), w.first, clock(w.since), model.Count(w.tries, "time", "times"), w.last))
	}
	if others > maxBadKept {
		texts = append(texts, fmt.Sprintf("and %d more", others-maxBadKept))
	}
	a.find(Finding{Kind: LockWithoutTTL, Key: key, Time: a.now, about: []string{h.token}, Waiters: waiters, Text: fmt.Sprintf(
		"%s acquired %s without a TTL in %s and did nothing after %s; until the end, %s later, %s asked for it %d times in vain: %s%s",
		a.who(h.grant), key, h.place, h.seen, a.now.Sub(h.seenAt).Round(time.Millisecond), model.Count(others, "other", "others"), lock.since, strings.Join(texts, "; "), a.beliefs.waiting(h.seenAt))},
		key, h.place, h.seen, lock.last)
}

// called names a connection.
func (a *auditor) called(address string) string {
	if c, known := a.clients.get(address); known && c.name != anonymous {
		return c.name.String()
	}
	return address
}

// end tells what applications leave open, and joins what they prove with what the commands
// prove.
func (b *beliefs) end() {
	b.commanded = false
	for _, key := range slices.Sorted(maps.Keys(b.rebuilds)) {
		b.rebuiltTogether(key)
	}
	for _, key := range slices.Sorted(maps.Keys(b.locks)) {
		for _, held := range b.locks[key] {
			b.silence(held)
		}
	}
	b.result.Unkeyed = b.unkeyed && b.result.Commands == 0
	// What the commands prove is not told again.
	told := map[string]bool{}
	for _, f := range b.result.Findings {
		for _, token := range f.about {
			if f.commands {
				told[string(f.Kind)+" "+token] = true
			}
		}
	}
	b.result.Findings = slices.DeleteFunc(b.result.Findings, func(f Finding) bool {
		return !f.commands && slices.ContainsFunc(f.about, func(token string) bool { return told[string(f.Kind)+" "+token] })
	})
}

// silence tells of a holder that has not ended its belief: it has let its lock run out, or what
// became of it is not shown.
func (b *beliefs) silence(held *belief) {
	last, lastIn := held.of.last, held.of.lastIn
	if n := b.nodes[held.of.name.node]; n != nil && n.last.After(last) {
		// Its node is there, and may work on it.
		last, lastIn = n.last, n.lastIn
	}
	quiet := b.now.Sub(last)
	if b.recorded(held.token) || quiet < silent {
		return
	}
	waiting := b.waiting(last)
	if held.next != nil {
		if !held.overlapped {
			b.doubt("", fmt.Sprintf("%s acquired %s in %s, and %s acquired it in %s; whether the first one still believed to hold it is not shown: its node says nothing after %s",
				b.called(held), held.key, held.place, held.next.who, held.next.place, lastIn), "a log of that node from there on", held.place, held.next.place, lastIn)
		}
		return
	}
	text := fmt.Sprintf("%s acquired %s in %s, never released it, and its node says nothing after %s, for %s to the end%s",
		b.called(held), held.key, held.place, lastIn, quiet.Round(time.Millisecond), waiting)
	if held.ttl > 0 && b.now.Sub(held.granted) > held.ttl+b.options.Skew {
		b.find(Finding{Kind: SilentOwner, Key: held.key, Time: b.now, about: about(held.token), Text: text + fmt.Sprintf("; the TTL of %s is over", held.ttl)}, "", held.place, lastIn)
		return
	}
	if waiting == "" {
		// Nobody waits for it: nothing hangs on that.
		return
	}
	b.doubt("", text+": whether it is at work, and whether the store would end its lock, is not shown", "a log of that node, and the SET of the lock in the output of MONITOR, which has its TTL", held.place, lastIn)
}

// waiting names the requests that came and got nothing after a time.
func (b *beliefs) waiting(since time.Time) string {
	var late []*worker
	for _, w := range b.workers.values {
		if !w.begun.IsZero() && len(w.beliefs) == 0 && w.last.After(since) && (w.answered == "" || w.answered == Stale || w.answered == Failed) {
			late = append(late, w)
		}
	}
	slices.SortFunc(late, func(x, y *worker) int { return cmp.Compare(x.place.number, y.place.number) })
	var texts []string
	for _, w := range late[:min(len(late), maxBadKept)] {
		outcome := "was not answered"
		if w.answered != "" {
			outcome = fmt.Sprintf("%s in %s", map[EventKind]string{Stale: "was answered with old data", Failed: "failed"}[w.answered], w.lastIn)
		}
		texts = append(texts, fmt.Sprintf("%s came in %s and %s", w.name, w.place, outcome))
	}
	if len(late) > maxBadKept {
		texts = append(texts, fmt.Sprintf("%d more", len(late)-maxBadKept))
	}
	if len(texts) == 0 {
		return ""
	}
	return ", while " + strings.Join(texts, ", ")
}
