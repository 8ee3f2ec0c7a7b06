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

// majorityWhenAcquired: who is told that it holds a lock does hold it at that instant. What
// is believed later is another matter.
func majorityWhenAcquired(stores int) model.Property {
	return monitor{
		name: "majority-when-acquired", rule: "who begins to believe that it holds a lock has a key in most stores at that instant",
		vacuous: "nobody ever acquired a lock",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			for i := range e.Marks {
				if e.Marks[i].Kind != model.MarkAcquired {
					continue
				}
				own := 0
				for k := range s.Entries {
					v := s.Entries[k].Value
					if v.Kind == model.KindToken && s.Owners[v.N] == model.OwnerOf(&s.Processes[e.Process]) {
						own++
					}
				}
				if 2*own <= stores {
					return model.Exercised | model.Violated
				}
				return model.Exercised
			}
			return 0
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s believes that it holds the lock, and most stores no longer have a key of its own", last.Process)
		},
	}
}

// grantedToSomeone: a lock that a store grants to nobody helps nobody, and keeps others out.
func grantedToSomeone() model.Property {
	return monitor{
		name: "granted-to-someone", rule: "no store grants a lock when nobody of the request that asked for it is left to give it back",
		vacuous: "no lock was ever granted",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			var outcome model.Outcome
			for _, c := range e.Changes {
				if !c.Written || c.After.Value.Kind != model.KindToken {
					continue
				}
				outcome |= model.Exercised
				owner, left := s.Owners[c.After.Value.N], false
				for i := range s.Processes {
					p := &s.Processes[i]
					left = left || p.Lives() && model.OwnerOf(p) == owner
				}
				if !left {
					outcome |= model.Violated
				}
			}
			return outcome
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s is granted, and nobody is left who would give it back", last.Key)
		},
	}
}

// goodStays: a value as new as the source is good.
func goodStays() model.Property {
	return monitor{
		name: "good-stays", rule: "nobody deletes a value that is as new as the source",
		vacuous: "nobody was ever refused by the database",
		check: func(s *model.State, e *model.Event, _ []byte) model.Outcome {
			var outcome model.Outcome
			for _, c := range e.Changes {
				if c.Refused {
					outcome |= model.Exercised
				}
				if e.Process >= 0 && !c.After.Present() && c.Before.Value.Kind == model.KindVersion && c.Before.Value.N == s.Source {
					outcome |= model.Exercised | model.Violated
				}
			}
			return outcome
		},
		explain: func(last *model.TraceStep) string {
			return fmt.Sprintf("%s deleted a value that is as new as the source", last.Process)
		},
	}
}
