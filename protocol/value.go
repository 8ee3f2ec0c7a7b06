package protocol

// Value is opaque: what a store keeps under a key, or what a rebuild computed.
// Two values are equal (==) if they are in the world: the same token, or
// computed from the same version of the source. The zero Value is no value.
//
// A Value belongs to the process that got it, to the processes that it spawns
// afterwards, and to whoever waits for a result that contains it.
type Value struct{ id uint32 }

// Token is a Value that nobody else has: the owner's mark in a lock. See
// [Client.NewToken].
type Token = Value

// slot is what the process knows of one of its registers.
type slot struct {
	id uint32
	// shared: spawned processes get it too.
	shared bool
	// time: it is a time, which an atomic step may be given.
	time bool
	// context: it is a context. Spawned processes get it, too, but only to be cancelled by
	// them: it is no value.
	context bool
}
