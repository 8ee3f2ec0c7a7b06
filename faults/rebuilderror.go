package faults

import "lockstep/model"

// RebuildError returns the fault by which the computing of a value fails, at most times
// times in a run, after any time that it may take.
//
// In the world it stands for a query that fails half-way, a template that cannot be
// rendered, an upstream that answers with an error.
func RebuildError(times int) model.Fault {
	return rebuildError{striking{counted{"rebuild-error", times, model.OnOperation}}}
}

type rebuildError struct{ striking }

func (rebuildError) Describe(model.MoveKind) string            { return "the rebuild fails" }
func (f rebuildError) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }
func (rebuildError) Intercepts(op *model.Operation) bool       { return op.Kind == model.Compute }
func (rebuildError) TimesOut() bool                            { return false }

func (rebuildError) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	return r.Fail(s, int(m.Index), model.Failed, false, e)
}
