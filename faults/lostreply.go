package faults

import "lockstep/model"

// LostReply returns the fault by which the reply of a store or of the source is lost,
// at most times times in a run: the operation has taken effect, and the process gets an
// error within the timeout, the same that it gets for a lost request.
//
// In the world it stands for a connection that is reset after the server has acted, a
// client whose timeout is shorter than the server's pause.
func LostReply(times int) model.Fault {
	return lostReply{striking{counted{"lost-reply", times, model.OnOperation}}}
}

type lostReply struct{ striking }

func (lostReply) Describe(model.MoveKind) string            { return "the reply is lost" }
func (f lostReply) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }
func (lostReply) Intercepts(op *model.Operation) bool       { return op.Remote() }
func (lostReply) TimesOut() bool                            { return true }

func (lostReply) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	return r.LoseReply(s, int(m.Index), m, e)
}
