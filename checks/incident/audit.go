package incident

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"
)

// storm is how many refused attempts within a second are a storm.
const storm = 100

// silent is how long an owner has to do nothing to be called silent, and patience how many
// attempts of others there must have been since.
const (
	silent   = time.Second
	patience = 3
)

// holding is the time in which a client holds a lock.
type holding struct {
	key, token, client string
	line               int
	at                 time.Time
	// reads are what the holder has read since, by key.
	reads map[string]reading
	// ended is the line that ended it, 0 for its TTL; over says that something has.
	over     bool
	released bool
	ended    int
	endedAt  time.Time
	// next is the one that came after it.
	next *holding
	// overlapped: it has been reported.
	overlapped bool
	// seen is the last line of its holder.
	seen   int
	seenAt time.Time
}

// reading is a version of a key that was read, and where.
type reading struct{ version, line int }

// storing is a write of a value. The holding is nil as long as it is not known whose it is.
type storing struct {
	key     string
	line    int
	at      time.Time
	holding *holding
	// before is what it replaced.
	before *storing
}

// client is what is known of a connection.
type client struct {
	holding *holding
	// tokens are those with which it asked for locks, by key.
	tokens map[string]string
	// pending are writes of which it is not known under which lock.
	pending []*storing
}

// maxPending is how many of them are kept, and how many reads of a holder; maxKept how many
// tokens and how many clients.
const (
	maxPending = 16
	maxKept    = 1 << 15
)

// forget drops the first half of the names, and what is kept of them, when there are too many.
func forget[T any](names []string, of map[string]T) []string {
	if len(names) <= maxKept {
		return names
	}
	for _, name := range names[:maxKept/2] {
		delete(of, name)
	}
	return slices.Clone(names[maxKept/2:])
}

// auditor follows what happens in one database.
type auditor struct {
	db      int
	keys    *keyspace
	clients map[string]*client
	locks   map[string]*attempts
	tokens  map[string]*holding // by token
	// shared are tokens with which several clients were granted a lock: they tell nobody
	// apart.
	shared  map[string]bool
	rebuilt map[string]*rebuilds // by key
	// old are tokens and clients in the order in which they came: the first ones are forgotten.
	oldTokens, oldClients []string
	result                *Result
	now                   time.Time
}

// Audit reads a recording to its end and reports what it proves. An error is one of the input.
func Audit(m *Monitor) (*Result, error) {
	r := &Result{Locks: []string{}, Findings: []Finding{}, Doubts: []Doubt{}}
	databases := map[int]*auditor{}
	seen := map[string]bool{}
	now := time.Time{}
	for {
		c, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if r.Commands++; r.Commands == 1 {
			r.First = c.Time
		}
		// Where the clock has stepped back, the order of the lines counts.
		if c.Time.After(now) {
			now = c.Time
		}
		if !seen[c.Client] && len(seen) < maxKeys {
			seen[c.Client] = true
			r.Clients++
		}
		if databases[c.DB] == nil {
			databases[c.DB] = newAuditor(c.DB, r)
		}
		databases[c.DB].now = now
		databases[c.DB].take(c)
		if c.Name == "flushall" {
			for _, a := range databases {
				a.flush()
			}
		}
	}
	for _, db := range slices.Sorted(maps.Keys(databases)) {
		a := databases[db]
		a.now = now
		a.end()
		r.Dropped += a.keys.dropped
		for _, key := range slices.Sorted(maps.Keys(a.locks)) {
			r.Locks = append(r.Locks, a.named(key))
		}
	}
	r.Last, r.Back, r.Bad = now, m.Back, m.Bad
	r.sort()
	return r, nil
}

func newAuditor(db int, r *Result) *auditor {
	return &auditor{
		db: db, keys: newKeyspace(), clients: map[string]*client{}, locks: map[string]*attempts{},
		tokens: map[string]*holding{}, shared: map[string]bool{}, rebuilt: map[string]*rebuilds{}, result: r,
	}
}

// named is a key with its database, if that is not the first one.
func (a *auditor) named(key string) string {
	if a.db == 0 {
		return key
	}
	return fmt.Sprintf("%s in database %d", key, a.db)
}

// flush takes everything away.
func (a *auditor) flush() {
	for key, i := range a.keys.items {
		if i.holding != nil {
			i.holding.released = true
		}
		a.keys.remove(key)
	}
}

