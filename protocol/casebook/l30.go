package casebook

import (
	"fmt"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "L-30", Rank: 86, Kind: StoreFailover,
		Title: "A lagging replica says that it is gone, and the primary removes it",
		Lesson: `A directory lists entries that have a lifetime, and whoever reads it removes members
whose entry has expired. It asks a replica whether the entry is there. One that lags does
not have it yet, and so a member that was added a moment ago is removed at the primary: the
entry is alive and nobody finds it any more. To ask again does not help if the same replica
answers. Where an answer leads to a change both belong into one step at the primary.`,
		Sources: []string{"https://github.com/seaweedfs/seaweedfs/pull/10745"},
		Checks: []Check{
			{
				Shows: "a live entry is no longer listed", Property: staysListed(),
				Before: directory{}, After: directory{Fixed: true},
				World: world(1, 1, faults.StaleRead(1, time.Second)), Faults: 1, Steps: 8,
			},
		},
	})
}

// directory has the value under one key, and under another the mark that it is listed.
type directory struct{ Fixed bool }

func (p directory) Update(c *protocol.Client) {
	v, err := c.Source.Update()
	if err != nil || c.Store.Set("entry", v, protocol.PX(10*time.Second)) != nil {
		return
	}
	c.Store.Set("listed", c.NewToken())
}

func (p directory) Handle(c *protocol.Client) protocol.Answer {
	if _, ok, err := c.Store.Get("listed"); err != nil || !ok {
		return protocol.Empty()
	}
	if p.Fixed {
		protocol.Atomic(c.Store, 0, removeOrphan)
		return protocol.Empty()
	}
	v, ok, err := c.Store.Get("entry")
	switch {
	case err != nil:
		return protocol.Failed()
	case ok:
		return protocol.Fresh(v)
	}
	if _, ok, err := c.Store.Get("entry"); err != nil || ok { // to be sure
		return protocol.Empty()
	}
	c.Store.Del("listed")
	return protocol.Empty()
}

func removeOrphan(v *protocol.View, _ int) bool {
	if _, ok := v.Get("entry"); ok {
		return false
	}
	return v.Del("listed")
}

// staysListed: an entry is a value, what lists it a token.
func staysListed() model.Property {
	return monitor{
		name: "stays-listed", rule: "what lists an entry is not removed while the entry is there",
		vacuous: "what lists an entry was never removed",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			for i := range e.Changes {
				if c := &e.Changes[i]; c.Before.Value.Kind != model.KindToken || c.After.Present() {
					continue
				}
				for k := range s.Entries {
					if s.Entries[k].Value.Kind == model.KindVersion {
						return model.Exercised | model.Violated
					}
				}
				return model.Exercised
			}
			return 0
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s removed what lists an entry, and the entry is there", last.Process)
		},
	}
}
