package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "N-01", Rank: 102, Kind: NegativeControl,
		Title: "A release and a blocking pop do not deadlock",
		Lesson: `It was claimed that a release which adds a signal and then deletes the lock can wake a
waiter in between, which finds the lock still there and waits for ever. The release is a
script, and so it is one step: nothing comes in between. As three commands it does happen,
as the check of the split release shows.`,
		Sources: []string{"https://github.com/ionelmc/python-redis-lock/issues/27"},
		Checks: []Check{
			{
				Shows:    "a release that is one step, split",
				Property: checks.Answered(),
				Before:   signalled{},
				After:    signalled{Atomic: true},
				World:    world(3, 0),
				Steps:    9,
			},
		},
	})
}

// signalled: a release clears the list of signals,
// adds one and deletes the lock; a waiter is said to be woken between the two last, to
// find the lock still there, and to wait for ever. The release is a script, and so one
// step. As three steps it does happen.
type signalled struct{ Atomic bool }

func (p signalled) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX(lock, token, 0); err != nil || !ok {
		c.Store.BlockingPop("signal", 0)
		return protocol.Again()
	}
	c.Acquired(lock)
	c.Sleep(time.Second)
	c.Releasing(lock)
	if p.Atomic {
		protocol.Atomic(c.Store, token, releaseAndSignal)
		return protocol.Empty()
	}
	if holder, ok, err := c.Store.Get(lock); err != nil || !ok || holder != token {
		return protocol.Failed()
	}
	c.Store.Del("signal")
	c.Store.Push("signal")
	c.Store.Del(lock)
	return protocol.Empty()
}

func releaseAndSignal(v *protocol.View, token protocol.Token) bool {
	if holder, ok := v.Get(lock); !ok || holder != token {
		return false
	}
	v.Del("signal")
	v.Push("signal")
	return v.Del(lock)
}
