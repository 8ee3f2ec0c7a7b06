package incident

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// belief is the time in which a request believes that it holds a lock, as the application says.
type belief struct {
	of         *worker
	key, token string
	place      place
	at         time.Time
	// granted is when the store has granted or renewed it, for a TTL, 0 if that is not known.
	granted time.Time
	ttl     time.Duration
	// ended is what has ended it, at a time: a release, or its noticing that the lock is lost.
	ended   EventKind
	endedIn place
	endedAt time.Time
	// shown is the latest line that shows it.
	shown   place
	shownAt time.Time
	// next is the one that began after it, of another.
	next *successor
	// overlapped: it has been reported.
	overlapped bool
}

// successor is what remains of a belief for the one before it.
type successor struct {
	who, node, token string
	place            place
	at               time.Time
	// over: it has ended.
	over bool
}

// worker is a request, or a node of which no requests are named.
type worker struct {
	name  name
	begun time.Time
	place place
	// last is its latest event but the one that is taken.
	last    time.Time
	lastIn  place
	beliefs []*belief
	// answered is how it was answered, empty for not yet.
	answered EventKind
	rebuild  *rebuilding
}

// beliefs follow what applications say of themselves.
type beliefs struct {
	*auditor
	workers *kept[string, *worker]
	tokens  *kept[string, *belief]
	// locks are the beliefs in locks, by key, and own the successors that they are.
	locks map[string][]*belief
	own   map[*belief]*successor
	// values are what was stored, by key.
	values   *kept[string, *version]
	rebuilds map[string]*concurrent
	nodes    map[string]*node
	// unkeyed and keyed: some lock was not named, and some was.
	unkeyed, keyed bool
}

// node is a service instance: its latest event.
type node struct {
	last   time.Time
	lastIn place
}

// version is the newest version that was stored of a value.
type version struct {
	number  int64
	who     string
	node    string
	token   string
	place   place
	at      time.Time
	highest int64
	// since is when the highest was stored, in a place.
	since   time.Time
	sinceIn place
}

// maxBeliefs is how many beliefs in one lock are followed at a time.
const maxBeliefs = 16

func newBeliefs(a *auditor) *beliefs {
	return &beliefs{
		auditor: a, workers: newKept[string, *worker](a.limits.kept), tokens: newKept[string, *belief](a.limits.kept), locks: map[string][]*belief{},
		own: map[*belief]*successor{}, values: newKept[string, *version](a.limits.values), rebuilds: map[string]*concurrent{}, nodes: map[string]*node{},
	}
}

func (b *beliefs) forgotten() int {
	return b.workers.forgotten + b.tokens.forgotten + b.values.forgotten
}

// skew is by how much the clocks of two nodes may differ.
func (b *beliefs) skew(one, other string) time.Duration {
	if one == other && one != "" {
		return 0
	}
	return b.options.Skew
}

// take takes an event of an application into account.
func (b *beliefs) take(e *Event) {
	switch {
	case e.Kind.isHistory():
		return
	case e.Kind == Other:
		b.result.Others++
		if !slices.Contains(b.result.OthersFirst, e.Name) && len(b.result.OthersFirst) < maxBadKept {
			b.result.OthersFirst = append(b.result.OthersFirst, e.Name)
		}
	}
	b.result.Events++
	w := b.worker(e)
	defer func() { w.last, w.lastIn = e.Time, b.here }()
	if e.Token != "" && w.name != anonymous {
		b.names.holders.set(e.Token, w.name)
	}
	switch e.Kind {
	case Request:
		w.begun, w.place, w.answered = e.Time, b.here, ""
	case Acquired:
		b.acquired(e, w)
		return
	case Release, Released, ReleaseRefused, Lost:
		b.ends(e, w)
		return
	case Crashed:
		b.crashed(e)
		return
	}
	b.shows(e, w)
	switch e.Kind {
	case Renewed:
		for _, held := range w.held(e) {
			held.granted = e.Time
			if e.TTL > 0 {
				held.ttl = e.TTL
			}
		}
	case RebuildStart:
		b.rebuildStart(e, w)
	case RebuildDone, RebuildFailed:
		b.rebuildEnd(e, w)
	case Stored:
		b.rebuildEnd(e, w)
		b.stored(e, w)
	case Hit, Stale, Answered, Failed:
		b.answer(e, w)
	}
}

