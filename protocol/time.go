package protocol

import (
	"errors"
	"time"

	"lockstep/model"
)

// ErrStopped is returned by a wait of a process that has been told to stop.
var ErrStopped = errors.New("protocol: the process has been told to stop")

// Sleep waits for d. It returns ErrStopped at once if the process has been told
// to stop, or is told so meanwhile.
func (c *Client) Sleep(d time.Duration) error { return c.SleepBetween(d, d) }

// SleepBetween waits for any time between least and most; see Sleep.
func (c *Client) SleepBetween(least, most time.Duration) error {
	span := Range{Min: least, Max: most}
	c.valid("Sleep", span)
	r := c.do(Call{Kind: model.Sleep, Span: span})
	if r.Observation.Code() == model.Stopped {
		return ErrStopped
	}
	return r.failure()
}

// SleepAtLeast waits for least or for any longer time: nothing bounds it; see Sleep.
func (c *Client) SleepAtLeast(least time.Duration) error {
	return c.SleepBetween(least, model.Unbounded)
}

func (c *Client) valid(what string, r Range) {
	if err := r.Validate(); err != nil {
		c.run.misuse("%s: %v", what, err)
	}
}

// Deadline is a clock on the node that is compared with one constant. To start
// one, to reset it and to read it are operations that take no time, but between
// them and what stands before them a pause may come.
type Deadline struct {
	c  *Client
	id uint32
}

// Deadline starts a clock that passes after d, which must be positive.
func (c *Client) Deadline(d time.Duration) *Deadline {
	if d <= 0 {
		c.run.misuse("Deadline: the duration %s is not positive", d)
	}
	r := c.do(Call{Kind: model.StartDeadline, TTL: d})
	return &Deadline{c, c.hold(r.Observation.Register(), false)}
}

// Passed reports whether the deadline has passed.
func (d *Deadline) Passed() bool {
	r := d.c.do(Call{Kind: model.ReadDeadline, Arg: d.c.argument(d.id, "Deadline.Passed"), hasArg: true})
	return r.Observation.Code() == model.Passed
}

// Reset starts the clock anew.
func (d *Deadline) Reset() {
	d.c.do(Call{Kind: model.ResetDeadline, Arg: d.c.argument(d.id, "Deadline.Reset"), hasArg: true})
}

func (d *Deadline) handle() uint32 { return d.id }
