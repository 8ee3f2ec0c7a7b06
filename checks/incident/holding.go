package incident

import (
	"slices"
	"time"
)

// grant is what was granted to the holder of a lock. It is what remains of a holding once
// another came after it.
type grant struct {
	token, client string
	place         place
	at            time.Time
	// doubtful: whether it was granted, or is still there, is not sure. Nothing is found that
	// rests on that.
	doubtful bool
}

// holding is the time in which a client holds a lock.
type holding struct {
	*grant
	key string
	// before are the keys that the client had read before it asked for the lock, and reads what
	// it has read since, by key.
	before []string
	reads  map[string]reading
	// ended is the line that ended it, none for its TTL; over says that something has.
	over     bool
	released bool
	ended    place
	endedAt  time.Time
	// next is the one that came after it.
	next *grant
	// overlapped: it has been reported.
	overlapped bool
	// seen is the last line of its holder.
	seen   place
	seenAt time.Time
}

// reading is a version of a key that was read, and where.
type reading struct {
	version int
	// sure: the version is that, and not an older one.
	sure  bool
	place place
}

// read notes what the holder has read.
func (h *holding) read(key string, r reading) {
	if h.reads == nil {
		h.reads = map[string]reading{}
	}
	h.reads[key] = r
}

// storing is a write of a value. The holding is nil as long as it is not known whose it is.
type storing struct {
	key     string
	place   place
	at      time.Time
	holding *holding
	// before is what it replaced.
	before *storing
}

// client is what is known of a connection, or of a request if that is known.
type client struct {
	address string
	name    name
	// holdings are the locks that it holds or held, the innermost last.
	holdings []*holding
	// tokens are those with which it asked for locks, by key, and tried the lines.
	tokens map[string]string
	tried  map[string]place
	// pending are writes of which it is not known under which lock.
	pending []*storing
	// read are the keys that it has read since it last asked for a lock or released one.
	read []string
}

// Limits on what is known of a client and of a holder.
const (
	maxPending  = 16
	maxHoldings = 8
	maxAsked    = 64
)

func newClient(address string) *client {
	return &client{address: address}
}

// holding is the innermost lock, nil for none.
func (c *client) holding() *holding {
	if len(c.holdings) == 0 {
		return nil
	}
	return c.holdings[len(c.holdings)-1]
}

// of is the holding of a lock, nil for none.
func (c *client) of(key string) *holding {
	for _, h := range c.holdings {
		if h.key == key {
			return h
		}
	}
	return nil
}

// hold notes that the client holds a lock; any earlier holding of it is forgotten.
func (c *client) hold(h *holding) {
	if old := c.of(h.key); old == h {
		return
	}
	c.drop(h.key)
	if len(c.holdings) == maxHoldings {
		c.holdings = c.holdings[1:]
	}
	c.holdings = append(c.holdings, h)
}

// drop notes that the client holds a lock no more.
func (c *client) drop(key string) {
	c.holdings = slices.DeleteFunc(c.holdings, func(h *holding) bool { return h.key == key })
}

// asked notes that the client has asked for a lock, with a token.
func (c *client) asked(key, token string, at place) {
	if _, known := c.tokens[key]; !known && len(c.tokens) == maxAsked {
		clear(c.tokens)
		clear(c.tried)
	}
	if c.tokens == nil {
		c.tokens, c.tried = map[string]string{}, map[string]place{}
	}
	c.tokens[key] = token
	if !at.none() {
		c.tried[key] = at
	}
}

// reads notes that the client has read a key.
func (c *client) reads(key string) {
	if slices.Contains(c.read, key) {
		return
	}
	if len(c.read) == maxPending {
		c.read = c.read[1:]
	}
	c.read = append(c.read, key)
}
