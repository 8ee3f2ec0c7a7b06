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

// failing is what a request marks as acquired when it fails.
const failing = "failing"

// servesWhatIsThere: an old answer is better than none.
func servesWhatIsThere() model.Property {
	return monitor{
		name: "serves-what-is-there", rule: "no request fails while there is a value in a store",
		vacuous: "no load ever failed and no wait was ever in vain while there was a value",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			stored := false
			for k := range s.Entries {
				stored = stored || s.Entries[k].Value.Kind == model.KindVersion
			}
			var outcome model.Outcome
			if stored && e.Operation != nil {
				switch code := e.Observation.Code(); {
				case e.Operation.Kind == model.Compute && code != model.Done, code == model.Elapsed:
					outcome |= model.Exercised
				}
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

// toldItIsShared is what a caller marks as acquired when it is told that the result was
// given to several.
const toldItIsShared = "shared"

// sharedMeansSeveral: memory is 1 if somebody has joined the load in flight.
func sharedMeansSeveral() model.Property {
	return monitor{
		name: "shared-means-several", rule: "a caller is told that a result is shared exactly if several get it",
		vacuous: "nobody ever joined a load in flight", memory: 1,
		check: func(_ *model.State, e *model.Event, joined []byte) model.Outcome {
			if e.Operation == nil {
				return 0
			}
			switch e.Operation.Kind {
			case model.JoinFlight:
				joined[0] = 0
				if e.Observation.Code() == model.Found {
					joined[0] = 1
				}
			case model.ResolveFlight, model.AwaitFlight:
				several := joined[0] == 1
				if wasTold(e) != several {
					return model.Exercised | model.Violated
				}
				if several {
					return model.Exercised
				}
			}
			return 0
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s was told the contrary of what is", last.Process)
		},
	}
}

// sharedMeansOthersWork is what nobody has promised.
func sharedMeansOthersWork() model.Property {
	return monitor{
		name: "shared-means-others-work", rule: "who loads itself is not told that the result is shared",
		vacuous: "nobody ever loaded",
		check: func(_ *model.State, e *model.Event, _ []byte) model.Outcome {
			switch {
			case e.Operation == nil || e.Operation.Kind != model.ResolveFlight:
				return 0
			case wasTold(e):
				return model.Exercised | model.Violated
			}
			return model.Exercised
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s has loaded itself, and was told that the result is shared", last.Process)
		},
	}
}

func wasTold(e *model.Event) bool {
	for i := range e.Marks {
		if e.Marks[i].Kind == model.MarkAcquired {
			return true
		}
	}
	return false
}

// staysFilled: nobody empties a cache that has been filled.
func staysFilled() model.Property {
	return monitor{
		name: "stays-filled", rule: "what has been cached is there when nobody is at work", memory: 1,
		vacuous: "nothing was ever cached",
		check: func(s *model.State, e *model.Event, filled []byte) model.Outcome {
			for i := range e.Changes {
				if e.Changes[i].After.Value.Kind == model.KindVersion {
					filled[0] = 1
				}
			}
			for i := range s.Processes {
				if s.Processes[i].Active() {
					return 0
				}
			}
			if filled[0] == 0 {
				return 0
			}
			for k := range s.Entries {
				if s.Entries[k].Value.Kind == model.KindVersion {
					return model.Exercised
				}
			}
			return model.Exercised | model.Violated
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s was the last one at work, and the cache is empty though it had been filled", last.Process)
		},
	}
}
