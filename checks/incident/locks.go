package incident

import (
	"fmt"
	"strings"
	"time"
)

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
	name := of{s.key, s.value}
	if earlier := a.tokens[name]; earlier != nil && earlier.client != c.Client {
		a.shared[name] = true
	}
	before := a.lastHolding(s.key)
	a.over(s.key, 0)
	h := &holding{key: s.key, token: s.value, client: c.Client, line: c.Line, at: a.now, reads: map[string]reading{}, seen: c.Line, seenAt: a.now}
	if before != nil {
		before.next = h
		// Unless a line has ended the one before for sure, this one may not have been granted.
		h.doubtful = before.doubtful && before.ended == 0
	}
	i.holding = h
	a.tokens[name] = h
	a.oldTokens = forget(append(a.oldTokens, name), a.tokens)
	by.pending = nil
	by.holding, by.tokens[s.key] = h, s.value
	lock.since, lock.by = 0, map[string]bool{}
	a.keys.set(s.key, i)
}

// retake is a command that sets a lock which somebody holds, without NX. It returns false if
// that renews the lock for its holder, and nothing more.
func (a *auditor) retake(c *Command, by *client, s setting, found *item) bool {
	h := found.holding
	if a.owns(c, by, h) || s.value == h.token && !a.shared[of{h.key, h.token}] {
		if !s.keepTTL {
			found.expires = s.expires
		}
		if s.value != h.token {
			found.value, h.token, by.tokens[s.key] = s.value, s.value, s.value
			a.tokens[of{s.key, s.value}] = h
		}
		return false
	}
	if c.Name == "getset" {
		h.doubtful = true
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
	return by.holding == h || c.Client == h.client || known && token == h.token && !a.shared[of{h.key, token}]
}

// knows reports whether it is known of a client that it is not the holder: it was another, or
// has asked for the lock in vain since that was taken.
func (a *auditor) knows(by *client, h *holding) bool {
	return by.holding != nil && by.holding.key == h.key || by.tried[h.key] > h.line
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
	by.tokens[s.key], by.tried[s.key] = s.value, c.Line
	if found.holding != nil && found.holding.client == c.Client {
		return
	}
	if h := found.holding; h != nil && s.value == h.token {
		// A value that two ask with tells nobody apart.
		a.shared[of{s.key, s.value}] = true
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

// renew is a command that gives a key another TTL.
func (a *auditor) renew(c *Command, by *client, key string, expires time.Time) {
	found, sure := a.keys.get(key, a.now)
	if found == nil || !applies(c, found.expires, expires) {
		return
	}
	if h := found.holding; h != nil && sure {
		known := a.knows(by, h)
		switch {
		case a.owns(c, by, h), h.doubtful:
		case known:
			a.find(ForeignRenewal, key, a.now, []int{h.line, c.Line}, fmt.Sprintf("%s renewed %s in line %d, which belonged to %s since line %d", named(c, by), key, c.Line, who(h), h.line))
		case !c.Script:
			a.doubt([]int{c.Line}, fmt.Sprintf("line %d renews %s, and whose connection %s is is not shown", c.Line, key, c.Client), "a log of the client with its address")
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
	known := a.knows(by, h)
	switch {
	case h.doubtful:
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
		h.doubtful = true
		a.doubt([]int{c.Line}, fmt.Sprintf("line %d deletes %s, and whose connection %s is is not shown", c.Line, key, c.Client), "a log of the client with its address")
	}
	a.over(key, c.Line)
	a.gone(key)
}
