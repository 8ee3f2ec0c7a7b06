package incident

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// attempts are what is known of a lock, and the attempts for it that were refused.
type attempts struct {
	recent []time.Time
	stormy bool
	// granted counts the holders, and since the attempts since the last one was there.
	granted int
	since   int
	last    place
	// by are those who were refused.
	by map[string]*waiting
	// proved: somebody has acted on it as its holder. polled: somebody has read it as a value.
	proved, polled bool
}

// waiting is a client that was refused.
type waiting struct {
	// granted is the number of the holder since whom this counts.
	granted     int
	since       time.Time
	first, last place
	tries       int
}

// isValue reports whether a key that was set with NX is a cached value rather than a lock: it
// was read as one, and nobody has acted on it as the holder of a lock.
func (l *attempts) isValue(key string) bool { return l.polled && !l.proved && !calledLock(key) }

// lockName is the name of what is a lock by it: lock:feed, but not block:7.
var lockName = regexp.MustCompile(`(?:^|[^A-Za-z])(?i:locks?|mutex|lease|leader|semaphore)(?:[^A-Za-z]|$)|Lock|Mutex|Lease|Leader`)

// calledLock reports whether the name of a key says that it is a lock.
func calledLock(key string) bool { return lockName.MatchString(key) }

// guarded reports whether the name of a lock says that it is that of a key, as lock:feed is of
// feed.
func guarded(lock, key string) bool {
	return key != "" && (strings.HasSuffix(lock, ":"+key) || strings.HasPrefix(lock, key+":") || strings.HasSuffix(lock, "/"+key) || strings.HasSuffix(lock, "."+key))
}

// lockOf returns what is known of a lock that is asked for with NX; nil if the key is none: a
// client that has read it just before fills a cache, so does one that holds its lock, and so
// do those who come after that.
func (a *auditor) lockOf(by *client, key string) *attempts {
	if lock := a.locks[key]; lock != nil {
		return lock
	}
	if !calledLock(key) {
		if i := a.keys.items[key]; slices.Contains(by.read, key) || i != nil && i.stored != nil {
			return nil
		}
		for _, h := range by.holdings {
			if guarded(h.key, key) || slices.Contains(h.before, key) {
				return nil
			}
		}
	}
	if len(a.locks) >= a.limits.locks && !a.forgetLocks() {
		a.keys.dropped++
		return nil
	}
	_, polled := a.polled.get(key)
	lock := &attempts{by: map[string]*waiting{}, polled: polled}
	a.locks[key] = lock
	return lock
}

// forgetLocks forgets the locks that nobody holds, and reports whether that made room. It is not
// tried for every lock that finds none.
func (a *auditor) forgetLocks() bool {
	if a.full > 0 {
		a.full--
		return false
	}
	for key := range a.locks {
		if i, _ := a.keys.get(key, a.now.Add(-slack)); i == nil || i.holding == nil || i.holding.over {
			delete(a.locks, key)
			delete(a.keys.items, key)
			a.lost++
		}
	}
	if len(a.locks) < a.limits.locks*7/8 {
		return true
	}
	a.full = a.limits.locks / 8
	return len(a.locks) < a.limits.locks
}

// set is a command that sets a key.
func (a *auditor) set(c *Command, by *client, s setting) {
	found, sure := a.keys.get(s.key, a.now)
	lock := a.locks[s.key]
	if s.absent {
		lock = a.lockOf(by, s.key)
		found, sure = a.answered(c, s.key, found, sure)
	}
	if s.absent && !sure {
		a.doubt(s.key, fmt.Sprintf("the TTL of %s runs out just when %s asks for it: whether it is granted is not shown", s.key, a.here),
			"the reply of the server to that command, in a log of the client", a.keys.items[s.key].place, a.here)
	}
	if s.absent && found != nil {
		if lock != nil {
			a.refused(c, by, s, lock, found)
		}
		return
	}
	if s.present && found == nil {
		return
	}
	if lock != nil && found != nil && found.holding != nil && !a.retake(c, by, s, found) {
		return
	}
	i := &item{value: s.value, expires: s.expires, place: a.here, at: a.now, db: c.DB}
	if s.keepTTL && found != nil {
		i.expires = found.expires
	}
	if lock == nil {
		a.store(by, s.key, i, found)
		return
	}
	a.grant(c, by, s, lock, i)
}

