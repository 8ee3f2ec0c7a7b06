package incident

import (
	"fmt"
	"strings"
	"time"
)

// valueOf is the value that an event is about: the one that it names, or that of the lock which
// its request believes to hold.
func (b *beliefs) valueOf(e *Event, w *worker) string {
	if e.Key != "" && (len(w.beliefs) == 0 || e.Key != w.beliefs[len(w.beliefs)-1].key) {
		return e.Key
	}
	if n := len(w.beliefs); n > 0 && w.beliefs[n-1].key != unnamed {
		return "the value of " + w.beliefs[n-1].key
	}
	return "the value"
}

// versionIn is the number of the version that an event tells, -1 for none.
func versionIn(e *Event) int64 {
	if e.Version != "" {
		return number(e.Version)
	}
	return number(e.Value)
}

// stored takes into account that a value was stored: between the event before and this one.
func (b *beliefs) stored(e *Event, w *worker) {
	b.afterLoss(e, w)
	key, n := b.valueOf(e, w), versionIn(e)
	if n < 0 {
		return
	}
	before, known := b.values.get(key)
	if !known {
		before = &version{number: -1, highest: -1}
		b.values.set(key, before)
	}
	who, token := w.name.String(), ""
	if len(w.beliefs) > 0 {
		held := w.beliefs[len(w.beliefs)-1]
		who, token = b.called(held), held.token
	}
	if n < before.number {
		skew := b.skew(w.name.node, before.node)
		text := fmt.Sprintf("%s stored version %d of %s in %s, after %s had stored version %d in %s", who, n, key, b.here, before.who, before.number, before.place)
		switch {
		case w.last.After(before.at.Add(skew)), skew == 0:
			b.find(Finding{Kind: StaleOverwrite, Key: key, Time: e.Time, about: about(token), Text: text}, "", before.place, b.here)
		case !b.recorded(token):
			b.doubt("", text+fmt.Sprintf(", unless their clocks differ: by these it was %s", e.Time.Sub(before.at).Round(time.Millisecond)), "the output of MONITOR, which has one clock", before.place, b.here)
		}
	}
	if n > before.highest {
		before.highest, before.since, before.sinceIn = n, e.Time, b.here
	}
	before.number, before.who, before.node, before.token, before.place, before.at = n, who, w.name.node, token, b.here, e.Time
}

// afterLoss reports that a value was stored after its holder had noticed that the lock was lost,
// or leaves open whether its TTL was over.
func (b *beliefs) afterLoss(e *Event, w *worker) {
	for _, held := range w.beliefs {
		switch {
		case held.ended == Lost && held.endedIn.number < b.here.number:
			b.find(Finding{Kind: WriteAfterLoss, Key: held.key, Time: e.Time, about: about(held.token), Text: fmt.Sprintf(
				"%s stored in %s, %s after it had noticed in %s that %s was not its own any more", b.called(held), b.here, e.Time.Sub(held.endedAt).Round(time.Millisecond), held.endedIn, held.key)},
				"", held.place, held.endedIn, b.here)
		case held.ended == "" && held.next == nil && held.ttl > 0 && !b.recorded(held.token) && w.last.After(held.granted.Add(held.ttl)):
			b.doubt("", fmt.Sprintf("%s stored in %s, and the TTL of %s that it acquired for %s in %s was over, unless it was renewed without a line in the log",
				b.called(held), b.here, held.key, held.ttl, held.place), "the output of MONITOR", held.place, b.here)
		}
	}
}

