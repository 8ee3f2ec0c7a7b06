package catalogue

import (
	"time"

	"lockstep/protocol"
)

// Fenced is [Lease] with a fencing token: each acquisition takes a number from a
// counter in the same atomic step, and the cache accepts a write only if its number
// is not below the highest that it has accepted.
//
// Two processes can still believe that they hold the lock, and rebuild; once the
// later one has stored, what the earlier one writes is refused. That does not order
// versions: a holder that is paused before it reads the source, and whose lock
// lapses, can store a newer value before the later holder, whose fencing token is
// higher, stores the older one that it read. See [Versioned]. Its claim of one
// rebuild stands and falls with that of Lease.
type Fenced struct{ Lease }

// The keys of fencing: the counter next to the lock, and the highest number that
// the cache has accepted.
const (
	fences = "fence:" + lock
	fence  = "fence:" + feed
)

// Handle gets the value; on a miss it takes the lock with a fencing token and
// rebuilds under the protection of the heartbeat, stores if the fencing token is
// still the highest, and releases.
func (p Fenced) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	got, err := protocol.Atomic(c.Store, acquisition{token, p.TTL}, acquire)
	if err != nil || !got.OK {
		return protocol.Stale()
	}
	c.Acquired(lock)
	if p.LookAgain {
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			p.release(c, token)
			return protocol.Fresh(v)
		}
	}
	v, err := p.rebuild(c, token)
	if err != nil {
		return protocol.Failed()
	}
	accepted, err := protocol.Atomic(c.Cache, fencedWrite{v, got.Fence}, storeFenced)
	p.release(c, token)
	if err != nil || !accepted {
		return protocol.Stale()
	}
	return protocol.Fresh(v)
}

type acquisition struct {
	Token protocol.Token
	TTL   time.Duration
}

type acquired struct {
	OK    bool
	Fence protocol.Value
}

// acquire takes the lock and the next fencing token.
func acquire(v *protocol.View, a acquisition) acquired {
	if !v.SetNX(lock, a.Token, a.TTL) {
		return acquired{}
	}
	return acquired{true, v.Incr(fences)}
}

type fencedWrite struct{ Value, Fence protocol.Value }

// storeFenced stores the value unless a later holder of the lock has stored.
func storeFenced(v *protocol.View, w fencedWrite) bool {
	if highest, ok := v.Get(fence); ok && protocol.Older(w.Fence, highest) {
		return false
	}
	v.Set(fence, w.Fence)
	v.Set(feed, w.Value, v.ValueTTL())
	return true
}
