package protocol

import (
	"slices"
	"time"

	"lockstep/model"
)

// WithCancel returns a client of the same process in a context below that of c, as
// context.WithCancel does, and a function that cancels that context:
//
//	work, cancel := c.WithCancel()
//	defer cancel()
//	t := protocol.Go(work, rebuild)
//
// What is done through it, and by processes that are spawned through it, is given up once
// its context or one above it is cancelled, by the rules for a request that is cancelled:
// what is under way may have taken effect, or does so later within its latency; what is
// begun later has no effect; either returns ErrCancelled. A wait for a task, a flight or a
// mutex goes on, as it does there. What is done through c goes on. Watches, tasks, deadlines
// and flights belong to the client that made them.
//
// To open a context is a mark, to cancel it an operation that takes no time: a pause may
// come before it. Cancelling twice is harmless. A spawned process may cancel the contexts
// that its parent had at Go, whatever client it was spawned through; the client of its
// parent it may not use, only that which it was given, which is in the context of that
// through which it was spawned.
//
// A request and what it spawned can refer to model.MaxContexts contexts that are not done.
// A Checkpoint names the clients, besides its own, that are still needed, and thereby the
// functions that cancel their contexts.
func (c *Client) WithCancel() (sub *Client, cancel func()) {
	c.run.enter()
	above := c.above()
	sub = c.below(c.hold(len(c.slots), false))
	c.mark(Mark{Kind: model.MarkContext, Register: uint8(len(c.slots) - 1), Context: above, Detached: c.detached})
	return sub, sub.cancel
}

// WithTimeout is WithCancel, but the context is cancelled after d, too, measured on the
// node from the call; at once if d is not positive. What is given up then returns
// ErrCancelled like any other. While the node is paused no time is over there: what
// became due meanwhile is due when it runs again, in any order with the operations that
// are. It is an operation that takes no time, as starting a deadline is: a pause may come
// between it and what stands before it, and the time of a lock runs on meanwhile.
func (c *Client) WithTimeout(d time.Duration) (sub *Client, cancel func()) {
	if d == model.Unbounded {
		c.run.misuse("WithTimeout: the duration has no bound; use WithCancel")
	}
	r := c.do(Call{Kind: model.StartContext, TTL: d})
	sub = c.below(c.hold(r.Observation.Register(), false))
	return sub, sub.cancel
}

// Cancelled reports whether the context of the client is done, as ctx.Err() != nil does;
// within [Client.WithoutCancel] it never is. It takes no time, but the context may be
// cancelled right after.
func (c *Client) Cancelled() bool {
	return c.do(Call{Kind: model.ReadContext}).Observation.Code() == model.Cancelled
}

// below returns a client of the process that is in the context with the id, which it has
// just got.
func (c *Client) below(id uint32) *Client {
	for k := range c.slots {
		if c.slots[k].id == id {
			c.slots[k].context = true
		}
	}
	sub := newClient(c.run)
	sub.context, sub.patience = id, c.patience
	return sub
}

// cancel cancels the context of the client, in whichever process of its family runs.
func (c *Client) cancel() {
	by := c.run.world.running()
	if by == nil {
		by = c
	}
	by.run.enter()
	by.do(Call{Kind: model.EndContext, Arg: by.argument(c.context, "cancel"), hasArg: true})
}

// above returns the register of the context of the client, +1; model.NoContext if that is
// the context of the request, or none.
func (c *Client) above() uint8 {
	if c.context == 0 || c.detached {
		return model.NoContext
	}
	return uint8(c.argument(c.context, "a client in a context of its own")) + 1
}

// clients adds to what a checkpoint names the clients that are needed afterwards in any
// case: that on which it is called, and that which the process was given.
func (c *Client) clients(locals []any) []any {
	for _, needed := range []*Client{c, c.run.client} {
		if needed.context != 0 {
			locals = append(slices.Clip(locals), needed)
		}
	}
	return locals
}

func (c *Client) handle() uint32 { return c.context }