// take takes a command into account.
func (a *auditor) take(c *Command) {
	by := a.clients[c.Client]
	if by == nil {
		by = &client{tokens: map[string]string{}}
		a.clients[c.Client] = by
		a.oldClients = forget(append(a.oldClients, c.Client), a.clients)
	}
	if h := by.holding; h != nil {
		h.seen, h.seenAt = c.Line, a.now
	}
	if s, ok := settingOf(c); ok {
		a.set(c, by, s)
		return
	}
	if key, expires, ok := expiryOf(c); ok {
		a.renew(c, by, key, expires)
		return
	}
	switch c.Name {
	case "eval", "evalsha":
		a.script(c, by)
	case "get", "getex", "mget":
		for _, key := range c.Args {
			a.read(c, by, key)
		}
	case "del", "unlink", "getdel":
		for _, key := range c.Args {
			a.remove(c, by, key)
		}
	case "flushdb":
		a.flush()
	}
}

// script binds a client to the lock whose token is among the arguments of a script: it acts as
// its holder.
func (a *auditor) script(c *Command, by *client) {
	if len(c.Args) < 2 {
		return
	}
	n, err := strconv.Atoi(c.Args[1])
	if err != nil || n < 0 || len(c.Args) < 2+n {
		return
	}
	keys := c.Args[2 : 2+n]
	for _, argument := range c.Args[2+n:] {
		h := a.tokens[argument]
		if a.shared[argument] {
			// It does not say which of them this is.
			h = by.holding
		}
		if h != nil && h.token == argument && slices.Contains(keys, h.key) {
			a.bind(by, h, c.Line)
			a.acts(c, h, "acts as its holder")
		}
	}
}

// bind says that a client is the holder of a lock. What it has stored before it was known to
// be is told now.
func (a *auditor) bind(by *client, h *holding, line int) {
	by.holding, by.tokens[h.key] = h, h.token
	h.seen, h.seenAt = line, a.now
	pending := by.pending
	by.pending = nil
	for _, s := range pending {
		if s.at.Before(h.at) {
			continue
		}
		s.holding = h
		a.stored(s)
	}
}

// read notes which version of a key a holder has read.
func (a *auditor) read(c *Command, by *client, key string) {
	if h := by.holding; h != nil && a.locks[key] == nil {
		if _, known := h.reads[key]; !known && len(h.reads) == maxPending {
			return
		}
		h.reads[key] = reading{a.keys.versions[key], c.Line}
	}
}

// set is a command that sets a key.
func (a *auditor) set(c *Command, by *client, s setting) {
	found, sure := a.keys.get(s.key, a.now)
	if s.absent && a.locks[s.key] == nil {
		a.locks[s.key] = &attempts{by: map[string]bool{}}
	}
	lock := a.locks[s.key]
	if s.absent && !sure {
		a.doubt([]int{a.keys.items[s.key].line, c.Line},
			fmt.Sprintf("the TTL of %s runs out just when line %d asks for it: whether it is granted is not shown", s.key, c.Line),
			"the reply of the server to that command, in a log of the client")
	}
	if s.absent && found != nil {
		a.refused(c, by, s, lock, found)
		return
	}
	if s.present && found == nil {
		return
	}
	if lock != nil && found != nil && found.holding != nil && !a.retake(c, by, s, found) {
		return
	}
	i := &item{value: s.value, expires: s.expires, line: c.Line, at: a.now}
	if s.keepTTL && found != nil {
		i.expires = found.expires
	}
	if lock == nil {
		a.store(c, by, s.key, i, found)
		return
	}
	if earlier := a.tokens[s.value]; earlier != nil && earlier.client != c.Client {
		a.shared[s.value] = true
	}
	before := a.lastHolding(s.key)
	a.over(s.key, 0)
	h := &holding{key: s.key, token: s.value, client: c.Client, line: c.Line, at: a.now, reads: map[string]reading{}, seen: c.Line, seenAt: a.now}
	if before != nil {
		before.next = h
	}
	i.holding = h
	a.tokens[s.value] = h
	a.oldTokens = forget(append(a.oldTokens, s.value), a.tokens)
	by.pending = nil
	by.holding, by.tokens[s.key] = h, s.value
	lock.since, lock.by = 0, map[string]bool{}
	a.keys.set(s.key, i)
}

// retake is a command that sets a lock which somebody holds, without NX. It returns false if
// that renews the lock for its holder, and nothing more.
func (a *auditor) retake(c *Command, by *client, s setting, found *item) bool {
	h := found.holding
	if a.owns(c, by, h) && s.value == h.token {
		if !s.keepTTL {
			found.expires = s.expires
		}
		return false
	}
	if c.Name == "getset" {
		a.doubt([]int{h.line, c.Line}, fmt.Sprintf("line %d sets %s, which belonged to %s, and gets what it was: whether it took the lock over is not shown", c.Line, s.key, who(h)), "a log of the client")
		return true
	}
	a.find(ForeignRelease, s.key, a.now, []int{h.line, c.Line}, fmt.Sprintf("%s set %s in line %d, which belonged to %s since line %d", named(c, by), s.key, c.Line, who(h), h.line))
	a.over(s.key, c.Line)
	return true
}

