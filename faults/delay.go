package faults

import (
	"time"

	"lockstep/model"
)

// Delay returns the fault by which a request to a store or to the source that changes
// something is delayed for up to longest, at most times times in a run: its process gets
// an error within the timeout, goes on, and what it asks for next may overtake the
// request.
//
// In the world it stands for a packet that is sent again by the network, a proxy that
// queues, a second connection that is faster.
func Delay(times int, longest time.Duration) model.Fault {
	return late{lasting: lasting{counted: counted{"delay", times, model.OnOperation}, longest: longest}}
}

// Duplicate returns the fault by which such a request takes effect twice, at most times
// times in a run: once as it would, and once more within longest; the process sees the
// first reply.
//
// In the world it stands for a message that is delivered at least once, a proxy that
// tries again.
func Duplicate(times int, longest time.Duration) model.Fault {
	return late{lasting: lasting{counted: counted{"duplicate", times, model.OnOperation}, longest: longest}, twice: true}
}

type late struct {
	lasting
	twice bool
}

func (late) Intercepts(op *model.Operation) bool { return op.Remote() && op.Requests() }
func (f late) TimesOut() bool                    { return !f.twice }

// Offer offers nothing: it strikes operations.
func (late) Offer(*model.Rules, *model.State, *model.Moves) {}

// Longest returns how much later the request takes effect, at most.
func (f late) Longest() model.Ticks { return f.limit }

func (f late) Describe(model.MoveKind) string {
	if f.twice {
		return "it will take effect once more"
	}
	return "it is delayed"
}

func (f late) Resolve(t model.Tick) (model.Fault, error) {
	var err error
	f.lasting, err = f.resolve(t)
	return f, err
}

func (f late) Apply(r *model.Rules, s *model.State, m *model.Move, e *model.Event) error {
	if f.twice {
		return r.Duplicate(s, int(m.Index), m, e)
	}
	return r.Delay(s, int(m.Index), m.Fault, e)
}
