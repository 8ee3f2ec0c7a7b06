package faults

import "lockstep/model"

// Resend returns the fault by which a request to a store or to the source that changes
// something is sent a second time by the client library, since the first reply is lost,
// at most times times in a run: it takes effect twice, and the process sees the second
// reply.
//
// In the world it stands for the automatic retries of clients and proxies.
func Resend(times int) model.Fault {
	return resend{striking{counted{"resend", times, model.OnOperation}}}
}

type resend struct{ striking }

func (resend) Describe(model.MoveKind) string            { return "the reply is lost, and it is sent again" }
func (f resend) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }
func (resend) Intercepts(op *model.Operation) bool       { return op.Remote() && op.Requests() }
func (resend) TimesOut() bool                            { return false }

func (resend) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	return r.Resend(s, int(m.Index), m, e)
}
