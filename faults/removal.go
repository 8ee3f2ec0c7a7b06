package faults

import "lockstep/model"

// remove takes away what is under a key.
func remove(s *model.State, k int, e *model.Event) {
	before := s.Entries[k]
	owner := model.NoOwner
	if before.Value.Kind == model.KindToken {
		owner = s.Owners[before.Value.N]
	}
	e.Changes = append(e.Changes, model.Change{Key: model.KeyID(k), Before: before, Owner: owner})
	s.Entries[k] = model.Entry{}
}

// removal is a fault by which a single key loses what is under it.
type removal struct {
	counted
	words string
}

func (f removal) Describe(model.MoveKind) string          { return f.words }
func (f removal) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }

// Offer lets it strike every key under which there is something.
func (removal) Offer(_ *model.Rules, s *model.State, m *model.Moves) {
	for k := range s.Entries {
		if s.Entries[k].Present() {
			m.Begin()
			m.Add(model.Move{Kind: model.MoveFault, Index: uint8(k)})
		}
	}
}

func (removal) Apply(_ *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	remove(s, int(m.Index), e)
	return nil
}
