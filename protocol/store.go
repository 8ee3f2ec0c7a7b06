package protocol

import (
	"fmt"
	"time"

	"lockstep/model"
)

const storeName = "store"

// CacheName is the name of the store that is the cache.
const CacheName = "cache"

// MaxStores is how many independent stores there can be; see [Client.Stores].
const MaxStores = 7

// StoreNames are the names of the stores, in the order of their numbers.
func StoreNames() []string { return storeNames }

var storeNames = func() []string {
	names := []string{storeName, CacheName}
	for i := range MaxStores {
		names = append(names, fmt.Sprint(storeName, i+1))
	}
	return names
}()

// Independent reports whether a store, given by its name, is one of those of [Client.Stores].
func Independent(store string) bool { return store != storeName && store != CacheName }

// Stores returns n independent stores, 1 to MaxStores, each with a clock and faults of
// its own: for a lock that a majority of them grants. They are the same for every
// process, and others than Store and Cache. To ask them at the same time, spawn a process
// for each.
func (c *Client) Stores(n int) []*Store {
	if n < 1 || n > MaxStores {
		c.run.misuse("Stores: %d of them; there can be 1 to %d", n, MaxStores)
	}
	stores := make([]*Store, n)
	for i := range stores {
		stores[i] = &Store{c, storeNames[2+i]}
	}
	return stores
}

// Store is a Redis-like keyspace. Its operations have the replies of Redis; each
// takes effect atomically at one instant within its latency. Their errors are
// ErrRefused, ErrTimeout and ErrCancelled.
type Store struct {
	c    *Client
	name string
}

type setOptions struct {
	mode model.SetMode
	ttl  time.Duration
	px   bool
	at   Timestamp
	// longest is the longest age that the time by the store's clock is compared with.
	longest time.Duration
	// session is that to which the entry is bound, if there is one.
	session string
}

// SetOption is an option of Set and SetXX.
type SetOption func(*setOptions)

// PX gives the key a TTL, which must be positive.
func PX(ttl time.Duration) SetOption {
	return func(o *setOptions) { o.ttl, o.px = ttl, true }
}

// KeepTTL lets the key keep the TTL that it has. Without it, and without PX, the
// key has none afterwards.
func KeepTTL() SetOption {
	return func(o *setOptions) { o.mode |= model.KeepTTL }
}

// At lets the entry carry a time; see [Client.Now].
func At(t Timestamp) SetOption {
	return func(o *setOptions) { o.at = t }
}

// Get returns what is under the key, and whether there is anything.
func (s *Store) Get(key string) (Value, bool, error) {
	r := s.do(Call{Kind: model.Get, Key: key})
	if r.Observation.Code() != model.Found {
		return Value{}, false, r.failure()
	}
	return Value{s.c.hold(r.Observation.Register(), true)}, true, nil
}

// GetStamped is Get, and returns the time that the entry carries, too; zero if it
// carries none.
func (s *Store) GetStamped(key string) (Value, Timestamp, bool, error) {
	r := s.do(Call{Kind: model.GetStamped, Key: key})
	if r.Observation.Code() != model.Found {
		return Value{}, Timestamp{}, false, r.failure()
	}
	v := Value{s.c.hold(r.Observation.Register(), true)}
	if at, ok := r.Observation.Stamp(); ok {
		return v, Timestamp{s.c.holdTime(at)}, true, nil
	}
	return v, Timestamp{}, true, nil
}

// Set stores the value under the key.
func (s *Store) Set(key string, v Value, options ...SetOption) error {
	_, err := s.set(key, v, setOptions{}, options)
	return err
}

// SetNX stores the value only if there is nothing under the key, and reports
// whether it did. A ttl of 0 means none.
func (s *Store) SetNX(key string, v Value, ttl time.Duration, options ...SetOption) (bool, error) {
	return s.set(key, v, setOptions{mode: model.IfAbsent, ttl: ttl}, options)
}

