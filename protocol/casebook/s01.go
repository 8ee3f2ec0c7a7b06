package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "S-01", Rank: 6, Kind: SingleFlight,
		Title: "One caller is cancelled, all fail",
		Lesson: `Requests of a node share one load, which runs in the context of the one that came first.
That is cancelled, and with it all others get its error. The load must run in a context of
its own, or the others must start it again.`,
		Sources: []string{"https://github.com/authzed/spicedb/pull/925", "https://github.com/buildbuddy-io/buildbuddy/pull/7199", "https://github.com/trufflesecurity/trufflehog/pull/4314"},
		Checks: []Check{
			{
				Shows:    "the first caller hangs up",
				Property: checks.IsolatedFailures(),
				Before:   joined{},
				After:    joined{Fix: "detached"},
				World:    world(1, 0, faults.Cancel(1)).requests(2),
				Faults:   1,
				Steps:    6,
			},
			{
				Shows:    "another one takes over",
				Property: checks.IsolatedFailures(),
				Before:   joined{},
				After:    joined{Fix: "again"},
				World:    world(1, 0, faults.Cancel(1)).requests(2),
				Faults:   1,
				Steps:    6,
			},
		},
	})
}

// joined: requests of a node share one load, which runs under the context of
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
	return protocol.Failed()
}
