package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-25", Rank: 21, Kind: Waiting,
		Title: "A waiter that subscribes too late",
		Lesson: `Who finds the lock taken subscribes to the message of its release and waits. If the release
comes between the look and the subscription the message is gone, and nobody sends another.
Subscribe first and try once more before waiting; and bound the wait, since a message may
also be lost, or the holder may crash.`,
		Sources: []string{"https://github.com/redisson/redisson/issues/1763", "https://github.com/miintto/redis-lock-py/issues/3", "https://github.com/redisson/redisson/issues/5761"},
		Checks: []Check{
			{
				Shows:    "told before it listens",
				Property: checks.Answered(),
				Before:   notified{},
				After:    notified{Subscribe: "first"},
				World:    world(2, 0),
				Steps:    4,
			},
			{
				Shows:    "a message that is lost",
				Property: checks.Answered(),
				Before:   notified{Subscribe: "first"},
				After:    notified{Subscribe: "first", Fallback: 5 * time.Second},
				World:    world(2, 0, faults.LostMessage(1)),
				Faults:   1,
				Steps:    6,
			},
			{
				Shows:    "a holder that is gone",
				Property: checks.Answered(),
				Before:   notified{Subscribe: "first"},
				After:    notified{Subscribe: "first", Fallback: 5 * time.Second},
				World:    world(2, 0, faults.Crash(1)),
				Faults:   1,
				Steps:    5,
			},
		},
	})
}

// notified: a waiter that subscribes to the message of the release only
// when it has been refused misses a release in between, and waits for ever for a lock
// that is free. It must subscribe first and then try once more; and bound its wait,
// since a message can be lost and a holder can die.
type notified struct {
	Subscribe string `default:"late" choices:"late,first"`
	Fallback  time.Duration
}

func (p notified) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if p.Subscribe == "late" {
		if takes(c, token) {
			return p.work(c, token)
		}
	}
	released, err := c.Store.Subscribe("released")
	if err != nil {
		return protocol.Failed()
	}
	if p.Subscribe == "first" && takes(c, token) {
		return p.work(c, token)
	}
	if p.Fallback > 0 {
		released.WaitWithin(p.Fallback)
	} else {
		released.Wait()
	}
	return protocol.Again()
}

func (p notified) work(c *protocol.Client, token protocol.Token) protocol.Answer {
	c.Sleep(time.Second)
	c.Releasing(lock)
	protocol.Atomic(c.Store, token, releaseAndTell)
	return protocol.Empty()
}

func takes(c *protocol.Client, token protocol.Token) bool {
	ok, err := c.Store.SetNX(lock, token, 10*time.Second)
	if err == nil && ok {
		c.Acquired(lock)
	}
	return err == nil && ok
}

func releaseAndTell(v *protocol.View, token protocol.Token) bool {
	if holder, ok := v.Get(lock); !ok || holder != token {
		return false
	}
	v.Del(lock)
	v.Publish("released")
	return true
}