// SetXX stores the value only if there is something under the key, and reports
// whether it did.
func (s *Store) SetXX(key string, v Value, options ...SetOption) (bool, error) {
	return s.set(key, v, setOptions{mode: model.IfPresent}, options)
}

func (s *Store) set(key string, v Value, o setOptions, options []SetOption) (bool, error) {
	name := "Set"
	switch {
	case o.mode&model.IfAbsent != 0:
		name = "SetNX"
	case o.mode&model.IfPresent != 0:
		name = "SetXX"
	}
	for _, option := range options {
		option(&o)
	}
	if o.ttl < 0 || o.px && o.ttl == 0 {
		s.c.run.misuse("%s %s: a TTL of %s; the server refuses a TTL that is not positive: leave PX away, or give SetNX a TTL of 0, for none", name, key, o.ttl)
	}
	if o.px && o.mode&model.KeepTTL != 0 {
		s.c.run.misuse("%s %s: KeepTTL and PX exclude each other", name, key)
	}
	call := Call{Kind: model.Set, Key: key, Arg: s.c.argument(v.id, name+" "+key), Mode: o.mode, TTL: o.ttl, hasArg: true}
	call.Session = o.session
	if o.at.id != 0 {
		call.stamp = uint8(s.c.argument(o.at.id, name+" "+key)) + 1
	}
	if o.longest != 0 {
		if o.at.id != 0 || o.longest < 0 {
			s.c.run.misuse("%s %s: %v", name, key, errDated)
		}
		call.stamp, call.Age = model.StampNow, o.longest
	}
	return s.do(call).done()
}

// Del deletes the key, whatever is under it, and reports whether there was
// anything.
func (s *Store) Del(key string) (bool, error) {
	return s.do(Call{Kind: model.Delete, Key: key}).done()
}

// PExpire restarts the TTL of the key and reports whether the key is there. A
// ttl of 0 or less deletes the key.
func (s *Store) PExpire(key string, ttl time.Duration) (bool, error) {
	return s.do(Call{Kind: model.PExpire, Key: key, TTL: ttl}).done()
}

// Incr adds one to the counter under the key, which starts at 0, and returns it: a
// value that is equal to the counter, and older than later ones (see [Older]). It
// is misuse if the key holds something else.
func (s *Store) Incr(key string) (Value, error) {
	r := s.do(Call{Kind: model.Increment, Key: key})
	if err := r.failure(); err != nil {
		return Value{}, err
	}
	if r.Observation.Code() != model.Found {
		s.c.run.misuse("Incr %s: the key holds no counter", key)
	}
	return Value{s.c.hold(r.Observation.Register(), true)}, nil
}

// Push adds an element to the list under the key. The elements of a list are all alike,
// as signals are. It is misuse if the key holds something else.
func (s *Store) Push(key string) error {
	return s.list("Push", Call{Kind: model.Push, Key: key}).failure()
}

// Pop takes an element from the list under the key, and reports whether there was one.
func (s *Store) Pop(key string) (bool, error) {
	return s.list("Pop", Call{Kind: model.Pop, Key: key}).done()
}

// BlockingPop is Pop, but if there is no element it waits at the store, for timeout at
// most (0: without end), and gets one in the step that adds it if it has waited longest.
// It reports whether it has got one. It returns ErrStopped or ErrCancelled if that comes
// first.
func (s *Store) BlockingPop(key string, timeout time.Duration) (bool, error) {
	if timeout < 0 {
		s.c.run.misuse("BlockingPop %s: the timeout %s is negative; write 0 to wait without end", key, timeout)
	}
	r := s.list("BlockingPop", Call{Kind: model.BlockingPop, Key: key, TTL: timeout})
	if r.Observation.Code() == model.Stopped {
		return false, ErrStopped
	}
	return r.done()
}

func (s *Store) list(name string, call Call) Reply {
	r := s.do(call)
	if r.Observation.Code() == model.Refused {
		s.c.run.misuse("%s %s: the key holds no list", name, call.Key)
	}
	return r
}

