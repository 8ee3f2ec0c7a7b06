package protocol

import (
	"time"

	"lockstep/model"
)

// MemoryName is what the memory of a node is called among the stores.
const MemoryName = "memory"

// Memory is what the processes of one node share: variables, mutexes and channels, each
// under a key, and gone when the node crashes. An operation on it takes no time, but
// other processes of the node, and a pause, may come before it. It cannot fail.
type Memory struct{ c *Client }

// Get returns what the variable contains, and whether there is anything.
func (m *Memory) Get(key string) (Value, bool) {
	r := m.do(Call{Kind: model.Get, Key: key})
	if r.Observation.Code() != model.Found {
		return Value{}, false
	}
	return Value{m.c.hold(r.Observation.Register(), true)}, true
}

// Set stores the value in the variable.
func (m *Memory) Set(key string, v Value) {
	m.do(Call{Kind: model.Set, Key: key, Arg: m.c.argument(v.id, "Memory.Set "+key), hasArg: true})
}

// SetNX stores the value only if there is nothing in the variable, and reports whether
// it did.
func (m *Memory) SetNX(key string, v Value) bool {
	r := m.do(Call{Kind: model.Set, Key: key, Arg: m.c.argument(v.id, "Memory.SetNX "+key), Mode: model.IfAbsent, hasArg: true})
	return r.Observation.Code() == model.Done
}

// Del empties the variable and reports whether there was anything in it.
func (m *Memory) Del(key string) bool {
	return m.do(Call{Kind: model.Delete, Key: key}).Observation.Code() == model.Done
}

// DelIfEqual empties the variable if it contains the value.
func (m *Memory) DelIfEqual(key string, v Value) Ownership {
	r := m.do(Call{Kind: model.DeleteIfEqual, Key: key, Arg: m.c.argument(v.id, "Memory.DelIfEqual "+key), hasArg: true})
	ownership, _ := r.ownership()
	return ownership
}

// Incr adds one to the counter, which starts at 0, and returns it; see [Store.Incr].
func (m *Memory) Incr(key string) Value {
	r := m.do(Call{Kind: model.Increment, Key: key})
	if r.Observation.Code() != model.Found {
		m.c.run.misuse("Memory.Incr %s: the variable holds no counter", key)
	}
	return Value{m.c.hold(r.Observation.Register(), true)}
}

// Lock locks a mutex. If it is locked it waits, for ever if need be and whatever becomes
// of its request; which of those that wait gets it next nothing decides. The mutex
// belongs to no one: it stays locked if its process returns.
func (m *Memory) Lock(key string) {
	m.do(Call{Kind: model.Lock, Key: key, Span: Range{Max: model.Unbounded}})
}

// LockWithin is Lock, but waits for d at most; it reports whether it has locked the
// mutex. With a d of 0 it tries once.
func (m *Memory) LockWithin(key string, d time.Duration) bool {
	m.c.valid("Memory.LockWithin", model.Exactly(d))
	r := m.do(Call{Kind: model.Lock, Key: key, Span: model.Exactly(d)})
	return r.Observation.Code() == model.Done
}

// Unlock unlocks a mutex, which must be locked.
func (m *Memory) Unlock(key string) { m.do(Call{Kind: model.Unlock, Key: key}) }

// Send sends a signal to a channel that has room for any number.
func (m *Memory) Send(key string) {
	if m.do(Call{Kind: model.Push, Key: key}).Observation.Code() != model.Done {
		m.c.run.misuse("Memory.Send %s: the key holds something else", key)
	}
}

// Receive takes a signal from a channel; if there is none it waits, and whoever has
// waited longest gets the next. It returns ErrStopped or ErrCancelled if that comes
// first.
func (m *Memory) Receive(key string) error {
	_, err := m.receive(Call{Kind: model.BlockingPop, Key: key})
	return err
}

// ReceiveWithin is Receive, but waits for d at most, which must be positive; it reports
// whether a signal came.
func (m *Memory) ReceiveWithin(key string, d time.Duration) (bool, error) {
	if d <= 0 {
		m.c.run.misuse("Memory.ReceiveWithin %s: the duration %s is not positive", key, d)
	}
	return m.receive(Call{Kind: model.BlockingPop, Key: key, TTL: d})
}

func (m *Memory) receive(call Call) (bool, error) {
	r := m.do(call)
	if r.Observation.Code() == model.Refused {
		m.c.run.misuse("Memory.Receive %s: the key holds something else", call.Key)
	}
	if r.Observation.Code() == model.Stopped {
		return false, ErrStopped
	}
	return r.done()
}

// Watch watches variables: what a condition variable is for. It cannot fail.
func (m *Memory) Watch(keys ...string) *Watch {
	w, _ := m.c.watch(MemoryName, keys, 0)
	return w
}

func (m *Memory) do(call Call) Reply {
	call.Store = MemoryName
	return m.c.do(call)
}
