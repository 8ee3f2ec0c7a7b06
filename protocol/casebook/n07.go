package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "N-07", Rank: 109, Kind: NegativeControl,
		Title: "A laptop sleeps longer than its lease, and its scheduler exits",
		Lesson: `A scheduler renews its lease every few seconds. The laptop sleeps for a minute, another
one takes the lease, and after waking up the first one finds at its next renewal that it is
not the owner, and exits. That is no fault: the renewal compares the owner, so that nobody
else's lease is touched. It is one if it acts before that renewal, and to look first leaves
a gap between the look and the act. Only an act that compares the owner itself has none.`,
		Sources: []string{"https://github.com/sibson/redbeat/issues/218", "https://github.com/sibson/redbeat/issues/230"},
		Checks: []Check{
			{
				Shows: "the renewal after the sleep", Property: checks.NoForeignRenewal(),
				After: sleeper{}, World: world(2, 0, faults.Pause(1, 60*time.Second)), Unrepaired: checks.MutualExclusion(),
			},
			{
				Shows: "it acts before it renews", Property: checks.WriteUnderLease(),
				Before: sleeper{Acts: "first"}, After: sleeper{Acts: "as owner"},
				World: world(2, 0, faults.Pause(1, 60*time.Second)), Faults: 1, Steps: 7,
			},
			{
				Shows: "it acts after it has renewed", Property: checks.WriteUnderLease(),
				Before: sleeper{Acts: "renewed"}, After: sleeper{Acts: "as owner"},
				World: world(2, 0, faults.Pause(1, 60*time.Second)), Faults: 1, Steps: 8,
			},
		},
	})
}

// sleeper has its schedule in the store in which the lease is.
type sleeper struct {
	Acts string `default:"not" choices:"not,first,renewed,as owner"`
}

func (p sleeper) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, sleeperLease); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	due, err := c.Source.Read()
	for err == nil {
		c.Checkpoint(token, due)
		c.Sleep(5 * time.Second)
		if p.Acts == "first" {
			c.Store.Set("schedule", due)
		}
		if p.Acts == "as owner" {
			owner, err := protocol.Atomic(c.Store, tick{due, token}, renewAndAct)
			if err != nil || !owner {
				break
			}
			continue
		}
		got, err := c.Store.ExpireIfEqual("lock", token, sleeperLease)
		if err != nil || got != protocol.Mine {
			break
		}
		if p.Acts == "renewed" {
			c.Store.Set("schedule", due)
		}
	}
	c.Releasing("lock")
	return protocol.Empty()
}

const sleeperLease = 25 * time.Second

type tick struct {
	Due   protocol.Value
	Token protocol.Token
}

func renewAndAct(v *protocol.View, t tick) bool {
	if holder, ok := v.Get("lock"); !ok || holder != t.Token {
		return false
	}
	v.Set("schedule", t.Due)
	return v.PExpire("lock", sleeperLease)
}
