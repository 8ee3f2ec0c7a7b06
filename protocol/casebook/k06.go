package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	cut := faults.Partition(1, 30*time.Second)
	add(Case{
		ID: "K-06", Rank: 15, Kind: ConsensusLock,
		Title: "A lock delay that is shorter than the stop takes",
		Lesson: `When a session ends without a release the store keeps its lock from everybody for a
while, so that the holder can notice and stop. That is a margin and no guarantee: it must
exceed all that the holder needs, from the end of its session to the end of its work, which
takes a deadline by its own clock, as the store cannot reach it. Where nothing bounds the
stop, the number of the holder must be compared where it writes.`,
		Sources: []string{
			"https://github.com/hashicorp/consul/issues/1843",
			"https://github.com/hashicorp/consul/issues/9788",
			"https://devmahmud.github.io/distributed-systems-field-guide/docs/chubby/locks-sequencers-and-lock-delays",
		},
		Checks: []Check{
			{
				Shows: "it takes longer to stop than the delay", Property: checks.MutualExclusion(),
				Before: delayedLock{Delay: 5 * time.Second, Stop: 8 * time.Second}, After: delayedLock{Delay: 5 * time.Second, Stop: 3 * time.Second},
				World: world(2, 0, cut), Faults: 1, Steps: 22,
			},
			{
				Shows: "no delay", Property: checks.MutualExclusion(),
				Before: delayedLock{Stop: 3 * time.Second}, After: delayedLock{Delay: 5 * time.Second, Stop: 3 * time.Second},
				World: world(2, 0, cut), Faults: 1, Steps: 20,
			},
			{
				Shows: "the number of the holder", Property: checks.NoStaleOverwrite(),
				Before: delayedLock{Delay: 5 * time.Second, Stop: 8 * time.Second, Writes: "as it is"},
				After:  delayedLock{Delay: 5 * time.Second, Stop: 8 * time.Second, Writes: "with its number"},
				World:  world(2, 1, cut), Faults: 1, Steps: 17,
				Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// delayedLock holds a lock that is bound to a session of ten seconds, which it keeps alive
// once. The store refuses the lock to others for Delay after the session has ended, and the
// holder, whose session it takes for lost after ten seconds, has ended its work within Stop.
type delayedLock struct {
	Delay, Stop time.Duration
	// Writes says how it writes what it has read under the lock, if it does.
	Writes string
}

const delayedSession = 10 * time.Second

func (p delayedLock) Handle(c *protocol.Client) protocol.Answer {
	lease := delayedLease{c.NewToken(), p.Delay}
	lost := c.Deadline(delayedSession)
	if ok, err := protocol.Atomic(c.Store, lease, delayedAcquire); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	number, v, err := p.read(c)
	if err != nil {
		return protocol.Failed()
	}
	c.Sleep(3 * time.Second)
	alive := false
	c.Within(time.Second, func() { alive, _ = protocol.Atomic(c.Store, lease, delayedKeepAlive) })
	if alive {
		p.write(c, v, number)
		c.Releasing("lock")
		protocol.Atomic(c.Store, lease, delayedRelease)
		return protocol.Empty()
	}
	for !lost.Passed() {
		c.Checkpoint(lost, v, number)
		c.Sleep(time.Second)
	}
	c.SleepBetween(0, p.Stop)
	p.write(c, v, number)
	c.Releasing("lock")
	return protocol.Empty()
}

// read gets a number, which is higher than that of any holder before, announces it to the
// resource and reads the source.
func (p delayedLock) read(c *protocol.Client) (number, v protocol.Value, err error) {
	if p.Writes == "" {
		return number, v, nil
	}
	if p.Writes == "with its number" {
		if number, err = c.Store.Incr("number"); err != nil {
			return number, v, err
		}
		if ok, err := c.Cache.Announce("state", number); err != nil || !ok {
			return number, v, protocol.ErrRefused
		}
	}
	v, err = c.Source.Read()
	return number, v, err
}

func (p delayedLock) write(c *protocol.Client, v, number protocol.Value) {
	switch p.Writes {
	case "as it is":
		c.Cache.Set("state", v)
	case "with its number":
		c.Cache.SetFenced("state", v, number)
	}
}

type delayedLease struct {
	Token protocol.Token
	Delay time.Duration
}

// delayedAcquire begins the session, and takes the lock, which others are refused for as
// long as the session lives, and the delay after that.
func delayedAcquire(v *protocol.View, l delayedLease) bool {
	return v.SetNX("lock", l.Token, delayedSession+l.Delay) && v.SetNX("session", l.Token, delayedSession)
}

func delayedKeepAlive(v *protocol.View, l delayedLease) bool {
	holder, ok := v.Get("session")
	return ok && holder == l.Token && v.PExpire("session", delayedSession) && v.PExpire("lock", delayedSession+l.Delay)
}

// delayedRelease is a release that is not for want of contact: there is no delay.
func delayedRelease(v *protocol.View, l delayedLease) bool {
	holder, ok := v.Get("session")
	return ok && holder == l.Token && v.Del("session") && v.Del("lock")
}
