package casebook

import (
	"time"

	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "I-01", Rank: 30, Kind: Incident,
		Title: "An error is taken for an invalid value, and the value deleted",
		Lesson: `Clients that find an invalid value delete it and ask the database, and so they do when
the database answers with an error. It does when too many ask at once: then each error
deletes a good value that another client has just stored, whose readers ask the database,
too. What started it may be long repaired; the deletes go on feeding the load that causes
them. An error says nothing of the value: keep it, wait, and look again.`,
		Differs: `The report asks that the load goes away by itself once its cause is gone, which is
about runs without end. What is checked here is the step that feeds the load: that an error
of one client takes away what is good for all.`,
		Sources: []string{
			"https://docs.microsoft.com/en-us/archive/blogs/architectsrule/facebook-more-details-on-todays-outage",
			"https://blog.satyr.nl/post/facebook_outage_explained/",
			"https://engineered.at/articles/anatomy-of-facebook-s-2010-outage-cache-invalidation-gone-wrong",
		},
		Checks: []Check{{
			Shows: "an error deletes what is good", Property: goodStays(),
			Before: feedback{}, After: feedback{Keeps: true},
			World: world(2, 0), Steps: 9,
		}},
	})
}

// feedback asks a database that serves one at a time, and the others with an error.
type feedback struct{ Keeps bool }

func (p feedback) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("config"); err == nil && ok {
		return protocol.Fresh(v)
	}
	v, ok := p.query(c)
	if ok {
		c.Cache.Set("config", v)
		return protocol.Fresh(v)
	}
	if !p.Keeps {
		c.Cache.Del("config")
	}
	c.Sleep(time.Second)
	return protocol.Again()
}

func (p feedback) query(c *protocol.Client) (protocol.Value, bool) {
	query := c.NewToken()
	if free, err := c.Store.SetNX("database", query, 0); err != nil || !free {
		return protocol.Value{}, false
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	c.Store.DelIfEqual("database", query)
	return v, err == nil
}