// worker is the request that an event is of, or the node if it names none.
func (b *beliefs) worker(e *Event) *worker {
	if e.Node != "" {
		n := b.nodes[e.Node]
		if n == nil && len(b.nodes) < maxNodes {
			n = &node{}
			b.nodes[e.Node] = n
			b.result.Nodes++
		}
		if n != nil {
			n.last, n.lastIn = e.Time, b.here
		}
	}
	id := "request " + e.Request
	if e.Request == "" {
		id = "token " + e.Token
	}
	if e.Request == "" && e.Token == "" {
		id = "node " + e.Node
	}
	w, known := b.workers.get(id)
	if !known {
		w = &worker{name: name{e.Node, e.Request}, last: e.Time, lastIn: b.here}
		b.workers.set(id, w)
		if e.Kind == Request || e.Request != "" {
			b.result.Requests++
		}
	}
	return w
}

// held are the beliefs of a worker that an event is about.
func (w *worker) held(e *Event) []*belief {
	var all []*belief
	for _, held := range w.beliefs {
		if held.ended == "" && (e.Token == "" || held.token == "" || e.Token == held.token) {
			all = append(all, held)
		}
	}
	return all
}

// keyOf is the lock that an event is about.
func (b *beliefs) keyOf(e *Event) string {
	key := e.Key
	if key == "" {
		key, _ = b.auditor.names.keys.get(e.Token)
	}
	if key == "" {
		b.unkeyed = true
		return unnamed
	}
	b.keyed = true
	return key
}

// unnamed is what a lock is called that the log does not name.
const unnamed = "the lock"

func (b *beliefs) acquired(e *Event, w *worker) {
	key := b.keyOf(e)
	if b.locks[key] == nil && len(b.locks) == b.limits.locks || len(b.own) >= b.limits.kept {
		b.keys.dropped++
		return
	}
	one := &belief{of: w, key: key, token: e.Token, place: b.here, at: e.Time, granted: e.Time, ttl: e.TTL, shown: b.here, shownAt: e.Time}
	next := &successor{who: b.called(one), node: w.name.node, token: e.Token, place: b.here, at: e.Time}
	b.own[one] = next
	w.beliefs = slices.DeleteFunc(w.beliefs, func(old *belief) bool { return old.ended != "" || old.key == key })
	var others []*belief
	for _, other := range b.locks[key] {
		if other.of == w {
			b.forget(other)
			continue
		}
		if other.next == nil && other.ended == "" {
			other.next = next
			if b.options.Steps {
				// All that has happened is in a trace: it has not released the lock.
				other.shown, other.shownAt = b.here, e.Time
				b.overlap(other)
			}
		}
		others = append(others, other)
	}
	if len(others) == maxBeliefs {
		b.forget(others[0])
		others = others[1:]
	}
	b.locks[key] = append(others, one)
	if w.beliefs = append(w.beliefs, one); len(w.beliefs) > maxHoldings {
		w.beliefs = w.beliefs[1:]
	}
	if e.Token != "" {
		b.tokens.set(e.Token, one)
	}
}

// forget notes that a belief matters no more.
func (b *beliefs) forget(one *belief) {
	if next := b.own[one]; next != nil {
		next.over = true
	}
	delete(b.own, one)
}

// called names who believes.
func (b *beliefs) called(one *belief) string {
	text := one.of.name.String()
	switch {
	case one.token == "":
		return text
	case text == "":
		return one.token
	}
	return text + " (token " + one.token + ")"
}

// shows notes that the beliefs of a worker last: it has not released anything yet.
func (b *beliefs) shows(e *Event, w *worker) {
	for _, held := range w.held(e) {
		held.shown, held.shownAt = b.here, e.Time
		b.overlap(held)
	}
}

