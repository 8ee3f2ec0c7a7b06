package checks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockstep/model"
)

// CleanWhenIdle is the property that nothing is left in the stores when nobody is at work
// but values, numbers that were counted, and what a TTL or a session will end: no lock, no
// entry of a queue, no signal that nobody has taken.
func CleanWhenIdle() model.Property { return cleanWhenIdle{} }

type cleanWhenIdle struct{}

func (cleanWhenIdle) Name() string { return "clean-when-idle" }
func (cleanWhenIdle) Rule() string {
	return "when nobody is at work nothing is left but values, numbers and what will end by itself"
}
func (cleanWhenIdle) Vacuous() string { return "nothing but values and numbers was ever stored" }

// Memory is 1 once something else has been stored.
func (cleanWhenIdle) Memory() int { return 1 }

func (cleanWhenIdle) Check(s *model.State, e *model.Event, stored []byte) model.Outcome {
	for i := range e.Changes {
		if e.Changes[i].After.Present() && leftover(&e.Changes[i].After) {
			stored[0] = 1
		}
	}
	if stored[0] == 0 || !idle(s) {
		return 0
	}
	for k := range s.Entries {
		if e := &s.Entries[k]; e.Present() && leftover(e) && e.TTL == 0 && e.Session == 0 {
			return model.Exercised | model.Violated
		}
	}
	return model.Exercised
}

// leftover reports whether the entry is one that somebody has to take away, unless it ends
// by itself.
func leftover(e *model.Entry) bool {
	return e.Value.Kind != model.KindVersion && e.Value.Kind != model.KindCounter
}

// idle reports whether no process is at work, no request under way, and nobody is bound
// to come.
func idle(s *model.State) bool {
	for i := range s.Processes {
		p := &s.Processes[i]
		bound := p.Phase == model.Waiting && p.Clock != model.NoClock
		if p.Active() && !p.New || p.Phase == model.Sent || bound {
			return false
		}
	}
	return true
}

func (cleanWhenIdle) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	left := map[string]string{}
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			if left[c.Key] = c.After; strings.Trim(c.After, "0123456789") == "" || c.After[0] == 'v' || c.AfterTTL > 0 {
				delete(left, c.Key)
			}
		}
	}
	if len(left) == 0 {
		return "nobody is at work any more, and something is left"
	}
	who := last.Process
	if who == "" {
		who = last.Node
	}
	key := slices.Min(slices.Collect(maps.Keys(left)))
	return fmt.Sprintf("%s was the last one at work, and %s is left (%s) with nothing to end it", who, keyName(key), left[key])
}
