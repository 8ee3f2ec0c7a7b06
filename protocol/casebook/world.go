package casebook

import (
	"fmt"
	"time"

	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// world sets how many nodes and updates there are, and what may go wrong.
func world(nodes, updates int, faults ...model.Fault) World {
	return func(s *scheduler.Scenario) { s.Nodes, s.Updates, s.Faults = nodes, updates, faults }
}

// latency sets how long operations of stores and of the source take at most.
func (w World) latency(most time.Duration) World {
	return func(s *scheduler.Scenario) {
		w(s)
		s.Latency = protocol.Range{Max: most}
	}
}

// requests sets how many requests there are on each node.
func (w World) requests(n int) World {
	return func(s *scheduler.Scenario) {
		w(s)
		s.Requests = n
	}
}

// at lets all requests arrive within a time of the beginning.
func (w World) at(within time.Duration) World {
	return func(s *scheduler.Scenario) {
		w(s)
		s.ArriveWithin = &within
	}
}

// The stores by their numbers.
const (
	lockStore  model.StoreID = 0
	cacheStore model.StoreID = 1
	firstStore model.StoreID = 2 // of those that are independent
)

// only limits a fault that strikes keys or stores to one store. Its moves are filtered,
// so what it foresees must be passed on.
type only struct {
	model.Fault
	store model.StoreID
}

func (f only) Value() string {
	return fmt.Sprintf("%s in the %s", f.Fault.Value(), protocol.StoreNames()[f.store])
}

func (f only) Resolve(t model.Tick) (model.Fault, error) {
	if strikes := f.Strikes(); strikes != model.OnKey && strikes != model.OnStore {
		return nil, fmt.Errorf("the fault %s strikes neither a key nor a store: it cannot be limited to one store", f.Name())
	}
	resolved, err := f.Fault.Resolve(t)
	return only{resolved, f.store}, err
}

func (f only) SeesPending() bool {
	foresighted, ok := f.Fault.(model.Foresighted)
	return ok && foresighted.SeesPending()
}

func (f only) Offer(r *model.Rules, s *model.State, m *model.Moves) {
	from := len(m.List)
	f.Fault.Offer(r, s, m)
	kept := m.List[:from]
	for _, move := range m.List[from:] {
		store := model.StoreID(move.Index)
		if f.Strikes() == model.OnKey {
			store = r.Automaton.Store(model.KeyID(move.Index))
		}
		if store == f.store {
			kept = append(kept, move)
		}
	}
	m.List = kept
}