// answered is what is under a key that is asked for with NX, as the reply says if it is known.
func (a *auditor) answered(c *Command, key string, found *item, sure bool) (*item, bool) {
	switch {
	case c.Reply == "ok" && found != nil:
		// Something that is no command has taken it away.
		return nil, true
	case c.Reply == "ok":
		return nil, true
	case c.Reply == "refused" && found == nil:
		return a.keys.items[key], true
	}
	return found, sure || c.Reply == "refused"
}

// grant is a command by which a client becomes the holder of a lock.
func (a *auditor) grant(c *Command, by *client, s setting, lock *attempts, i *item) {
	name := of{s.key, s.value}
	if earlier, _ := a.tokens.get(name); earlier != nil && earlier.client != c.Client {
		a.shared.set(name, true)
	}
	before := a.lastHolding(s.key)
	a.over(s.key, place{})
	h := &holding{
		grant: &grant{token: s.value, client: c.Client, place: a.here, at: a.now},
		key:   s.key, before: slices.Clone(by.read), seen: a.here, seenAt: a.now,
	}
	if before != nil {
		before.next = h.grant
		// Unless a line has ended the one before for sure, this one may not have been granted.
		h.doubtful = before.doubtful && before.ended.none()
	}
	if a.keys.dropped > 0 && before == nil && !calledLock(s.key) {
		// There may have been a value under the key that is not followed any more.
		h.doubtful = true
	}
	i.holding = h
	a.tokens.set(name, h)
	a.names.asked(s.key, s.value)
	if by.name != anonymous {
		a.names.holders.set(s.value, by.name)
	}
	by.pending, by.read = nil, nil
	by.hold(h)
	by.asked(s.key, s.value, place{})
	lock.since = 0
	lock.granted++
	delete(lock.by, c.Client)
	a.keys.set(s.key, i)
}

// retake is a command that sets a lock which somebody holds, without NX. It returns false if
// that renews the lock for its holder, and nothing more.
func (a *auditor) retake(c *Command, by *client, s setting, found *item) bool {
	h := found.holding
	shared, _ := a.shared.get(of{h.key, h.token})
	if a.owns(c, by, h) || s.value == h.token && !shared {
		if !s.keepTTL {
			found.expires = s.expires
		}
		if s.value != h.token {
			found.value, h.token = s.value, s.value
			by.asked(s.key, s.value, place{})
			a.tokens.set(of{s.key, s.value}, h)
		}
		return false
	}
	if c.Name == "getset" {
		h.doubtful = true
		a.doubt(s.key, fmt.Sprintf("%s sets %s, which belonged to %s, and gets what it was: whether it took the lock over is not shown", a.here, s.key, a.who(h.grant)), "a log of the client", h.place, a.here)
		return true
	}
	a.find(Finding{Kind: ForeignRelease, Key: s.key, Time: a.now, about: []string{h.token}, Text: fmt.Sprintf(
		"%s set %s in %s, which belonged to %s since %s", a.named(by), s.key, a.here, a.who(h.grant), h.place)}, s.key, h.place, a.here)
	a.over(s.key, a.here)
	return true
}

// owns reports whether a client is known to be the holder of a lock.
func (a *auditor) owns(c *Command, by *client, h *holding) bool {
	token, known := by.tokens[h.key]
	shared, _ := a.shared.get(of{h.key, token})
	return by.of(h.key) == h || c.Client == h.client || known && token == h.token && !shared
}

