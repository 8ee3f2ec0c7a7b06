package catalogue

import "lockstep/protocol"

// Versioned is [Lease] with a check at the write: the cache accepts a value only if
// the source version from which it was computed is not below that of the stored
// one, compared and set in one atomic step.
//
// Two processes can still believe that they hold the lock, and rebuild; an older
// value does not overwrite a newer one. If the stored value goes (by its TTL or by
// an invalidation), so does the version with which the next write is compared:
// Remember keeps it under a key of its own. Its claim of one rebuild stands and
// falls with that of Lease.
type Versioned struct {
	Lease
	Remember bool `help:"keep the version of the value when the value goes"`
}

// version is the key under which the newest value is remembered.
const version = "version:" + feed

// Handle gets the value; on a miss it takes the lock and rebuilds under the
// protection of the heartbeat, stores unless something newer is stored, and
// releases.
func (p Versioned) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	ok, err := c.Store.SetNX(lock, token, p.TTL)
	if err != nil || !ok {
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
	store := storeNewer
	if p.Remember {
		store = storeNewest
	}
	accepted, err := protocol.Atomic(c.Cache, v, store)
	p.release(c, token)
	if err != nil || !accepted {
		return protocol.Stale()
	}
	return protocol.Fresh(v)
}

// storeNewer stores the value unless a newer one is stored.
func storeNewer(v *protocol.View, value protocol.Value) bool {
	if stored, ok := v.Get(feed); ok && protocol.Older(value, stored) {
		return false
	}
	v.Set(feed, value, v.ValueTTL())
	return true
}

// storeNewest stores the value unless a newer one has ever been stored.
func storeNewest(v *protocol.View, value protocol.Value) bool {
	if newest, ok := v.Get(version); ok && protocol.Older(value, newest) {
		return false
	}
	v.Set(version, value)
	v.Set(feed, value, v.ValueTTL())
	return true
}
