package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "K-01", Rank: 31, Kind: ConsensusLock,
		Title: "Told to hold a lock that is gone",
		Lesson: `Clients queue up with keys that live as long as their leases; whoever is first holds the
lock. A waiter whose own lease has ended is told that its predecessor has gone, and believes
to hold the lock, without a key. It must look at its own key again, together with the
question who is first, in one step.`,
		Sources: []string{"https://github.com/etcd-io/etcd/issues/11456", "https://jepsen.io/blog/2020-01-30-etcd-3.4.3", "https://github.com/etcd-io/etcd/pull/11490"},
		Checks: []Check{
			{
				Shows:      "told so without a look",
				Property:   checks.HonestStatus(),
				Before:     queue{Poll: every(time.Second)},
				After:      queue{Fixed: true, Poll: every(time.Second)},
				World:      world(2, 0, faults.Pause(1, 12*time.Second)),
				Faults:     1,
				Steps:      10,
				Unrepaired: checks.MutualExclusion(),
			},
			{
				Shows:    "a waiter that is slow",
				Property: checks.MutualExclusion(),
				Before:   queue{Poll: slow},
				After:    queue{Fixed: true, Poll: slow},
				World:    world(3, 0),
				Steps:    9,
			},
		},
	})
}

func every(d time.Duration) protocol.Range { return protocol.Range{Min: d, Max: d} }

// slow is the poll of a waiter that may sleep for longer than its lease.
var slow = protocol.Range{Min: time.Second, Max: 12 * time.Second}

const leaseTTL = 10 * time.Second

// queue: each client has a key with a lease, and the one whose key is older
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
