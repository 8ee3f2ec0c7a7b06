package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "V-02", Rank: 53, Kind: StaleSet,
		Title: "Invalidated before the source is written",
		Lesson: `A writer deletes the cached value and then writes. A reader that comes in between misses,
reads what is still the old state, and stores it: nobody will delete it again. A generation
that guards fills does not help, since the invalidation that raises it is over when the
fill begins. The write is committed first, then the cache is invalidated. That leaves
readers that read before and store late, against which the generation is, and a writer that
dies in between.`,
		Sources: []string{"https://github.com/duomark/epocxy/issues/43", "https://github.com/apache/gravitino/pull/10740"},
		Checks: []Check{
			{
				Shows: "a fill in between", Property: checks.Convergent(),
				Before: deleteFirst{}, After: deleteFirst{Fixed: true},
				World: world(1, 1), Steps: 7,
			},
		},
	})
}

// deleteFirst guards its fills with a generation, before the repair as well.
type deleteFirst struct{ Fixed bool }

func (p deleteFirst) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
		return protocol.Fresh(v)
	}
	generation, _, err := c.Cache.Get("generation")
	if err != nil {
		return protocol.Failed()
	}
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	if err != nil {
		return protocol.Failed()
	}
	protocol.Atomic(c.Cache, generationFill{v, generation}, fillGeneration)
	return protocol.Fresh(v)
}

func (p deleteFirst) Update(c *protocol.Client) {
	if !p.Fixed {
		protocol.Atomic(c.Cache, 0, nextGeneration)
	}
	c.Source.Update()
	if p.Fixed {
		protocol.Atomic(c.Cache, 0, nextGeneration)
	}
}

type generationFill struct{ Value, Generation protocol.Value }

func fillGeneration(v *protocol.View, f generationFill) bool {
	if generation, _ := v.Get("generation"); generation != f.Generation {
		return false
	}
	v.Set("feed", f.Value)
	return true
}

func nextGeneration(v *protocol.View, _ int) bool {
	v.Incr("generation")
	return v.Del("feed")
}
