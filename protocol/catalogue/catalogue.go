// Package catalogue holds the protocols that Lockstep knows, one file each. They
// are written like the code of a service that ships, against package protocol and
// nothing else; they must never import model, scheduler or checks.
package catalogue

import "lockstep/protocol"

// The keys that all variants use: the cached value and the lock around its
// rebuild.
const (
	feed = "feed"
	lock = "lock:feed"
)

// Entry describes a protocol of the catalogue.
type Entry struct {
	// Name is what the protocol is called on the command line.
	Name string
	// Summary says in a sentence what one request does.
	Summary string
	// New returns a pointer to a variant whose fields are zero.
	New func() protocol.Protocol
}

// All returns the catalogue in the order in which it is shown.
func All() []Entry {
	return []Entry{
		{"direct", "no coordination: every request that misses rebuilds and stores", func() protocol.Protocol { return &Direct{} }},
		{"singleflight", "requests of a node that miss share one rebuild", func() protocol.Protocol { return &SingleFlight{} }},
		{"setnx", "a lock with a TTL above the rebuild; how it is released and what losers do are parameters", func() protocol.Protocol { return &SetNX{} }},
		{"stacked", "a shared rebuild on each node, and a lock between the nodes", func() protocol.Protocol { return &Stacked{} }},
		{"nottl", "a lock without expiry, released by a deferred plain delete; losers wait and start over", func() protocol.Protocol { return &NoTTL{} }},
		{"fixedttl", "a lock with a fixed TTL, deleted unconditionally after the rebuild; losers serve stale", func() protocol.Protocol { return &FixedTTL{} }},
		{"lease", "a lock that a heartbeat renews, released only if it is still one's own; losers serve stale", func() protocol.Protocol { return &Lease{} }},
		{"fenced", "lease, and the cache accepts a write only with the highest fencing token", func() protocol.Protocol { return &Fenced{} }},
		{"versioned", "lease, and the cache accepts no value older than the one stored", func() protocol.Protocol { return &Versioned{} }},
	}
}

// Find returns the entry of the given name.
func Find(name string) (Entry, bool) {
	for _, e := range All() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}
