package checks

import (
	"fmt"

	"lockstep/model"
)

// IsolatedFailures is the property that a request fails only for a reason of its own: it has
// been cancelled, or an operation of it, or of what it has spawned, has failed or has not
// come in time. What it gets from others, who share their work with it, say, or through a
// store, is no such reason. So one request's cancel or error does not fail another.
func IsolatedFailures() model.Property { return isolatedFailures{} }

type isolatedFailures struct{}

// Notes of properties: bits of [model.Process.Noted].
const (
	// struck: an operation of the request has failed.
	struck = 1 << iota
)

func (isolatedFailures) Name() string { return "isolated-failures" }
func (isolatedFailures) Rule() string {
	return "no request fails unless it was cancelled, or an operation of its own failed"
}
func (isolatedFailures) Vacuous() string {
	return "no request was ever cancelled, and no operation of one ever failed"
}
func (isolatedFailures) Memory() int { return 0 }

func (isolatedFailures) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	if e.Process >= 0 && e.Operation != nil && fails(e.Operation.Kind, e.Observation.Code()) {
		if root := rootOf(s, e.Process); root != nil {
			root.Noted |= struck
			outcome |= model.Exercised
		}
	}
	if e.Move.Kind == model.MoveFault {
		for i := range s.Processes {
			if s.Processes[i].IsRequest() && s.Processes[i].Cancelled {
				outcome |= model.Exercised
			}
		}
	}
	if e.Answer.Kind != model.AnsweredFailed {
		return outcome
	}
	if !e.Answer.Cancelled && s.Processes[e.Process].Noted&struck == 0 {
		outcome |= model.Exercised | model.Violated
	}
	return outcome
}

// fails reports whether who observes this has not got what it asked for. What has become of
// the work of others is theirs.
func fails(k model.OperationKind, c model.Code) bool {
	switch c {
	case model.TimedOut, model.Cancelled, model.Elapsed:
		return true
	case model.Failed, model.Panicked, model.Exited:
		return k != model.AwaitFlight && k != model.WaitTask
	}
	return false
}

// rootOf returns the request of a process, nil if that has ended or is something else.
func rootOf(s *model.State, process int) *model.Process {
	owner := model.OwnerOf(&s.Processes[process])
	for i := range s.Processes {
		if p := &s.Processes[i]; p.IsRequest() && model.OwnerOf(p) == owner {
			return p
		}
	}
	return nil
}

func (isolatedFailures) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	text := last.Process + " failed, though it was not cancelled and no operation of its own had failed"
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Process == "" || sameFamily(s.Process, last.Process) {
			continue
		}
		at := model.FormatDuration(s.Time)
		switch {
		case s.Kind == "fault" && s.Operation == "":
			return fmt.Sprintf("%s; %s was struck by a %s at %s", text, s.Process, s.Fault, at)
		case s.Kind == "fault", s.Observation == "error", s.Observation == "timeout", s.Observation == "cancelled":
			return fmt.Sprintf("%s; %s of %s failed at %s", text, s.Operation, s.Process, at)
		}
	}
	return text
}