// WaitReplicas waits until k replicas of the store have everything that was written to it
// before, for timeout at most, which must be positive, and reports whether they have. It
// does not say which, nor which of them takes over in a failover. If that happens
// meanwhile it returns ErrRefused. How many replicas there are is up to the scenario
// (--replicas).
func (s *Store) WaitReplicas(k int, timeout time.Duration) (bool, error) {
	if k < 1 || k > model.MaxReplicas || timeout <= 0 {
		s.c.run.misuse("WaitReplicas: %d replicas and a timeout of %s; it waits for 1 to %d, and a positive time", k, timeout, model.MaxReplicas)
	}
	r := s.do(Call{Kind: model.WaitReplicas, Among: k, TTL: timeout})
	if r.Observation.Code() == model.Stopped {
		return false, ErrStopped
	}
	return r.done()
}

// Ownership is the reply of the operations that compare before they act.
type Ownership int

const (
	// Mine: the key held the value, and the operation was done.
	Mine Ownership = iota
	// NotMine: the key held another value.
	NotMine
	// Gone: there was nothing under the key.
	Gone
	// Unknown: there was an error; nothing is known.
	Unknown
)

func (r Reply) ownership() (Ownership, error) {
	switch r.Observation.Code() {
	case model.Done:
		return Mine, nil
	case model.Missing:
		return Gone, nil
	case model.NotMine:
		return NotMine, nil
	}
	return Unknown, r.failure()
}

// DelIfEqual deletes the key if it holds the value, in one atomic step (as a
// script does).
func (s *Store) DelIfEqual(key string, v Value) (Ownership, error) {
	r := s.do(Call{Kind: model.DeleteIfEqual, Key: key, Arg: s.c.argument(v.id, "DelIfEqual "+key), hasArg: true})
	return r.ownership()
}

// ExpireIfEqual restarts the TTL of the key if it holds the value, in one atomic
// step (as a script does). A ttl of 0 or less deletes the key.
func (s *Store) ExpireIfEqual(key string, v Value, ttl time.Duration) (Ownership, error) {
	r := s.do(Call{Kind: model.ExpireIfEqual, Key: key, Arg: s.c.argument(v.id, "ExpireIfEqual "+key), TTL: ttl, hasArg: true})
	return r.ownership()
}

// Remaining is the reply of PTTL.
type Remaining int

const (
	// Absent: there is nothing under the key.
	Absent Remaining = iota
	// NoTTL: the key has no TTL.
	NoTTL
	// Below: what is left of the TTL is less than the constant.
	Below
	// NotBelow: it is not.
	NotBelow
)

// PTTL compares what is left of the key's TTL with a constant. At the very
// instant where they are equal both replies are possible, since events at one
// instant happen in every order.
func (s *Store) PTTL(key string, limit time.Duration) (Remaining, error) {
	if limit < 0 {
		s.c.run.misuse("PTTL %s: the constant %s is negative", key, limit)
	}
	r := s.do(Call{Kind: model.PTTL, Key: key, TTL: limit})
	switch r.Observation.Code() {
	case model.NoTTL:
		return NoTTL, nil
	case model.Below:
		return Below, nil
	case model.NotBelow:
		return NotBelow, nil
	}
	return Absent, r.failure()
}

func (s *Store) do(call Call) Reply {
	call.Store = s.name
	return s.c.do(call)
}

// Source is the database behind the cache.
type Source struct{ c *Client }

// Read returns a value computed from the current version of the source.
func (s *Source) Read() (Value, error) { return s.read("") }

// ReadFor is Read by who says for which key of the cache: so that a property can tell whether
// the value is stored under another, or answers a request for another (see [FreshFor]). Values
// that are for different keys are different. The source has one version for all of them.
func (s *Source) ReadFor(key string) (Value, error) {
	if key == "" {
		s.c.run.misuse("Source.ReadFor: the key is empty")
	}
	return s.read(key)
}

