package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "V-03", Rank: 54, Kind: StaleSet,
		Title: "Deleted twice, and the second time too early",
		Lesson: `A writer deletes the cached value, writes, waits, and deletes again to catch readers that
had read before. It catches those whose fill is over by then. So the wait must exceed the
longest fill: an assumption about time, which a paused reader breaks; and a writer that
dies while it waits never deletes again. A barrier in the cache that outlives the fills
does what the second delete should, without a process that lives on; a generation that the
fill compares needs no assumption about time.`,
		Sources: []string{
			"https://github.com/doocs/advanced-java/issues/282", "https://github.com/alibaba/jetcache/issues/663",
			"https://github.com/DevXDojo/MrRSS/issues/137",
		},
		Checks: []Check{
			{
				Shows: "a wait shorter than the fill", Property: checks.Convergent(),
				Before: deletedTwice{Wait: time.Second}, After: deletedTwice{Wait: 3 * time.Second},
				World: world(1, 1), Steps: 8,
			},
			{
				Shows: "the writer dies while it waits", Property: checks.Convergent(),
				Before: deletedTwice{Wait: 3 * time.Second}, After: deletedTwice{Guard: "barrier"},
				World: world(1, 1, faults.Crash(1)), Faults: 1, Steps: 7,
			},
			{
				Shows: "the reader is paused", Property: checks.Convergent(),
				Before: deletedTwice{Wait: 3 * time.Second}, After: deletedTwice{Guard: "generation"},
				World: world(1, 1, faults.Pause(1, 5*time.Second)), Faults: 1, Steps: 10,
			},
		},
	})
}

type deletedTwice struct {
	Guard string `default:"delete" choices:"delete,barrier,generation"`
	Wait  time.Duration
}

func (p deletedTwice) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	generation := protocol.Value{}
	if p.Guard == "generation" {
		var err error
		if generation, _, err = c.Cache.Get("generation"); err != nil {
			return protocol.Failed()
		}
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	if err != nil {
		return protocol.Failed()
	}
	switch p.Guard {
	case "barrier":
		protocol.Atomic(c.Cache, v, storeUnlessBarred)
	case "generation":
		protocol.Atomic(c.Cache, generationFill{v, generation}, fillGeneration)
	default:
		c.Cache.Set("feed", v)
	}
	return protocol.Fresh(v)
}

func (p deletedTwice) Update(c *protocol.Client) {
	switch p.Guard {
	case "barrier":
		if _, err := protocol.Atomic(c.Cache, barrier{c.NewToken(), 3 * time.Second}, bar); err == nil {
			c.Source.Update()
		}
	case "generation":
		c.Source.Update()
		protocol.Atomic(c.Cache, 0, nextGeneration)
	default:
		c.Cache.Del("feed")
		c.Source.Update()
		c.Sleep(p.Wait)
		c.Cache.Del("feed")
	}
}
