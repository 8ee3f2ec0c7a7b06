package protocol

import "lockstep/model"

// Task is a process that this process spawned.
type Task[T any] struct {
	c  *Client
	id uint32
}

// Go spawns a process on the same node that runs fn with a Client of its own.
// The process may use the values and tokens that its parent had, and nothing
// else of it: a variable that both use is refused as far as it is noticed. It
// goes on when its parent has returned. It is in the context of the client that it is
// spawned through; see [Client.WithCancel]. Its result consists of booleans,
// numbers, strings, values, errors, and structs and arrays of these.
func Go[T any](c *Client, fn func(c *Client) T) *Task[T] {
	if fn == nil {
		c.run.misuse("Go: the function is nil")
	}
	id := c.hold(len(c.slots), false)
	m := Mark{Kind: model.MarkSpawn, Register: uint8(len(c.slots) - 1)}
	context, detached, patience := c.context, c.detached, c.patience
	if detached {
		context = 0
	}
	m.child = func(c *Client) any {
		c.context, c.detached, c.patience = context, detached, patience
		return fn(c)
	}
	for _, s := range c.slots {
		if s.shared || s.context {
			m.inherited = append(m.inherited, s)
		}
	}
	c.mark(m)
	return &Task[T]{c, id}
}

// Stop tells the process to stop. It notices at its next Sleep, or in the one
// that it is in; an operation that it has issued still takes effect.
func (t *Task[T]) Stop() {
	t.c.do(Call{Kind: model.StopTask, Arg: t.c.argument(t.id, "Task.Stop"), hasArg: true})
}

// Wait waits for the process to return and returns its result.
func (t *Task[T]) Wait() T {
	r := t.c.do(Call{Kind: model.WaitTask, Arg: t.c.argument(t.id, "Task.Wait"), hasArg: true})
	// A nil error or interface is no T to reflect; the zero T is right then.
	result, _ := rewrite(r.Result, func(k int) uint32 {
		return t.c.hold(r.Observation.ResultRegister(k), true)
	}).(T)
	return result
}

func (t *Task[T]) handle() uint32 { return t.id }