// knows reports whether it is known of a client that it is not the holder: it was another, or
// has asked for the lock in vain since that was taken, or a log says so.
func (a *auditor) knows(by *client, h *holding) bool {
	holder, _ := a.names.holders.get(h.token)
	return by.of(h.key) != nil || by.tried[h.key].number > h.place.number ||
		by.name.request != "" && holder.request != "" && by.name.request != holder.request
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
func (a *auditor) over(key string, by place) {
	i := a.keys.items[key]
	if i == nil || i.holding == nil || i.holding.over {
		return
	}
	i.holding.over, i.holding.ended, i.holding.endedAt = true, by, a.now
	if by.none() && !i.expires.IsZero() && i.expires.Before(a.now) {
		i.holding.endedAt = i.expires
	}
}

// refused is an attempt to get a lock that another has.
func (a *auditor) refused(c *Command, by *client, s setting, lock *attempts, found *item) {
	by.asked(s.key, s.value, a.here)
	a.names.asked(s.key, s.value)
	by.read = nil
	if h := by.of(s.key); h != nil && (h.over || a.expired(h, a.now)) {
		// Whoever asks again holds it no more.
		by.drop(s.key)
	}
	if found.holding != nil && found.holding.client == c.Client {
		return
	}
	if h := found.holding; h != nil && s.value == h.token {
		// A value that two ask with tells nobody apart.
		a.shared.set(of{s.key, s.value}, true)
	}
	lock.wait(c.Client, a.here, a.now, a.limits.waiting)
	if lock.recent = append(lock.recent, a.now); len(lock.recent) > storm {
		lock.recent = lock.recent[1:]
	}
	if len(lock.recent) == storm && !lock.stormy && a.now.Sub(lock.recent[0]) <= time.Second {
		lock.stormy = true
		a.find(Finding{Kind: RetryStorm, Key: s.key, Time: a.now, Text: fmt.Sprintf(
			"%s was asked for %d times within %s, and refused", s.key, storm, a.now.Sub(lock.recent[0]).Round(time.Millisecond))}, s.key, a.here)
	}
}

// wait notes that a client was refused.
func (l *attempts) wait(client string, here place, now time.Time, most int) {
	l.since++
	l.last = here
	w := l.by[client]
	if w == nil {
		if len(l.by) == most {
			for other, w := range l.by {
				if w.granted != l.granted {
					delete(l.by, other)
				}
			}
		}
		if len(l.by) == most {
			return
		}
		w = &waiting{}
		l.by[client] = w
	}
	if w.granted != l.granted || w.tries == 0 {
		*w = waiting{granted: l.granted, since: now, first: here}
	}
	w.tries++
	w.last = here
}

// renew is a command that gives a key another TTL.
func (a *auditor) renew(c *Command, by *client, key string, expires time.Time) {
	found, sure := a.keys.get(key, a.now)
	if found == nil || !applies(c, found.expires, expires) {
		return
	}
	if h := found.holding; h != nil && sure {
		known := a.knows(by, h)
		switch {
		case a.owns(c, by, h):
			a.locks[key].proved = true
		case h.doubtful:
		case known:
			a.find(Finding{Kind: ForeignRenewal, Key: key, Time: a.now, about: []string{h.token}, Text: fmt.Sprintf(
				"%s renewed %s in %s, which belonged to %s since %s", a.named(by), key, a.here, a.who(h.grant), h.place)}, key, h.place, a.here)
		case !c.Script:
			a.doubt(key, fmt.Sprintf("%s renews %s, and whose connection %s is is not shown", a.here, key, c.Client), "a log of the client with its address", a.here)
		}
	}
	found.expires = expires
}

// applies reports whether the condition of an EXPIRE holds: NX, XX, GT or LT.
func applies(c *Command, old, expires time.Time) bool {
	if len(c.Args) < 3 {
		return true
	}
	switch strings.ToLower(c.Args[2]) {
	case "nx":
		return old.IsZero()
	case "xx":
		return !old.IsZero()
	case "gt":
		return !old.IsZero() && expires.After(old)
	case "lt":
		return old.IsZero() || expires.Before(old)
	}
	return true
}

// remove is a command that takes a key away.
func (a *auditor) remove(c *Command, by *client, key string) {
	found, sure := a.keys.get(key, a.now)
	lock := a.locks[key]
	mine := by.of(key)
	if lock != nil {
		defer by.drop(key)
		by.read = nil
	}
	if lock == nil || found == nil || found.holding == nil {
		if mine != nil && mine.next != nil {
			a.acts(mine, "released it")
		}
		if lock == nil {
			a.concluded(key)
		}
		a.keys.remove(key)
		return
	}
	h := found.holding
	known := a.knows(by, h)
	switch {
	case h.doubtful:
	case !sure && c.Reply == "":
		a.doubt(key, fmt.Sprintf("the TTL of %s runs out just when %s deletes it", key, a.here), "the reply of the server to that command, in a log of the client", h.place, a.here)
	case a.owns(c, by, h):
		h.released = true
		lock.proved = true
	case known:
		a.find(Finding{Kind: ForeignRelease, Key: key, Time: a.now, about: []string{by.tokens[key]}, Text: fmt.Sprintf(
			"%s deleted %s in %s, which belonged to %s since %s", a.named(by), key, a.here, a.who(h.grant), h.place)}, key, h.place, a.here)
		if mine != nil {
			a.acts(mine, "released it")
		}
	default:
		h.doubtful = true
		a.doubt(key, fmt.Sprintf("%s deletes %s, and whose connection %s is is not shown", a.here, key, c.Client), "a log of the client with its address", a.here)
	}
	a.over(key, a.here)
	a.gone(key)
}
