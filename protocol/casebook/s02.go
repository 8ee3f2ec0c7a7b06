package casebook

import (
	"errors"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "S-02", Rank: 50, Kind: SingleFlight,
		Title: "The loader panics, and its entry stays",
		Lesson: `Whoever loads enters itself in a table, calls the loader, and then removes the entry and
wakes those who wait. A panic unwinds past the last two: who waits waits for ever, and so
does everybody who finds the entry later, while the server that recovered from the panic
looks well. What completes the entry must be deferred. It gives an error or the panic to
all who wait, so that nobody takes the zero value for a result.`,
		Sources: []string{
			"https://github.com/golang/go/issues/33519", "https://github.com/mailgun/groupcache/issues/38",
			"https://github.com/janos/singleflight/pull/13",
		},
		Checks: []Check{
			{
				Shows: "who finds the entry waits for ever", Property: checks.Answered(),
				Before: panicked{}, After: panicked{Fixed: true},
				World: world(1, 0, faults.Panic(1)).requests(2), Faults: 1, Steps: 4,
			},
		},
	})
}

// panicked has a table of its own: a variable with who loads, and one that changes when
// that is over.
type panicked struct{ Fixed bool }

func (p panicked) Handle(c *protocol.Client) protocol.Answer {
	over := c.Memory.Watch("over")
	if !c.Memory.SetNX("loading", c.NewToken()) {
		if err := over.Wait(); err != nil {
			return protocol.Failed()
		}
		if v, ok := c.Memory.Get("feed"); ok {
			return protocol.Fresh(v)
		}
		return protocol.Failed()
	}
	v, err := p.load(c)
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}

func (p panicked) load(c *protocol.Client) (v protocol.Value, err error) {
	complete := func() {
		c.Memory.Del("loading")
		c.Memory.Incr("over")
	}
	if p.Fixed {
		defer complete()
		defer func() {
			if recover() != nil {
				err = errors.New("the loader panicked")
			}
		}()
	}
	if v, err = c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second}); err == nil {
		c.Memory.Set("feed", v)
	}
	if !p.Fixed {
		complete()
	}
	return v, err
}
