package checks

import (
	"fmt"

	"lockstep/model"
)

// FencesIncrease is the property that each number that is counted under a key is higher than
// all before it: whoever holds a lock later has the higher fencing number. A counter that is
// evicted, that expires, or that a failover sets back gives numbers out again.
func FencesIncrease() model.Property { return fencesIncrease{} }

type fencesIncrease struct{}

func (fencesIncrease) Name() string { return "fences-increase" }
func (fencesIncrease) Rule() string {
	return "each number that is counted under a key is higher than all before it"
}
func (fencesIncrease) Vacuous() string { return "no second number was ever counted under a key" }

// Memory has, for each key, the highest number that was given out.
func (fencesIncrease) Memory() int { return model.MaxKeys }

func (fencesIncrease) Check(_ *model.State, e *model.Event, highest []byte) model.Outcome {
	var outcome model.Outcome
	for i := range e.Changes {
		c := &e.Changes[i]
		// What is stored, and not counted, is given out by nobody.
		if c.Written || e.Process < 0 || c.After.Value.Kind != model.KindCounter || c.After.Value == c.Before.Value {
			continue
		}
		if highest[c.Key] != 0 {
			outcome |= model.Exercised
		}
		if c.After.Value.N <= highest[c.Key] {
			outcome |= model.Violated
		}
		highest[c.Key] = max(highest[c.Key], c.After.Value.N)
	}
	return outcome
}

func (fencesIncrease) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for _, c := range last.Changes {
		for i := len(t.Steps) - 2; i >= 0; i-- {
			if s := &t.Steps[i]; s.Process != "" && gives(s, c.Key, c.After) {
				return fmt.Sprintf("%s got the number %s from %s, which %s had got at %s", last.Process, c.After, keyName(c.Key), s.Process, model.FormatDuration(s.Time))
			}
		}
	}
	return last.Process + " got a number that is not higher than one that was given out before"
}

// gives reports whether the step has made the value of a key.
func gives(s *model.TraceStep, key, value string) bool {
	for _, c := range s.Changes {
		if c.Key == key && c.After == value {
			return true
		}
	}
	return false
}