// owns reports whether a client is known to be the holder of a lock.
func (a *auditor) owns(c *Command, by *client, h *holding) bool {
	token, known := by.tokens[h.key]
	return by.holding == h || c.Client == h.client || known && token == h.token && !a.shared[token]
}

// lastHolding returns whose lock a key was last, also if it has expired since.
func (a *auditor) lastHolding(key string) *holding {
	if i := a.keys.items[key]; i != nil {
		return i.holding
	}
	return nil
}

// over notes that nobody holds a lock any more: since its TTL is over, unless a line has ended
// it.
func (a *auditor) over(key string, line int) {
	i := a.keys.items[key]
	if i == nil || i.holding == nil || i.holding.over {
		return
	}
	i.holding.over, i.holding.ended, i.holding.endedAt = true, line, a.now
	if line == 0 {
		i.holding.endedAt = i.expires
	}
}

// refused is an attempt to get a lock that another has.
func (a *auditor) refused(c *Command, by *client, s setting, lock *attempts, found *item) {
	by.tokens[s.key] = s.value
	if found.value == s.value {
		return
	}
	lock.since++
	lock.by[c.Client] = true
	lock.last = c.Line
	if lock.recent = append(lock.recent, a.now); len(lock.recent) > storm {
		lock.recent = lock.recent[1:]
	}
	if len(lock.recent) == storm && !lock.stormy && a.now.Sub(lock.recent[0]) <= time.Second {
		lock.stormy = true
		a.find(RetryStorm, s.key, a.now, []int{c.Line}, fmt.Sprintf("%s was asked for %d times within %s, and refused", s.key, storm, a.now.Sub(lock.recent[0]).Round(time.Millisecond)))
	}
}

// store is a write of a value.
func (a *auditor) store(c *Command, by *client, key string, i *item, found *item) {
	s := &storing{key: key, line: c.Line, at: a.now, holding: by.holding}
	if found != nil {
		if s.before = found.stored; s.before != nil && s.before.before != nil {
			// What came before that cannot matter any more.
			s.before.before.before = nil
		}
	} else {
		a.concluded(key)
	}
	i.stored = s
	a.keys.set(key, i)
	if s.holding != nil {
		a.stored(s)
		return
	}
	if by.pending = append(by.pending, s); len(by.pending) > maxPending {
		by.pending = by.pending[1:]
	}
}

// stored tells what is wrong with a write, once it is known under which lock it was done.
func (a *auditor) stored(s *storing) {
	h := s.holding
	if len(h.reads) == 0 {
		// It has computed nothing: this is no rebuild.
		return
	}
	a.rebuild(s)
	if h.over && !h.released || a.expired(h, s.at) {
		ended := fmt.Sprintf("ran out at %s", clock(a.endOf(h)))
		if h.ended > 0 {
			ended = fmt.Sprintf("was taken away in line %d", h.ended)
		}
		if h.next == nil || h.next.line > s.line {
			a.find(WriteAfterLoss, s.key, s.at, []int{h.line, s.line}, fmt.Sprintf("%s stored %s in line %d, %s after its lock %s", who(h), s.key, s.line, s.at.Sub(a.endOf(h)).Round(time.Millisecond), ended))
		} else {
			a.overlap(h, s.line, s.at, "stored "+s.key)
		}
	}
	p := s.before
	if p == nil || p.holding == nil || p.holding == h {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(h.reads)) {
		mine, ok := p.holding.reads[key]
		if old := h.reads[key]; ok && key != s.key && old.version < mine.version {
			a.find(StaleOverwrite, s.key, s.at, []int{old.line, mine.line, p.line, s.line}, fmt.Sprintf(
				"%s stored %s in line %d from what it had read of %s in line %d; that was older than what %s had read in line %d, and stored in line %d",
				who(h), s.key, s.line, key, old.line, who(p.holding), mine.line, p.line))
			return
		}
	}
}

// expired reports whether the TTL of a lock was over at a time.
func (a *auditor) expired(h *holding, at time.Time) bool {
	i := a.keys.items[h.key]
	return i != nil && i.holding == h && !i.expires.IsZero() && at.After(i.expires.Add(slack))
}

// endOf returns when a holding ended.
func (a *auditor) endOf(h *holding) time.Time {
	if h.over {
		return h.endedAt
	}
	if i := a.keys.items[h.key]; i != nil && i.holding == h {
		return i.expires
	}
	return h.seenAt
}

