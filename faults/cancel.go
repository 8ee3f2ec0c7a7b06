package faults

import "lockstep/model"

// Cancel returns the fault by which a request's context is cancelled, at any moment, at
// most times times in a run. What the request and the processes that it spawned wait
// for they give up at once: an operation under way may have taken effect or not. What
// they begin later returns an error and has no effect, except within
// protocol.Client.WithoutCancel. The contexts below that of the request end with it. A
// wait for another request's flight or for a spawned process goes on.
//
// In the world it stands for a client that hangs up, a deadline of the caller, a load
// balancer's timeout.
func Cancel(times int) model.Fault { return cancel{counted{"cancel", times, model.OnRequest}} }

type cancel struct{ counted }

func (cancel) Describe(model.MoveKind) string            { return "is cancelled" }
func (f cancel) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }

// SeesPending is true: a cancellation meets an operation before or after it was issued.
func (cancel) SeesPending() bool { return true }

// Abandons: what is under way may go on.
func (cancel) Abandons() {}

// Offer lets every request be cancelled that has begun.
func (cancel) Offer(_ *model.Rules, s *model.State, m *model.Moves) {
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.IsRequest() && p.Active() && !p.Cancelled {
			m.Begin()
			m.Add(model.Move{Kind: model.MoveFault, Index: uint8(i)})
		}
	}
}

func (cancel) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	p := &s.Processes[m.Index]
	e.Process, e.Node = int(m.Index), int(p.Node)
	r.Cancel(s, int(m.Index))
	return nil
}
