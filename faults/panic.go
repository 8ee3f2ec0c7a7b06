package faults

import "lockstep/model"

// Panic returns the fault by which the computing of a value panics, after any time that
// it may take, at most times times in a run. Deferred calls run, and whoever recovers goes
// on; a request that nobody recovers ends, as under net/http, and a spawned process ends
// its node.
//
// In the world it stands for a nil pointer in a loader, a failed assertion.
func Panic(times int) model.Fault {
	return abort{striking: striking{counted{"panic", times, model.OnOperation}}, code: model.Panicked}
}

// Goexit returns the fault by which the computing of a value ends its goroutine, after
// any time that it may take, at most times times in a run: deferred calls run, nobody can
// recover, and the node goes on.
//
// In the world it stands for runtime.Goexit, and FailNow of a test in a loader.
func Goexit(times int) model.Fault {
	return abort{striking: striking{counted{"goexit", times, model.OnOperation}}, code: model.Exited}
}

type abort struct {
	striking
	code model.Code
}

func (f abort) Describe(k model.MoveKind) string {
	switch {
	case k == model.MoveRecovery:
		return "crashes, since a process has panicked"
	case f.code == model.Panicked:
		return "it panics"
	}
	return "its goroutine ends"
}

func (f abort) Resolve(model.Tick) (model.Fault, error) { return f, f.valid() }
func (abort) Intercepts(op *model.Operation) bool       { return op.Kind == model.Compute }
func (abort) TimesOut() bool                            { return false }

// Offer lets a node crash that is doomed.
func (f abort) Offer(_ *model.Rules, s *model.State, m *model.Moves) {
	for n := range s.Nodes {
		if s.Nodes[n].Status == model.Doomed && f.code == model.Panicked {
			m.Begin()
			m.Add(model.Move{Kind: model.MoveRecovery, Index: uint8(n)})
		}
	}
}

func (f abort) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	if m.Kind == model.MoveRecovery {
		e.Node = int(m.Index)
		endNode(s, e.Node)
		return nil
	}
	return r.Fail(s, int(m.Index), f.code, false, e)
}
