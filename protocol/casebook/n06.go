package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "N-06", Rank: 108, Kind: NegativeControl,
		Title: "Subscribe, try again, then wait: no wake-up is lost",
		Lesson: `A waiter that was refused subscribes to the message of the release, and the report fears
a release just before the subscription, after which nobody tells it. But it tries once more
when it has subscribed: a release before that is seen by the second try, one after it comes
as a message. That is as good as messages are. Where one can be lost, or the holder can die
without a release, the wait needs a bound after which it tries again.`,
		Sources: []string{"https://github.com/redisson/redisson/issues/5070"},
		Checks: []Check{
			{
				Shows: "no message is lost", Property: checks.Answered(),
				After: triesTwice{}, World: world(2, 0),
			},
			{
				Shows: "messages can be lost", Property: checks.Answered(),
				Before: triesTwice{}, After: triesTwice{Bound: 5 * time.Second},
				World: world(2, 0, faults.LostMessage(1)), Faults: 1, Steps: 6,
			},
		},
	})
}

type triesTwice struct{ Bound time.Duration }

func (p triesTwice) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 0); err == nil && ok {
		return p.work(c, token)
	}
	released, err := c.Store.Subscribe("released")
	if err != nil {
		return protocol.Failed()
	}
	if ok, err := c.Store.SetNX("lock", token, 0); err == nil && ok {
		return p.work(c, token)
	}
	if p.Bound > 0 {
		released.WaitWithin(p.Bound)
	} else {
		released.Wait()
	}
	return protocol.Again()
}

func (p triesTwice) work(c *protocol.Client, token protocol.Token) protocol.Answer {
	c.Acquired("lock")
	c.Sleep(time.Second)
	c.Releasing("lock")
	protocol.Atomic(c.Store, token, unlockAndPublish)
	return protocol.Empty()
}

func unlockAndPublish(v *protocol.View, token protocol.Token) bool {
	if holder, ok := v.Get("lock"); !ok || holder != token {
		return false
	}
	v.Publish("released")
	return v.Del("lock")
}
