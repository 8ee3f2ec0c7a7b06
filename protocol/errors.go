package protocol

import (
	"errors"
	"time"

	"lockstep/model"
)

var (
	// ErrRefused is returned by an operation that has had no effect: the store
	// answered with an error, or the rebuild failed.
	ErrRefused = errors.New("protocol: refused")
	// ErrTimeout is returned by an operation to which no reply came: it may have taken
	// effect or not, and nothing tells which.
	ErrTimeout = errors.New("protocol: timeout")
	// ErrCancelled is returned by an operation in a context that has been cancelled: that
	// of a request, or one below it (see [Client.WithCancel]). If it was under way then, it
	// may have taken effect or not, or will do so within its latency; if it was begun later,
	// it has not and will not.
	ErrCancelled = errors.New("protocol: cancelled")
)

// WithoutCancel runs fn, in which what is done through this client goes on whatever
// context is cancelled, and spawned processes, too: what context.WithoutCancel is for, a
// release for example. A context that is opened there has none above it.
func (c *Client) WithoutCancel(fn func()) {
	before := c.detached
	c.detached = true
	defer func() { c.detached = before }()
	fn()
}

// Within runs fn, in which the process waits for each operation of a store or of the
// source through this client for d at most until it takes effect: then the operation returns ErrTimeout, and
// its request is still under way. It holds for spawned processes, too. For an operation
// that another Within is nearer to, that counts. An operation that becomes overdue while
// the node is paused, or the process is starved, may time out however short that was.
func (c *Client) Within(d time.Duration, fn func()) {
	if d <= 0 {
		c.run.misuse("Within: the duration %s is not positive", d)
	}
	before := c.patience
	c.patience = d
	defer func() { c.patience = before }()
	fn()
}

// failure returns the error that the process gets.
func (r Reply) failure() error {
	switch r.Observation.Code() {
	case model.Failed:
		return ErrRefused
	case model.TimedOut:
		return ErrTimeout
	case model.Cancelled:
		return ErrCancelled
	}
	return nil
}

// done reports whether the operation did something.
func (r Reply) done() (bool, error) { return r.Observation.Code() == model.Done, r.failure() }
