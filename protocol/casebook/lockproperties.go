package casebook

import (
	"fmt"

	"lockstep/model"
)

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
