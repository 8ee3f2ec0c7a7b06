package protocol

import (
	"time"

	"lockstep/model"
)

// Watch tells its process of changes under keys, or of messages in a channel, from the
// instant at which it took effect: what came before it never sees. A change is any
// accepted write, even of an equal value, any renewal, and, unless
// [Store.WatchWrites] made it, an expiry.
type Watch struct {
	c  *Client
	id uint32
	// store is that of its keys.
	store string
}

// Watch watches keys, up to the first [Exec] or Close: WATCH of Redis before 6.0.9, a
// watch of a consensus store.
func (s *Store) Watch(keys ...string) (*Watch, error) { return s.c.watch(s.name, keys, 0) }

// WatchWrites is Watch, but an expiry is no change: WATCH of Redis from 6.0.9 on.
func (s *Store) WatchWrites(keys ...string) (*Watch, error) {
	return s.c.watch(s.name, keys, model.WithoutExpiry)
}

// Subscribe watches a channel. A message that is published before the subscription
// has taken effect is lost for it, and so is one that is published while its node
// cannot reach the store.
func (s *Store) Subscribe(channel string) (*Watch, error) {
	return s.c.watch(s.name, []string{channelKey(channel)}, 0)
}

// Publish sends a message to all who have subscribed to the channel, and reports
// whether it has reached anyone.
func (s *Store) Publish(channel string) (bool, error) {
	return s.do(Call{Kind: model.Publish, Key: channelKey(channel)}).done()
}

// channelKey tells channels from keys.
func channelKey(channel string) string { return "channel:" + channel }

func (c *Client) watch(store string, keys []string, mode model.SetMode) (*Watch, error) {
	if len(keys) == 0 {
		c.run.misuse("Watch: there is no key")
	}
	r := c.do(Call{Kind: model.StartWatch, Store: store, Keys: keys, Mode: mode})
	if err := r.failure(); err != nil {
		return nil, err
	}
	return &Watch{c, c.hold(r.Observation.Register(), false), store}, nil
}

// Wait waits for the first change since the watch took effect, or since it last told of
// one: it returns at once if there has been one. Changes that follow each other are told
// of once. It returns ErrStopped or ErrCancelled if that comes first.
func (w *Watch) Wait() error {
	_, err := w.wait(Range{Max: model.Unbounded})
	return err
}

// WaitWithin is Wait, but waits for d at most; it reports whether there was a change.
// With a d of 0 it looks whether there has been one.
func (w *Watch) WaitWithin(d time.Duration) (bool, error) {
	w.c.valid("Watch.WaitWithin", model.Exactly(d))
	return w.wait(model.Exactly(d))
}

func (w *Watch) wait(span Range) (bool, error) {
	r := w.c.do(Call{Kind: model.AwaitWatch, Store: w.store, Arg: w.c.argument(w.id, "Watch.Wait"), Span: span, hasArg: true})
	if r.Observation.Code() == model.Stopped {
		return false, ErrStopped
	}
	return r.done()
}

// Close ends the watch.
func (w *Watch) Close() error {
	return w.c.do(Call{Kind: model.EndWatch, Store: w.store, Arg: w.c.argument(w.id, "Watch.Close"), hasArg: true}).failure()
}

// Exec is [Atomic] on the store of the watch, done only if the watch has seen no change:
// what MULTI and EXEC do. done reports whether it was. The watch ends, either way.
func Exec[A, R any](w *Watch, args A, fn func(*View, A) R) (result R, done bool, err error) {
	c := w.c
	if w.store == MemoryName {
		c.run.misuse("Exec: the memory of a node has no transactions; lock a mutex")
	}
	call := scriptCall(&Store{c, w.store}, args, fn)
	call.Arg, call.hasArg = c.argument(w.id, "Exec"), true
	r := c.do(call)
	if r.Observation.Code() == model.Refused || r.failure() != nil {
		return result, false, r.failure()
	}
	return scriptResult[R](c, r), true, nil
}

func (w *Watch) handle() uint32 { return w.id }
