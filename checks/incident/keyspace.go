package incident

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxValue is how much of a value is kept.
const maxValue = 256

// item is what a key holds, as far as the recording shows.
type item struct {
	value string
	// expires is when its TTL is over, zero for never.
	expires time.Time
	// place set it, at a time, in a database.
	place place
	at    time.Time
	db    int
	// holding is whose lock it is, if it is one.
	holding *holding
	// stored is who has stored it, if it is a value.
	stored *storing
}

// longest is how long a TTL counts at most: longer than any recording.
const longest = 100 * 365 * 24 * time.Hour

// slack is how close to its expiry nothing can be said of an entry: the server counts in
// milliseconds, and notes the time of a command at another instant than it prints.
const slack = 2 * time.Millisecond

// keyspace is what a server holds.
type keyspace struct {
	items map[string]*item
	// most is how many keys are followed, and dropped how many were not, since there were too
	// many.
	most, dropped int
	// now is the number of the event that is taken.
	now int
	// versions are the numbers of the events that changed a key last. Those that were forgotten
	// are not above forgotten.
	versions  *kept[string, int]
	forgotten int
}

func newKeyspace(most int) *keyspace {
	return &keyspace{most: most, items: map[string]*item{}, versions: newKept[string, int](2 * most)}
}

// get returns what is under a key at a time, nil for nothing, and whether that is sure. What
// has just expired, or is just about to, is not.
func (k *keyspace) get(key string, at time.Time) (i *item, sure bool) {
	i = k.items[key]
	if i == nil || i.expires.IsZero() {
		return i, true
	}
	left := i.expires.Sub(at)
	if left <= 0 {
		return nil, left < -slack
	}
	return i, left > slack
}

// set puts an item under a key.
func (k *keyspace) set(key string, i *item) {
	if _, known := k.items[key]; !known && len(k.items) >= k.most && !k.purge() {
		k.dropped++
		return
	}
	if len(i.value) > maxValue {
		i.value = i.value[:maxValue]
	}
	k.items[key] = i
	k.change(key)
}

// purge drops the older half of the values, and reports whether that made room.
func (k *keyspace) purge() bool {
	var numbers []int
	for _, i := range k.items {
		if i.holding == nil {
			numbers = append(numbers, i.place.number)
		}
	}
	if len(numbers) < k.most/8+1 {
		// Nearly all are locks: it is not worth the while.
		return false
	}
	slices.Sort(numbers)
	middle := numbers[len(numbers)/2]
	for key, i := range k.items {
		if i.holding == nil && i.place.number <= middle {
			delete(k.items, key)
			k.dropped++
		}
	}
	return true
}

// change notes that a key is changed now.
func (k *keyspace) change(key string) {
	forgotten := k.versions.forgotten
	if k.versions.set(key, k.now); k.versions.forgotten > forgotten {
		k.forgotten = k.now
	}
}

// version is the number of the event that changed a key last, 0 for none. It is not sure if it
// may have been forgotten: then the number is not below it.
func (k *keyspace) version(key string) (number int, sure bool) {
	if number, known := k.versions.get(key); known {
		return number, true
	}
	return k.forgotten, k.forgotten == 0
}

// remove takes away what is under a key.
func (k *keyspace) remove(key string) {
	if k.items[key] != nil {
		delete(k.items, key)
		k.change(key)
	}
}

// setting is what a command sets.
type setting struct {
	key, value string
	absent     bool // only if there is nothing
	present    bool // only if there is something
	ttl        time.Duration
	expires    time.Time
	keepTTL    bool
}

// settingOf returns what a command sets, false if it sets nothing.
func settingOf(c *Command) (s setting, ok bool) {
	a := c.Args
	ttl := func(text string, unit time.Duration) time.Duration {
		n, _ := strconv.ParseInt(text, 10, 62)
		return time.Duration(min(n, int64(longest/unit))) * unit
	}
	switch {
	case c.Name == "set" && len(a) >= 2:
		s.key, s.value = a[0], a[1]
		for i := 2; i < len(a); i++ {
			option, argument := strings.ToLower(a[i]), ""
			if i+1 < len(a) {
				argument = a[i+1]
			}
			switch option {
			case "nx":
				s.absent = true
			case "xx":
				s.present = true
			case "keepttl":
				s.keepTTL = true
			case "ex":
				s.ttl, i = ttl(argument, time.Second), i+1
			case "px":
				s.ttl, i = ttl(argument, time.Millisecond), i+1
			case "exat":
				s.expires, i = time.Unix(0, int64(ttl(argument, time.Second))), i+1
			case "pxat":
				s.expires, i = time.Unix(0, int64(ttl(argument, time.Millisecond))), i+1
			}
		}
	case c.Name == "setnx" && len(a) == 2:
		s.key, s.value, s.absent = a[0], a[1], true
	case c.Name == "setex" && len(a) == 3:
		s.key, s.value, s.ttl = a[0], a[2], ttl(a[1], time.Second)
	case c.Name == "psetex" && len(a) == 3:
		s.key, s.value, s.ttl = a[0], a[2], ttl(a[1], time.Millisecond)
	case c.Name == "getset" && len(a) == 2:
		s.key, s.value = a[0], a[1]
	default:
		return s, false
	}
	s.key = c.key(s.key)
	if s.ttl > 0 {
		s.expires = c.Time.Truncate(time.Millisecond).Add(s.ttl)
	}
	return s, true
}

// expiryOf returns which key gets a new TTL by a command, and when that is over, zero for
// never; false if none does.
func expiryOf(c *Command) (key string, expires time.Time, ok bool) {
	a := c.Args
	if c.Name == "persist" && len(a) == 1 {
		return c.key(a[0]), expires, true
	}
	if len(a) < 2 {
		return "", expires, false
	}
	n, err := strconv.ParseInt(a[1], 10, 53)
	if err != nil {
		return "", expires, false
	}
	now := c.Time.Truncate(time.Millisecond)
	switch c.Name {
	case "expire":
		return c.key(a[0]), now.Add(time.Duration(min(n, int64(longest/time.Second))) * time.Second), true
	case "pexpire":
		return c.key(a[0]), now.Add(time.Duration(min(n, int64(longest/time.Millisecond))) * time.Millisecond), true
	case "expireat":
		return c.key(a[0]), time.Unix(n, 0), true
	case "pexpireat":
		return c.key(a[0]), time.UnixMilli(n), true
	}
	return "", expires, false
}
