package casebook

import (
	"fmt"

	"lockstep/model"
)

// monitor is a property of cases: what package checks does not offer.
type monitor struct {
	name, rule, vacuous string
	memory              int
	check               func(s *model.State, e *model.Event, memory []byte) model.Outcome
	explain             func(last *model.TraceStep) string
}

func (m monitor) Name() string                  { return m.name }
func (m monitor) Rule() string                  { return m.rule }
func (m monitor) Vacuous() string               { return m.vacuous }
func (m monitor) Memory() int                   { return m.memory }
func (m monitor) Explain(t *model.Trace) string { return m.explain(&t.Steps[len(t.Steps)-1]) }
func (m monitor) Check(s *model.State, e *model.Event, memory []byte) model.Outcome {
	return m.check(s, e, memory)
}

// convergent: whatever happens in between, what stays is not old.
func convergent() model.Property {
	return monitor{
		name: "convergent", rule: "while nobody is at work, nothing is cached that is older than the source",
		vacuous: "nothing was ever cached after an update",
		check: func(s *model.State, _ *model.Event, _ []byte) model.Outcome {
			for i := range s.Processes {
				if s.Processes[i].Active() {
					return 0
				}
			}
			var outcome model.Outcome
			for k := range s.Entries {
				v := s.Entries[k].Value
				if v.Kind != model.KindVersion || s.Source == 1 {
					continue
				}
				outcome |= model.Exercised
				if v.N < s.Source {
					outcome |= model.Violated
				}
			}
			return outcome
		},
		explain: func(last *model.TraceStep) string {
			who := last.Process
			if who == "" {
				who = last.Node
			}
			return fmt.Sprintf("%s was the last one at work, and what is cached is older than the source", who)
		},
	}
}

// failing is what a request marks as acquired when it fails.
const failing = "failing"

// servesWhatIsThere: an old answer is better than none.
func servesWhatIsThere() model.Property {
	return monitor{
		name: "serves-what-is-there", rule: "no request fails while there is a value in a store",
		vacuous: "no request ever looked for a value while there was one, and did without",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			stored := false
			for k := range s.Entries {
				stored = stored || s.Entries[k].Value.Kind == model.KindVersion
			}
			var outcome model.Outcome
			if stored && e.Operation != nil && e.Operation.Kind == model.Compute && e.Observation.Code() != model.Done {
				outcome |= model.Exercised
			}
			for i := range e.Marks {
				if stored && e.Marks[i].Kind == model.MarkAcquired {
					outcome |= model.Exercised | model.Violated
				}
			}
			return outcome
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s fails, and there is a value that it could have served", last.Process)
		},
	}
}