// answer takes into account how a request was answered.
func (b *beliefs) answer(e *Event, w *worker) {
	w.answered = e.Kind
	switch e.Kind {
	case Hit:
		b.result.Answers.Hit++
	case Stale:
		b.result.Answers.Stale++
	case Failed:
		b.result.Answers.Failed++
	default:
		b.result.Answers.Other++
	}
	n := versionIn(e)
	if n < 0 || w.begun.IsZero() {
		return
	}
	key := b.valueOf(e, w)
	stored, known := b.values.get(key)
	if !known {
		// The lock names the value where the answer does not.
		if stored = b.onlyValue(); stored == nil {
			return
		}
	}
	if n < stored.highest && w.begun.After(stored.since.Add(b.skew(w.name.node, ""))) {
		b.find(Finding{Kind: StaleAnswer, Key: key, Time: e.Time, Text: fmt.Sprintf("%s was answered with version %d in %s; version %d had been stored in %s, %s before it came in %s",
			w.name, n, b.here, stored.highest, stored.sinceIn, w.begun.Sub(stored.since).Round(time.Millisecond), w.place)}, "", stored.sinceIn, w.place, b.here)
	}
}

// onlyValue is what was stored, if that is one value, and a log does not name it.
func (b *beliefs) onlyValue() *version {
	if len(b.values.values) != 1 {
		return nil
	}
	for key, v := range b.values.values {
		if strings.HasPrefix(key, "the value") {
			return v
		}
	}
	return nil
}

// rebuilding is a rebuild of a request.
type rebuilding struct {
	key        string
	who, node  string
	token      string
	begun, end place
	from, to   time.Time
	done       bool
}

// concurrent are rebuilds of a value that follow each other without a gap.
type concurrent struct {
	all  []*rebuilding
	open int
}

func (b *beliefs) rebuildStart(e *Event, w *worker) {
	key := b.valueOf(e, w)
	group := b.rebuilds[key]
	if group == nil {
		if len(b.rebuilds) == b.limits.values {
			b.keys.dropped++
			return
		}
		group = &concurrent{}
		b.rebuilds[key] = group
	}
	one := &rebuilding{key: key, who: w.name.String(), node: w.name.node, begun: b.here, from: e.Time}
	if n := len(w.beliefs); n > 0 {
		one.who, one.token = b.called(w.beliefs[n-1]), w.beliefs[n-1].token
	}
	w.rebuild = one
	if len(group.all) < maxLines {
		group.all = append(group.all, one)
		group.open++
	}
}

// rebuildEnd takes into account that a rebuild has ended.
func (b *beliefs) rebuildEnd(e *Event, w *worker) {
	one := w.rebuild
	if one == nil {
		return
	}
	w.rebuild = nil
	one.done, one.to, one.end = true, e.Time, b.here
	group := b.rebuilds[one.key]
	if group == nil {
		return
	}
	for _, other := range group.all {
		if other == one {
			if group.open--; group.open == 0 {
				b.rebuiltTogether(one.key)
			}
			return
		}
	}
}

// rebuiltTogether tells which rebuilds of a value were under way at the same time.
func (b *beliefs) rebuiltTogether(key string) {
	group := b.rebuilds[key]
	delete(b.rebuilds, key)
	var places []place
	var tokens []string
	text, last := "", time.Time{}
	for _, one := range group.all {
		for _, other := range group.all {
			skew := b.skew(one.node, other.node)
			if one == other || !(other.done && other.to.After(one.from.Add(skew)) && !other.from.After(one.from)) && !(one.done && one.to.After(other.from.Add(skew)) && !one.from.After(other.from)) {
				continue
			}
			if text != "" {
				text += ", "
			}
			text += one.who + " since " + one.begun.String()
			places = append(places, one.begun, one.end)
			if one.done {
				text += " to " + one.end.String()
				if one.to.After(last) {
					last = one.to
				}
			}
			if one.token != "" {
				tokens = append(tokens, one.token)
			}
			break
		}
	}
	if len(places) == 0 {
		return
	}
	if last.IsZero() {
		last = b.now
	}
	b.find(Finding{Kind: RepeatedRebuild, Key: key, Time: last, about: tokens, Text: fmt.Sprintf("%s was rebuilt by several at the same time: %s", key, text)}, "", places...)
}
