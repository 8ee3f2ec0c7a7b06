package checks_test

import (
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func TestReportedWaysInWhichSharedWorkBreaksAndItsFixes(t *testing.T) {
	onOneNode := func(s *checks.Scenario) {
		inWorld(1, 0, faults.Cancel(1))(s)
		s.Requests = 2
	}
	runAll(t, []reported{
		{
			id: "S-01", lesson: "the first caller hangs up",
			property: isolated(),
			before:   joined{}, after: joined{Fix: "detached"},
			scenario: onOneNode, faults: 1, steps: 6,
		},
		{
			id: "S-01", lesson: "another one takes over",
			property: isolated(),
			before:   joined{}, after: joined{Fix: "again"},
			scenario: onOneNode, faults: 1, steps: 6,
		},
	})
}

// joined is case S-01: requests of a node share one load, which runs under the context of
// the request that came first. If that is cancelled they all fail. The load must not
// depend on one of them; or whoever finds that it was cancelled, and is not itself, starts
// anew.
type joined struct{ Fix string }

func (p joined) Handle(c *protocol.Client) protocol.Answer {
	v, err, shared := c.Do(feed, func() (v protocol.Value, err error) {
		load := func() { v, err = c.Rebuild(quick) }
		if p.Fix == "detached" {
			c.WithoutCancel(load)
		} else {
			load()
		}
		return v, err
	})
	switch {
	case err == nil:
		return protocol.Fresh(v)
	case p.Fix == "again" && shared && c.Sleep(10*time.Millisecond) == nil:
		return protocol.Again()
	}
	c.Acquired(failure)
	c.Sleep(0)
	c.Releasing(failure)
	return protocol.Failed()
}
