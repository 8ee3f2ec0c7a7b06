package incident

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// effect is what a command does to keys that are no locks, besides setting and deleting them.
type effect struct {
	// reads are keys that it reads, sets those that it gives a new value, and updates those of
	// which it changes a part. computes: what it writes was computed, rather than counted.
	reads, sets, updates []string
	computes             bool
}

// effectOf returns what a command does to keys, false if it is none that is followed.
func effectOf(c *Command) (e effect, ok bool) {
	a := c.Args
	if len(a) == 0 {
		return e, false
	}
	first := []string{c.key(a[0])}
	switch c.Name {
	case "get", "mget":
		for _, key := range a {
			e.reads = append(e.reads, c.key(key))
		}
	case "getex":
		if len(a) > 1 {
			// It sets another TTL.
			return e, false
		}
		e.reads = first
	case "hget", "hmget", "hgetall", "lrange", "smembers", "zrange", "getrange", "json.get":
		e.reads = first
	case "mset":
		for i := 0; i+1 < len(a); i += 2 {
			e.sets = append(e.sets, c.key(a[i]))
		}
		e.computes = true
	case "hset", "hmset", "append", "setrange", "json.set":
		e.updates, e.computes = first, true
	case "incr", "incrby", "incrbyfloat", "decr", "decrby", "hincrby", "hincrbyfloat", "hdel", "lpush", "rpush", "sadd", "srem", "zadd", "zrem", "setbit":
		e.updates = first
	default:
		return e, false
	}
	return e, true
}

// effect takes what a command does to keys into account.
func (a *auditor) effect(c *Command, by *client, e effect) {
	for _, key := range e.reads {
		a.read(c, by, key)
	}
	for _, key := range slices.Concat(e.sets, e.updates) {
		if a.locks[key] != nil {
			a.unfollowed(c, key)
			continue
		}
		found, _ := a.keys.get(key, a.now)
		i := &item{place: a.here, at: a.now, db: c.DB}
		if found != nil && len(e.updates) > 0 {
			i.expires = found.expires
		}
		if e.computes {
			a.store(by, key, i, found)
			continue
		}
		if found != nil {
			i.stored = found.stored
		}
		a.keys.set(key, i)
	}
}

// read notes which version of a key a holder has read. Once its lock is over, a client that reads
// what it has read before it asked for the lock, or something else than under the lock, works
// on another request.
func (a *auditor) read(c *Command, by *client, key string) {
	if lock := a.locks[key]; lock != nil {
		if by.of(key) == nil && !c.Script {
			lock.polled = true
		}
		return
	}
	if !c.Script {
		a.polled.set(key, true)
		by.holdings = slices.DeleteFunc(by.holdings, func(h *holding) bool {
			if !h.over && !a.expired(h, a.now) {
				return false
			}
			_, again := h.reads[key]
			return slices.Contains(h.before, key) || len(h.reads) > 0 && !again
		})
		by.reads(key)
	}
	for _, h := range by.holdings {
		if _, known := h.reads[key]; known || len(h.reads) < maxPending {
			version, sure := a.keys.version(key)
			h.read(key, reading{version, sure, a.here})
		}
	}
}

// store is a write of a value.
func (a *auditor) store(by *client, key string, i *item, found *item) {
	s := &storing{key: key, place: a.here, at: a.now, holding: by.holding()}
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
	if !h.released && !h.doubtful && (h.over || a.expired(h, s.at)) {
		ended := fmt.Sprintf("ran out at %s", clock(a.endOf(h)))
		if !h.ended.none() {
			ended = fmt.Sprintf("was taken away in %s", h.ended)
		}
		if h.next == nil || h.next.place.number > s.place.number {
			a.find(Finding{Kind: WriteAfterLoss, Key: s.key, Time: s.at, about: []string{h.token}, Text: fmt.Sprintf(
				"%s stored %s in %s, %s after its lock %s", a.who(h.grant), s.key, s.place, s.at.Sub(a.endOf(h)).Round(time.Millisecond), ended)}, h.key, h.place, s.place)
		} else {
			a.overlap(h, s.place, s.at, "stored "+s.key)
		}
	}
	p := s.before
	if p == nil || p.holding == nil || p.holding == h {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(h.reads)) {
		mine, ok := p.holding.reads[key]
		if old := h.reads[key]; ok && key != s.key && mine.sure && old.version < mine.version {
			a.find(Finding{Kind: StaleOverwrite, Key: s.key, Time: s.at, about: []string{h.token}, Text: fmt.Sprintf(
				"%s stored %s in %s from what it had read of %s in %s; that was older than what %s had read in %s, and stored in %s",
				a.who(h.grant), s.key, s.place, key, old.place, a.who(p.holding.grant), mine.place, p.place)}, "", old.place, mine.place, p.place, s.place)
			return
		}
	}
}