// overlap reports that a request still believed when another had acquired its lock.
func (b *beliefs) overlap(held *belief) {
	next := held.next
	if next == nil || held.overlapped || !b.options.Steps && !held.shownAt.After(next.at.Add(b.skew(held.of.name.node, next.node))) {
		return
	}
	held.overlapped = true
	text := fmt.Sprintf("%s acquired %s in %s, and %s acquired it in %s; yet in %s, %s later, the first one still believed to hold it",
		b.called(held), held.key, held.place, next.who, next.place, held.shown, held.shownAt.Sub(next.at).Round(time.Millisecond))
	if held.shown == next.place {
		text = fmt.Sprintf("%s acquired %s in %s, and still believed to hold it when %s acquired it in %s", b.called(held), held.key, held.place, next.who, next.place)
	}
	b.find(Finding{Kind: OverlappingBelief, Key: held.key, Time: held.shownAt, about: about(held.token), Text: text}, "", held.place, next.place, held.shown)
}

func about(token string) []string {
	if token == "" {
		return nil
	}
	return []string{token}
}

// ends takes the end of a belief into account: a release, or that the loss is noticed.
func (b *beliefs) ends(e *Event, w *worker) {
	for _, held := range w.held(e) {
		if e.Kind == Lost {
			held.shown, held.shownAt = b.here, e.Time
			b.overlap(held)
		} else {
			b.release(e, w, held)
		}
		b.ended(e, held)
	}
	if e.Kind == Lost {
		return
	}
	// Of a lock that it has noticed to be lost.
	for _, held := range w.beliefs {
		if held.ended == Lost && (e.Token == "" || held.token == "" || e.Token == held.token) {
			b.release(e, w, held)
		}
	}
	w.beliefs = slices.DeleteFunc(w.beliefs, func(held *belief) bool { return held.ended != "" })
}

// ended notes what has ended a belief.
func (b *beliefs) ended(e *Event, held *belief) {
	held.ended, held.endedIn, held.endedAt = e.Kind, b.here, e.Time
	b.forget(held)
	b.locks[held.key] = slices.DeleteFunc(b.locks[held.key], func(other *belief) bool { return other == held })
	if len(b.locks[held.key]) == 0 {
		delete(b.locks, held.key)
	}
}

// crashed ends what a node believed.
func (b *beliefs) crashed(e *Event) {
	for _, key := range slices.Sorted(maps.Keys(b.locks)) {
		for _, held := range slices.Clone(b.locks[key]) {
			if held.of.name.node == e.Node {
				b.ended(e, held)
			}
		}
	}
}

// release tells whose lock a release has removed, if that can be told: that of a request which has
// acquired it since, and which has not ended.
func (b *beliefs) release(e *Event, w *worker, held *belief) {
	next := held.next
	if next == nil || e.Kind == ReleaseRefused {
		return
	}
	// The release was after the last event before it, and before this one.
	if e.Kind == Released && w.last.After(next.at.Add(b.skew(w.name.node, next.node))) {
		text := fmt.Sprintf("%s released %s in %s, and the store removed a lock; it was not its own, since %s had acquired it in %s",
			b.called(held), held.key, b.here, next.who, next.place)
		b.find(Finding{Kind: ForeignRelease, Key: held.key, Time: e.Time, about: about(held.token), Text: text}, "", held.place, next.place, b.here)
		return
	}
	if b.recorded(held.token) {
		return
	}
	b.doubt("", fmt.Sprintf("%s released %s in %s, and %s had acquired it in %s: whether it removed the lock of that is not shown", b.called(held), held.key, b.here, next.who, next.place),
		"what the store answered to the release, or the output of MONITOR", held.place, next.place, b.here)
}

// recorded reports whether there are commands of a holder: they say more than its own log.
func (b *beliefs) recorded(token string) bool {
	_, known := b.auditor.names.keys.get(token)
	return known
}

// endedBefore reports whether the application says that the belief of a holder had ended before
// a time.
func (b *beliefs) endedBefore(token string, at time.Time) bool {
	held, known := b.tokens.get(token)
	return known && held.ended != "" && !held.endedAt.After(at.Add(b.options.Skew))
}

// knows reports whether the application says what became of the belief of a holder.
func (b *beliefs) knows(token string) bool {
	held, known := b.tokens.get(token)
	return known && (held.ended != "" || held.overlapped)
}
