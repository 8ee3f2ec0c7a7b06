package casebook

import (
	"time"

	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "I-01", Rank: 30, Kind: Incident,
		Title: "An error is taken for an invalid value",
		Lesson: `Clients that find an invalid value delete it and ask the database, and they take an error of
the database for an invalid value, too. Under load it answers with errors, and each error
deletes a value that somebody else has just stored: the cache stays empty, and the load
stays after its cause is gone. An error says nothing of the value that is there: keep it,
and let one at a time ask.`,
		Sources: []string{
			"https://docs.microsoft.com/en-us/archive/blogs/architectsrule/facebook-more-details-on-todays-outage",
			"https://engineered.at/articles/anatomy-of-facebook-s-2010-outage-cache-invalidation-gone-wrong",
		},
		Checks: []Check{
			{
				Shows: "a good value is deleted", Property: staysFilled(),
				Before: errorIsInvalid{}, After: errorIsInvalid{Fixed: true},
				World: world(2, 0, faults.RebuildError(1)), Faults: 1, Steps: 8,
			},
		},
	})
}

// errorIsInvalid fills a cache, and empties it if it could not compute a value.
type errorIsInvalid struct{ Fixed bool }

func (p errorIsInvalid) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("config"); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, err := c.Rebuild(protocol.Range{Max: time.Second})
	if err != nil {
		if !p.Fixed {
			c.Cache.Del("config")
		}
		return protocol.Failed()
	}
	c.Cache.Set("config", v)
	return protocol.Fresh(v)
}
