package protocol

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/model"
)

// Client is the world of one process. Its methods are the only way in which
// protocol code may learn or change anything; each belongs to the one process
// that it was given to. A process that opens contexts (see [Client.WithCancel]) has a
// Client for each.
type Client struct {
	// Store keeps locks, Cache cached values. They are stores of their own with
	// the same operations.
	Store, Cache *Store
	// Source is the database behind the cache.
	Source *Source
	// Memory is what the processes of the node share.
	Memory *Memory

	run *Run
	*holdings
	// context is the id of the context that it is in, 0 for that of the request.
	context uint32
	// detached: what it does goes on whatever is cancelled.
	detached bool
	// patience is how long it waits for an operation, 0 for ever.
	patience time.Duration
}

// holdings are what the clients of a process have in common.
type holdings struct {
	slots []slot
	marks []Mark
	next  uint32
}

func newClient(r *Run) *Client {
	c := &Client{run: r, holdings: &r.holdings}
	c.Store, c.Cache, c.Source, c.Memory = &Store{c, storeName}, &Store{c, CacheName}, &Source{c}, &Memory{c}
	return c
}

// NewToken returns a token that no one else has.
func (c *Client) NewToken() Token {
	id := c.hold(len(c.slots), true)
	c.mark(Mark{Kind: model.MarkToken, Register: uint8(len(c.slots) - 1)})
	return Value{id}
}

// Acquired says that from here on the process believes that it holds the lock
// under the key of Store. It belongs to the step before it and takes no time.
func (c *Client) Acquired(key string) {
	c.mark(Mark{Kind: model.MarkAcquired, Store: storeName, Key: key})
}

// Releasing says that the process no longer believes that it holds the lock,
// because it is about to release it or has noticed its loss. A process that
// returns believes nothing either.
func (c *Client) Releasing(key string) {
	c.mark(Mark{Kind: model.MarkReleasing, Store: storeName, Key: key})
}

// ValueTTL returns the option that gives a cached value the TTL that the
// scenario sets (--value-ttl), or none.
func (c *Client) ValueTTL() SetOption {
	return func(o *setOptions) { o.ttl = c.run.world.valueTTL }
}

// Invalidates reports whether the scenario says that an update deletes what is
// cached (--invalidate).
func (c *Client) Invalidates() bool { return c.run.world.invalidates }

// Checkpoint marks the head of an unbounded loop. It names everything on which
// the future of the process depends: booleans, numbers, strings, values, tokens,
// tasks, deadlines, clients, and structs of these. Whatever is not named must not be used
// any more. Two runs that meet at a checkpoint with equal locals go on alike.
//
//	for {
//		c.Checkpoint(token)
//		if err := c.Sleep(3 * time.Second); err != nil {
//			return
//		}
//		c.Store.ExpireIfEqual("lock:feed", token, 10*time.Second)
//	}
func (c *Client) Checkpoint(locals ...any) {
	text, keep, err := c.mention(c.clients(locals), "", true)
	if err != nil {
		c.run.misuse("Checkpoint: %v", err)
	}
	kept := make([]slot, len(keep))
	for k, at := range keep {
		kept[k] = c.slots[at]
	}
	c.mark(Mark{Kind: model.MarkKeep, Keep: keep, Locals: text})
	c.slots = kept
}

// mention describes values and returns the registers that they mention, each once,
// in the order in which the text numbers them. What only this process may hold, a
// task for example, is refused in the words of private, if there are any; times are not if
// times is set.
func (c *Client) mention(values []any, private string, times bool) (text string, registers []uint8, err error) {
	text, err = describe(values, func(id uint32) (int, error) {
		at, err := c.register(id)
		if err != nil {
			return 0, err
		}
		if private != "" && !c.slots[at].shared && !(times && c.slots[at].time) {
			return 0, errors.New(private)
		}
		if k := slices.Index(registers, uint8(at)); k >= 0 {
			return k, nil
		}
		registers = append(registers, uint8(at))
		return len(registers) - 1, nil
	})
	return text, registers, err
}

// hold returns the id of what is in the register, a new one if the register is
// new.
func (c *Client) hold(register int, shared bool) uint32 {
	if register < len(c.slots) {
		return c.slots[register].id
	}
	c.next++
	id := uint32(c.run.program)<<16 | c.next
	c.slots = append(c.slots, slot{id: id, shared: shared})
	return id
}

// holdTime is hold for a time.
func (c *Client) holdTime(register int) uint32 {
	id := c.hold(register, false)
	c.slots[register].time = true
	return id
}

func (c *Client) register(id uint32) (int, error) {
	if id == 0 {
		return 0, fmt.Errorf("a zero Value was used; Get and Rebuild return one when they find or compute nothing")
	}
	for k, s := range c.slots {
		if s.id == id {
			return k, nil
		}
	}
	return 0, fmt.Errorf("a value, token, task, deadline, watch, time or context was used that this process does not have; the likely causes are a local missing from a Checkpoint, a variable shared with another process, and a task or deadline of the parent process")
}

// argument is register for use in a call: what goes wrong is the author's.
func (c *Client) argument(id uint32, what string) int8 {
	at, err := c.register(id)
	if err != nil {
		c.run.misuse("%s: %v", what, err)
	}
	return int8(at)
}

// maxMarks is how many marks may stand between two operations.
const maxMarks = 200

func (c *Client) mark(m Mark) {
	m.Source = c.run.enter()
	if len(c.marks) == maxMarks {
		c.run.misuse("%d marks without an operation between them: this loop never ends", maxMarks)
	}
	c.marks = append(c.marks, m)
	c.run.suspend(c.marks)
}

// do asks the world and waits for what the process observes.
func (c *Client) do(call Call) Reply {
	call.Source = c.run.enter()
	call.Marks, c.marks = c.marks, nil
	call.Context, call.Detached, call.Patience = c.above(), c.detached, c.patience
	return c.run.ask(call)
}
