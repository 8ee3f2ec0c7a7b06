package casebook

import (
	"fmt"

	"lockstep/model"
)

// fenceMonotonic: memory has the highest number that a counter has given out.
func fenceMonotonic() model.Property {
	return monitor{
		name: "fence-monotonic", rule: "each fencing token is higher than all before it",
		vacuous: "there was never a second fencing token", memory: 1,
		check: func(_ *model.State, e *model.Event, highest []byte) model.Outcome {
			var outcome model.Outcome
			for _, c := range e.Changes {
				if c.Written || c.After.Value.Kind != model.KindCounter || c.After.Value == c.Before.Value {
					continue
				}
				if highest[0] != 0 {
					outcome |= model.Exercised
				}
				if c.After.Value.N <= highest[0] {
					outcome |= model.Violated
				}
				highest[0] = max(highest[0], c.After.Value.N)
			}
			return outcome
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s got a fencing token that is not higher than one that was given out before", last.Process)
		},
	}
}

// honest: who is told that it holds a lock does hold it at that instant. What is
// believed later is another matter.
func honest() model.Property {
	return monitor{
		name: "honest-status", rule: "who begins to believe that it holds a lock has a key in the store at that instant",
		vacuous: "nobody ever acquired a lock",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			for i := range e.Marks {
				if e.Marks[i].Kind != model.MarkAcquired {
					continue
				}
				for k := range s.Entries {
					v := s.Entries[k].Value
					if v.Kind == model.KindToken && s.Owners[v.N] == model.OwnerOf(&s.Processes[e.Process]) {
						return model.Exercised
					}
				}
				return model.Exercised | model.Violated
			}
			return 0
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s believes that it holds the lock, and no key in the store is its own", last.Process)
		},
	}
}

// quiescent: a renewal serves somebody.
func quiescent() model.Property {
	return monitor{
		name: "lease-quiescence", rule: "no lock is renewed when the request that took it has ended",
		vacuous: "no lock was ever renewed",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			if e.Operation == nil || !e.Reached || e.Operation.Kind != model.ExpireIfEqual || e.Observation.Code() != model.Done {
				return 0
			}
			renewer := &s.Processes[e.Process]
			for i := range s.Processes {
				if p := &s.Processes[i]; p.Root && p.Phase != model.Ended && model.OwnerOf(p) == model.OwnerOf(renewer) {
					return model.Exercised
				}
			}
			return model.Exercised | model.Violated
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s renewed the lock of a request that had ended", last.Process)
		},
	}
}

// isolated: a request fails only for a reason of its own.
func isolated() model.Property {
	return monitor{
		name: "failure-isolation", rule: "no request fails since another one was cancelled",
		vacuous: "no request was ever cancelled",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			if e.Move.Kind == model.MoveFault {
				return model.Exercised
			}
			for i := range e.Marks {
				if e.Marks[i].Kind != model.MarkAcquired {
					continue
				}
				if !s.Processes[e.Process].Cancelled {
					return model.Violated
				}
			}
			return 0
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s fails, and nobody has cancelled it", last.Process)
		},
	}
}
