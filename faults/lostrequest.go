package faults

import "lockstep/model"

// LostRequest returns the fault by which a request to a store or to the source is lost
// on its way, at most times times in a run: it has no effect, and the process gets an
// error within the timeout.
//
// In the world it stands for a dropped packet, a connection that is reset before the
// server has read from it.
func LostRequest(times int) model.Fault {
	return lostRequest{striking{counted{"lost-request", times, model.OnOperation}}}
}

type lostRequest struct{ striking }

func (lostRequest) Describe(model.MoveKind) string            { return "the request is lost" }
func (f lostRequest) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }
func (lostRequest) Intercepts(op *model.Operation) bool       { return op.Remote() }
func (lostRequest) TimesOut() bool                            { return true }

func (lostRequest) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	return r.Fail(s, int(m.Index), model.TimedOut, false, e)
}
