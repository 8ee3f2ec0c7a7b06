package incident

import (
	"strconv"
	"strings"
	"time"
)

// EffectKind is what a command asks of a key.
type EffectKind string

const (
	// Reads: GET.
	Reads EffectKind = "get"
	// Sets: SET and its kin, GETSET.
	Sets EffectKind = "set"
	// Deletes: DEL, UNLINK, GETDEL.
	Deletes EffectKind = "del"
	// Expires: EXPIRE and its kin; with a TTL of 0 for PERSIST.
	Expires EffectKind = "expire"
	// Asks: TTL, PTTL.
	Asks EffectKind = "ttl"
	// Counts: INCR.
	Counts EffectKind = "incr"
	// Unclear: what has no meaning here.
	Unclear EffectKind = "unclear"
)

// Effect is what a command asks of a key. Whether it was done is not known.
type Effect struct {
	Kind EffectKind
	Key  string
	// Value is what is set, Absent and Present say under which condition (NX, XX), KeepTTL that
	// the TTL stays.
	Value                    string
	Absent, Present, KeepTTL bool
	// TTL is what the key gets, 0 for none.
	TTL time.Duration
}

// Effects returns what the command asks of keys, one after the other: nothing of scripts, of which
// the commands that follow tell.
func (c *Command) Effects() []Effect {
	a := c.Args
	if len(a) == 0 {
		return nil
	}
	if s, ok := settingOf(c); ok {
		e := Effect{Kind: Sets, Key: s.key, Value: s.value, Absent: s.absent, Present: s.present, KeepTTL: s.keepTTL, TTL: s.ttl}
		if s.ttl == 0 && !s.expires.IsZero() {
			e.TTL = max(s.expires.Sub(c.Time).Round(time.Millisecond), 1)
		}
		return []Effect{e}
	}
	if key, expires, ok := expiryOf(c); ok {
		e := Effect{Kind: Expires, Key: key}
		if !expires.IsZero() {
			e.TTL = expires.Sub(c.Time.Truncate(time.Millisecond))
		}
		return []Effect{e}
	}
	one := func(kind EffectKind) []Effect { return []Effect{{Kind: kind, Key: a[0]}} }
	each := func(kind EffectKind) []Effect {
		var all []Effect
		for _, key := range a {
			all = append(all, Effect{Kind: kind, Key: key})
		}
		return all
	}
	switch c.Name {
	case "get":
		return one(Reads)
	case "mget", "exists":
		return each(Reads)
	case "del", "unlink":
		return each(Deletes)
	case "getdel":
		return one(Deletes)
	case "ttl", "pttl":
		return one(Asks)
	case "incr":
		return one(Counts)
	case "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro":
		return nil
	}
	return one(Unclear)
}

// CallsScript reports whether the command runs a script, and which keys it is given.
func (c *Command) CallsScript() (keys []string, ok bool) {
	switch c.Name {
	case "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro":
	default:
		return nil, false
	}
	if len(c.Args) < 2 {
		return nil, true
	}
	n, err := strconv.Atoi(strings.TrimSpace(c.Args[1]))
	if err != nil || n < 0 || n > len(c.Args)-2 {
		return nil, true
	}
	return c.Args[2 : 2+n], true
}
