package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "F-02", Rank: 28, Kind: Fencing,
		Title: "A random id in the place of a fencing number",
		Lesson: `A lock record carries a fresh random id, and the holder attaches it to its writes. The
resource can tell ids apart and cannot order them: if it accepts whichever it saw last, a
holder that was paused writes over the newer one. Only a number that grows with each change
of owner, given out in the step that changes the owner, can be compared.`,
		Sources: []string{
			"https://github.com/awslabs/amazon-dynamodb-lock-client/issues/1",
			"https://github.com/awslabs/amazon-dynamodb-lock-client/issues/62",
		},
		Checks: []Check{
			{
				Shows: "the last one seen wins", Property: checks.NoStaleOverwrite(),
				Before: randomFence{}, After: randomFence{Fixed: true},
				World: world(2, 1, faults.Pause(1, 12*time.Second)), Faults: 1, Steps: 12, Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// randomFence works under a lock of 10 s and attaches to what it writes its token, or a number.
type randomFence struct{ Fixed bool }

func (p randomFence) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 10*time.Second); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	var fence protocol.Value
	if p.Fixed {
		var err error
		if fence, err = c.Store.Incr("fence"); err == nil {
			_, err = c.Cache.Announce("row", fence)
		}
		if err != nil {
			return protocol.Failed()
		}
	}
	v, err := c.Rebuild(protocol.Range{Max: time.Second})
	switch {
	case err != nil:
	case p.Fixed:
		c.Cache.SetFenced("row", v, fence)
	default:
		protocol.Atomic(c.Cache, ticketed{token, v}, storeWithID)
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

// storeWithID keeps the id that it saw last.
func storeWithID(v *protocol.View, w ticketed) bool {
	v.Set("id", w.Ticket)
	v.Set("row", w.Value)
	return true
}
