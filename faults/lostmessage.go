package faults

import "lockstep/model"

// LostMessage returns the fault by which what is published in a step, an atomic one or
// not, reaches no subscriber, at most times times in a run. The publisher does not
// notice.
//
// In the world it stands for publish and subscribe that forgets what it cannot deliver:
// a subscriber that reconnects, an output buffer that overflows.
func LostMessage(times int) model.Fault {
	return lostMessage{striking{counted{"lost-message", times, model.OnOperation}}}
}

type lostMessage struct{ striking }

func (lostMessage) Describe(model.MoveKind) string            { return "the message is lost" }
func (f lostMessage) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }
func (lostMessage) TimesOut() bool                            { return false }

func (lostMessage) Intercepts(op *model.Operation) bool {
	return op.Kind == model.Publish || op.Kind == model.RunScript
}

func (lostMessage) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	return r.LoseMessages(s, int(m.Index), m, e)
}
