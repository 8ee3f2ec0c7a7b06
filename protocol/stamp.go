package protocol

import (
	"errors"
	"time"

	"lockstep/model"
)

// Timestamp is a time that was read from the wall clock of a node, or of a store. A process
// may compare it with the wall clock of its own node ([Client.OlderThan]), an atomic step
// with the clock of its store ([View.OlderThan]), and it can be stored with a value ([At],
// [Store.GetStamped]); two times cannot be compared with each other. It belongs to the
// process that read it, and may be in the arguments of an atomic step. The zero Timestamp
// is none.
type Timestamp struct{ id uint32 }

// Now reads the wall clock of the node. Whoever compares the time will ask for an age of
// longest at most. Wall clocks run alike, but faults may make them step; sleeps, timeouts
// and deadlines do not depend on them.
func (c *Client) Now(longest time.Duration) Timestamp {
	if longest <= 0 {
		c.run.misuse("Now: the duration %s is not positive; it is the longest age that the time will be compared with", longest)
	}
	r := c.do(Call{Kind: model.TakeStamp, TTL: longest})
	return Timestamp{c.holdTime(r.Observation.Register())}
}

// OlderThan reports whether the time is older than d by the wall clock of this node. At
// the very instant where they are equal both answers are possible.
func (c *Client) OlderThan(t Timestamp, d time.Duration) bool {
	if d <= 0 {
		c.run.misuse("OlderThan: the duration %s is not positive", d)
	}
	if t.id == 0 {
		c.run.misuse("OlderThan: a zero Timestamp; GetStamped returns one for an entry that carries no time")
	}
	r := c.do(Call{Kind: model.ReadStamp, Arg: c.argument(t.id, "OlderThan"), TTL: d, hasArg: true})
	return r.Observation.Code() == model.Passed
}

// Now reads the clock of the store, as the first statement of a transaction does where
// now() is when that began. Whoever compares the time will ask for an age of longest at
// most. The clock is right, whatever happens to TTLs.
func (s *Store) Now(longest time.Duration) (Timestamp, error) {
	if longest <= 0 {
		s.c.run.misuse("Now: the duration %s is not positive; it is the longest age that the time will be compared with", longest)
	}
	r := s.do(Call{Kind: model.StoreTime, Age: longest})
	if err := r.failure(); err != nil {
		return Timestamp{}, err
	}
	return Timestamp{s.c.holdTime(r.Observation.Register())}, nil
}

// AtNow lets the entry carry the time at which it is set by the clock of the store, as a
// column with the default now() does: an age that will be compared with longest at most.
func AtNow(longest time.Duration) SetOption {
	return func(o *setOptions) { o.longest = longest }
}

var errDated = errors.New("AtNow takes the longest age that the time will be compared with, which is positive, and excludes At")

// OlderThan reports whether the time that the entry under the key carries is older than d
// by the clock of the store at this instant: WHERE locked_at < now() - d. It is false if
// there is no entry. At the very instant where they are equal both answers are possible.
func (v *View) OlderThan(key string, d time.Duration) bool {
	if d <= 0 {
		panic("OlderThan of " + key + ": the duration " + d.String() + " is not positive")
	}
	_, code := v.run(Call{Kind: model.ReadStamp, Key: key, TTL: d}, Value{})
	return code == model.Passed
}
