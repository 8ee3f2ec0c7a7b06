package checks_test

import (
	"time"

	"lockstep/protocol"
)

// guarded is cases F-01 and F-03: a lock with a number that grows with each holder, and
// what the resource, the cache, does with it.
//
// F-01: a holder is paused for longer than its lock lives, and writes what it knew over
// what the next one has written. A look at the clock before the write does not help, the
// pause may come after it. The corpus takes a fence that the resource compares on each
// write to be the fix. It is not where what is written was read elsewhere: a holder that
// is paused before it reads, and reads what is newer, writes first, and the later holder,
// whose number is higher, writes what is older. The resource must know the number before
// the holder reads: then who reads later writes later, or not at all. Belief is not
// repaired by any of them.
//
// F-03: the counter is lost (evicted) or goes back (its store fails over), and two
// holders have the same number, which the fence tells apart no more. The number must be
// counted where it is compared, at the resource.
type guarded struct {
	Guard string `default:"none" choices:"none,clock,write,read and write,counted"`
}

func (p guarded) Handle(c *protocol.Client) protocol.Answer {
	var deadline *protocol.Deadline
	if p.Guard == "clock" {
		deadline = c.Deadline(9 * time.Second)
	}
	token := c.NewToken()
	got, err := protocol.Atomic(c.Store, taking{token, p.Guard != "counted"}, take)
	if err != nil || !got.OK {
		return protocol.Stale()
	}
	c.Acquired(lock)
	fence := got.Fence
	switch p.Guard {
	case "counted":
		if fence, err = c.Cache.Incr(feed + ":fence"); err != nil {
			return protocol.Failed()
		}
	case "read and write":
		if first, err := c.Cache.Announce(feed, fence); err != nil || !first {
			return protocol.Stale()
		}
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	switch {
	case err != nil:
		return protocol.Failed()
	case p.Guard == "none", p.Guard == "clock" && !deadline.Passed():
		c.Cache.Set(feed, v)
	case p.Guard != "clock":
		c.Cache.SetFenced(feed, v, fence)
	}
	c.Releasing(lock)
	c.Store.DelIfEqual(lock, token)
	return protocol.Fresh(v)
}

type taking struct {
	Token  protocol.Token
	Counts bool
}

type taken struct {
	OK    bool
	Fence protocol.Value
}

func take(v *protocol.View, t taking) taken {
	got := taken{OK: v.SetNX(lock, t.Token, 10*time.Second)}
	if got.OK && t.Counts {
		got.Fence = v.Incr("counter")
	}
	return got
}

func every(d time.Duration) protocol.Range { return protocol.Range{Min: d, Max: d} }

// slow is the poll of a waiter that may sleep for longer than its lease.
var slow = protocol.Range{Min: time.Second, Max: 12 * time.Second}

const leaseTTL = 10 * time.Second

// queue is case K-01: each client has a key with a lease, and the one whose key is older
// holds the lock; the other waits for that key to go. A waiter that stands still for so
// long that its own key expires is told that it holds the lock when the older one goes.
// Whether one's own key is there is looked at in the same step.
//
// There is room for two, which is enough for three clients. That a holder loses its key
// afterwards and does not know is not repaired.
type queue struct {
	Fixed bool
	Poll  protocol.Range
}

func (p queue) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	at, err := protocol.Atomic(c.Store, token, enter)
	if err != nil || at.Key == "" {
		return protocol.Empty()
	}
	key, ahead := at.Key, at.Ahead
	for waiting := at.Waits; waiting; {
		c.Checkpoint(token, key, ahead)
		c.SleepBetween(p.Poll.Min, p.Poll.Max)
		c.Store.ExpireIfEqual(key, token, leaseTTL)
		if p.Fixed {
			now, err := protocol.Atomic(c.Store, place{key, token, ahead}, turn)
			if err == nil && now == "lost" {
				return protocol.Empty()
			}
			waiting = err != nil || now == "waits"
		} else {
			first, ok, err := c.Store.Get(other(key))
			waiting = err != nil || ok && first == ahead
		}
	}
	c.Acquired(lock)
	c.SleepBetween(time.Second, 2*time.Second)
	c.Releasing(lock)
	c.Store.DelIfEqual(key, token)
	return protocol.Empty()
}

func other(key string) string {
	if key == "queue:a" {
		return "queue:b"
	}
	return "queue:a"
}

type entered struct {
	Key   string
	Waits bool
	Ahead protocol.Token
}

func enter(v *protocol.View, token protocol.Token) entered {
	for _, key := range [...]string{"queue:a", "queue:b"} {
		if v.SetNX(key, token, leaseTTL) {
			ahead, waits := v.Get(other(key))
			return entered{key, waits, ahead}
		}
	}
	return entered{}
}

type place struct {
	Key         string
	Mine, Ahead protocol.Token
}

func turn(v *protocol.View, p place) string {
	if mine, ok := v.Get(p.Key); !ok || mine != p.Mine {
		return "lost"
	}
	if first, ok := v.Get(other(p.Key)); ok && first == p.Ahead {
		return "waits"
	}
	return "mine"
}
