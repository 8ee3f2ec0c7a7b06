package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "F-01", Rank: 1, Kind: Fencing,
		Title: "A late write of a paused holder",
		Lesson: `The holder of a lease pauses, the lease passes on, a newer value is written, and then the
first one wakes and writes over it. Looking at the clock before the write does not help,
since the pause may come after the look. The resource must refuse a write whose fencing
number is lower than the highest that it knows, and it must learn the number of a new holder
before that reads.`,
		Differs: `A fence that the resource compares on each write is taken to be the repair. It is not where
what is written was read elsewhere: a holder that is paused before it reads, and then reads
what is newer, writes first, and the later holder, whose number is higher, writes what is
older. The checker is right; the fence must be announced before the read.`,
		Sources: []string{"https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html", "https://github.com/etcd-io/etcd/issues/10811", "https://github.com/redisson/redisson/issues/3636"},
		Checks: []Check{
			{
				Shows:      "no guard",
				Property:   checks.NoStaleOverwrite(),
				Before:     guarded{Guard: "none"},
				After:      guarded{Guard: "read and write"},
				World:      world(2, 1, faults.Pause(1, 12*time.Second)),
				Faults:     1,
				Steps:      12,
				Unrepaired: checks.MutualExclusion(),
			},
			{
				Shows:    "a look at the clock",
				Property: checks.NoStaleOverwrite(),
				Before:   guarded{Guard: "clock"},
				After:    guarded{Guard: "read and write"},
				World:    world(2, 1, faults.Pause(1, 12*time.Second)),
				Faults:   1,
				Steps:    16,
			},
			{
				Shows:    "a fence at the write alone",
				Property: checks.NoStaleOverwrite(),
				Before:   guarded{Guard: "write"},
				After:    guarded{Guard: "read and write"},
				World:    world(2, 1, faults.Pause(1, 12*time.Second)),
				Faults:   1,
				Steps:    12,
			},
		},
	})
}

// guarded: a lock with a number that grows with each holder, and
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