func (s *Source) read(key string) (Value, error) {
	r := s.c.do(Call{Kind: model.SourceRead, For: key})
	if err := r.failure(); err != nil {
		return Value{}, err
	}
	return Value{s.c.hold(r.Observation.Register(), true)}, nil
}

// Update changes the source and returns a value computed from its new version.
func (s *Source) Update() (Value, error) {
	r := s.c.do(Call{Kind: model.SourceUpdate})
	if r.Observation.Code() != model.Found {
		return Value{}, r.ended()
	}
	return Value{s.c.hold(r.Observation.Register(), true)}, nil
}

// UpdateIf is Update, done only if the value was computed from the current version: a
// conditional update, a column with a version. done reports whether it was.
func (s *Source) UpdateIf(v Value) (updated Value, done bool, err error) {
	r := s.c.do(Call{Kind: model.SourceUpdate, Arg: s.c.argument(v.id, "Source.UpdateIf"), hasArg: true})
	if r.Observation.Code() != model.Found {
		return Value{}, false, r.ended()
	}
	return Value{s.c.hold(r.Observation.Register(), true)}, true, nil
}

// Begin begins a transaction that changes the source and returns a value computed from the
// version that it will have. Others see it from Commit on; until then whoever else would
// change the source waits. A process has one transaction at a time; it is rolled back if
// the process returns, starts over, or is gone with its node.
func (s *Source) Begin() (Value, error) {
	r := s.c.do(Call{Kind: model.SourceWrite})
	if r.Observation.Code() != model.Found {
		return Value{}, r.ended()
	}
	return Value{s.c.hold(r.Observation.Register(), true)}, nil
}

// Commit ends the transaction: what it has changed is seen from then on.
func (s *Source) Commit() error { return s.end("Commit", model.SourceCommit) }

// Rollback ends the transaction, and nothing has changed.
func (s *Source) Rollback() error { return s.end("Rollback", model.SourceRollback) }

func (s *Source) end(name string, kind model.OperationKind) error {
	r := s.c.do(Call{Kind: kind})
	if r.Observation.Code() == model.Refused {
		s.c.run.misuse("Source.%s: the process has no transaction", name)
	}
	return r.failure()
}

// ended is failure for an operation that may have waited.
func (r Reply) ended() error {
	if r.Observation.Code() == model.Stopped {
		return ErrStopped
	}
	return r.failure()
}

// Rebuild computes the value to cache: it reads the source and then computes for
// a time within the range.
func (c *Client) Rebuild(took Range) (Value, error) {
	c.valid("Rebuild", took)
	v, err := c.Source.Read()
	return c.computed(took, v, err)
}

// RebuildFor is Rebuild by who says for which key of the cache; see [Source.ReadFor].
func (c *Client) RebuildFor(key string, took Range) (Value, error) {
	c.valid("RebuildFor", took)
	v, err := c.Source.ReadFor(key)
	return c.computed(took, v, err)
}

// computed is the second part of a rebuild, if the first has not failed.
func (c *Client) computed(took Range, v Value, err error) (Value, error) {
	if err != nil {
		return Value{}, err
	}
	if err := c.Compute(took); err != nil {
		return Value{}, err
	}
	return v, nil
}

// Compute is the second part of a rebuild: work that takes a time within the
// range. For protocols that do something between it and the read of the source. It
// returns ErrRefused if the rebuild fails. It can be made to panic, with a *[PanicError],
// and to end the goroutine, as runtime.Goexit does. Deferred calls run then. A request
// that panics ends, as under net/http; the panic of a spawned process, if that does not
// recover from it, ends its node.
func (c *Client) Compute(took Range) error {
	c.valid("Compute", took)
	r := c.do(Call{Kind: model.Compute, Span: took})
	switch r.Observation.Code() {
	case model.Panicked:
		panic(&PanicError{Value: "the computing of a value panicked", fault: true})
	case model.Exited:
		c.run.exit()
	}
	return r.failure()
}
