package protocol

import (
	"time"

	"lockstep/model"
)

// Timestamp is a time that was read from the wall clock of a node. A process may compare
// it with the wall clock of its own node ([Client.OlderThan]), and store it with a value
// ([At], [Store.GetStamped]); two times cannot be compared with each other. It belongs to
// the process that read it, and may be in the arguments of an atomic step. The zero
// Timestamp is none.
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
