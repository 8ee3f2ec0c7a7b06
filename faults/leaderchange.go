package faults

import "lockstep/model"

// LeaderChange returns the fault by which a store gets another leader, which counts all
// TTLs from their beginning, at most times times in a run.
//
// In the world it stands for a consensus store whose leases are counted down in the
// memory of the leader: a lease is a minimum, and no maximum.
func LeaderChange(times int) model.Fault {
	return leaderChange{counted{"leader-change", times, model.OnStore}}
}

type leaderChange struct{ counted }

func (leaderChange) Describe(model.MoveKind) string {
	return "gets another leader, and its TTLs begin anew"
}
func (f leaderChange) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }

// Offer lets every store get another leader in which a TTL runs.
func (leaderChange) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	offerTimed(r, s, m)
}

func (leaderChange) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	e.Store = model.StoreID(m.Index)
	r.Rewind(s, e.Store)
	return nil
}
