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
	// doubtful: whether it was still there, or is, is not sure. Nothing is found that rests
	// on that.
	doubtful bool
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
	// tokens are those with which it asked for locks, by key, and tried the lines.
	tokens map[string]string
	tried  map[string]int
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
func forget[K comparable, T any](names []K, kept map[K]T) []K {
	if len(names) <= maxKept {
		return names
	}
	for _, name := range names[:maxKept/2] {
		delete(kept, name)
	}
	return slices.Clone(names[maxKept/2:])
}

// of is a token of a lock.
type of struct{ key, token string }

// auditor follows what happens in one database.
type auditor struct {
	db      int
	keys    *keyspace
	clients map[string]*client
	locks   map[string]*attempts
	tokens  map[of]*holding
	// shared are tokens with which several clients were granted a lock: they tell nobody
	// apart.
	shared  map[of]bool
	rebuilt map[string]*rebuilds // by key
	// old are tokens and clients in the order in which they came: the first ones are forgotten.
	oldTokens  []of
	oldClients []string
	result     *Result
	now        time.Time
}

// Audit reads a recording to its end and reports what it proves. An error is one of the input.
func Audit(m Reader) (*Result, error) {
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
		c.Time, databases[c.DB].now = now, now
		databases[c.DB].take(c)
		if c.Name == "flushall" {
			for _, a := range databases {
				a.flush(c.Line)
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
	r.Last = now
	if monitor, ok := m.(*Monitor); ok {
		r.Back, r.Bad = monitor.Back, monitor.Bad
	}
	r.sort()
	return r, nil
}

func newAuditor(db int, r *Result) *auditor {
	return &auditor{
		db: db, keys: newKeyspace(), clients: map[string]*client{}, locks: map[string]*attempts{},
		tokens: map[of]*holding{}, shared: map[of]bool{}, rebuilt: map[string]*rebuilds{}, result: r,
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
func (a *auditor) flush(line int) {
	for key, i := range a.keys.items {
		if i.holding == nil {
			a.keys.remove(key)
			continue
		}
		a.over(key, line)
		a.gone(key)
	}
}

// gone notes that a lock is not there any more; it stays known whose it was.
func (a *auditor) gone(key string) {
	a.keys.items[key].expires = a.now.Add(-time.Hour)
	a.keys.change(key)
}

// unfollowed is a command about a lock whose effect is not followed: what becomes of the lock is
// not sure from then on.
func (a *auditor) unfollowed(c *Command, key string) {
	if i, _ := a.keys.get(key, a.now); a.locks[key] == nil || i == nil || i.holding == nil {
		return
	}
	h := a.keys.items[key].holding
	h.doubtful = true
	a.doubt([]int{h.line, c.Line}, fmt.Sprintf("what %s in line %d does to %s is not followed", c.Name, c.Line, key), "an audit by hand from there on")
}

// take takes a command into account.
func (a *auditor) take(c *Command) {
	by := a.clients[c.Client]
	if by == nil {
		by = &client{tokens: map[string]string{}, tried: map[string]int{}}
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
	case "getex":
		if len(c.Args) == 1 {
			a.read(c, by, c.Args[0])
		} else if len(c.Args) > 1 {
			// It sets another TTL.
			a.unfollowed(c, c.Args[0])
		}
	case "get", "mget":
		for _, key := range c.Args {
			a.read(c, by, key)
		}
	case "del", "unlink", "getdel":
		for _, key := range c.Args {
			a.remove(c, by, key)
		}
	case "flushdb":
		a.flush(c.Line)
	case "ttl", "pttl", "exists", "type", "strlen", "watch", "expiretime", "pexpiretime", "object", "touch", "publish", "dump":
	default:
		if len(c.Args) > 0 {
			a.unfollowed(c, c.Args[0])
		}
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
	for _, key := range keys {
		for _, argument := range c.Args[2+n:] {
			h := a.tokens[of{key, argument}]
			if a.shared[of{key, argument}] {
				// It does not say which of them this is.
				h = by.holding
			}
			if h != nil && h.token == argument && h.key == key {
				a.bind(by, h, c.Line)
				a.acts(c, h, "acts as its holder")
			}
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
	if h.overlapped || h.doubtful || h.next.doubtful {
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

func (a *auditor) find(kind Kind, key string, at time.Time, lines []int, text string) {
	lines = slices.Compact(slices.Sorted(slices.Values(lines)))
	a.result.Findings = append(a.result.Findings, Finding{Kind: kind, Key: a.named(key), Lines: lines, Time: at, Text: text})
}

func (a *auditor) doubt(lines []int, text, wanted string) {
	a.result.Doubts = append(a.result.Doubts, Doubt{Lines: lines, Text: text, Wanted: wanted})
}