// acts notes that the holder of a lock acts as such.
func (a *auditor) acts(c *Command, h *holding, what string) {
	if h.next != nil && !h.released {
		a.overlap(h, c.Line, a.now, what)
	}
}

// overlap reports that a client still acted as the holder of a lock that another had acquired.
func (a *auditor) overlap(h *holding, line int, at time.Time, what string) {
	if h.overlapped {
		return
	}
	h.overlapped = true
	how := fmt.Sprintf("it ran out at %s", clock(h.endedAt))
	lines := []int{h.line, h.next.line, line}
	if h.ended > 0 {
		how = fmt.Sprintf("it was taken away in line %d", h.ended)
		lines = []int{h.line, h.ended, h.next.line, line}
	}
	a.find(OverlappingBelief, h.key, at, lines, fmt.Sprintf("%s acquired %s in line %d; %s, and %s acquired it in line %d; yet in line %d, %s later, the first one %s",
		who(h), h.key, h.line, how, who(h.next), h.next.line, line, at.Sub(h.next.at).Round(time.Millisecond), what))
}

// renew is a command that gives a key another TTL.
func (a *auditor) renew(c *Command, by *client, key string, expires time.Time) {
	found, sure := a.keys.get(key, a.now)
	if found == nil {
		return
	}
	if h := found.holding; h != nil && sure {
		_, known := by.tokens[key]
		switch {
		case a.owns(c, by, h):
		case known:
			a.find(ForeignRenewal, key, a.now, []int{h.line, c.Line}, fmt.Sprintf("%s renewed %s in line %d, which belonged to %s since line %d", named(c, by), key, c.Line, who(h), h.line))
		case !c.Script:
			a.doubt([]int{c.Line}, fmt.Sprintf("line %d renews %s, and whose connection %s is is not shown", c.Line, key, c.Client), "a log of the client with its address")
		}
	}
	found.expires = expires
}

// remove is a command that takes a key away.
func (a *auditor) remove(c *Command, by *client, key string) {
	found, sure := a.keys.get(key, a.now)
	lock := a.locks[key]
	if lock == nil || found == nil || found.holding == nil {
		if h := by.holding; lock != nil && h != nil && h.key == key && h.next != nil {
			a.acts(c, h, "released it")
		}
		if lock == nil {
			a.concluded(key)
		}
		a.keys.remove(key)
		return
	}
	h := found.holding
	_, known := by.tokens[key]
	switch {
	case !sure:
		a.doubt([]int{h.line, c.Line}, fmt.Sprintf("the TTL of %s runs out just when line %d deletes it", key, c.Line), "the reply of the server to that command, in a log of the client")
	case a.owns(c, by, h):
		h.released = true
		by.holding = nil
	case known:
		a.find(ForeignRelease, key, a.now, []int{h.line, c.Line}, fmt.Sprintf("%s deleted %s in line %d, which belonged to %s since line %d", named(c, by), key, c.Line, who(h), h.line))
		if b := by.holding; b != nil && b.key == key {
			a.acts(c, b, "released it")
		}
	default:
		a.doubt([]int{c.Line}, fmt.Sprintf("line %d deletes %s, and whose connection %s is is not shown", c.Line, key, c.Client), "a log of the client with its address")
	}
	a.over(key, c.Line)
	// The holding stays known, for what its holder does later.
	a.keys.items[key].expires = a.now.Add(-time.Hour)
	a.keys.change(key)
}

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
				who(h), key, h.line, h.seen, a.now.Sub(h.seenAt).Round(time.Millisecond), count(len(lock.by), "other", "others"), lock.since))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.rebuilt)) {
		a.concluded(key)
	}
	for _, token := range slices.Sorted(maps.Keys(a.tokens)) {
		if h := a.tokens[token]; h.next != nil && !h.released && !h.overlapped {
			a.doubt([]int{h.line, h.next.line}, fmt.Sprintf("%s lost %s, which another acquired in line %d; whether it still believed to hold it is not shown", who(h), h.key, h.next.line),
				"a log of the client: when it noticed, or returned")
		}
	}
}

func (a *auditor) find(kind Kind, key string, at time.Time, lines []int, text string) {
	lines = slices.Compact(slices.Sorted(slices.Values(lines)))
	a.result.Findings = append(a.result.Findings, Finding{Kind: kind, Key: a.named(key), Lines: lines, Time: at, Text: text})
}

func (a *auditor) doubt(lines []int, text, wanted string) {
	a.result.Doubts = append(a.result.Doubts, Doubt{Lines: lines, Text: text, Wanted: wanted})
}
