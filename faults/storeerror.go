package faults

import "lockstep/model"

// StoreError returns the fault by which a store answers a command with an error and
// does nothing, at most times times in a run. The reply takes the time that a reply
// takes.
//
// In the world it stands for OOM, LOADING, READONLY or CLUSTERDOWN, a refused
// connection, a full connection pool.
func StoreError(times int) model.Fault {
	return storeError{striking{counted{"store-error", times, model.OnOperation}}}
}

type storeError struct{ striking }

func (storeError) Describe(model.MoveKind) string            { return "the store refuses it" }
func (f storeError) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }
func (storeError) Intercepts(op *model.Operation) bool       { return op.OnStore() }
func (storeError) TimesOut() bool                            { return false }

func (storeError) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	return r.Fail(s, int(m.Index), model.Failed, true, e)
}
