package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// AtMostOnceWithin is the property that no lock is acquired twice within d: a job that runs
// under it, once a period, runs at most once in each. A run begins with c.Acquired, and the
// next under the same key begins d or more later, whoever runs it. d is longer than 0. At
// most one property of a check can be about time.
func AtMostOnceWithin(d time.Duration) model.Property {
	return atMostOnceWithin{lasting{"at-most-once-within", d}}
}

type atMostOnceWithin struct{ lasting }

func (p atMostOnceWithin) Rule() string {
	return "no lock is acquired twice within " + model.FormatDuration(p.longest)
}
func (atMostOnceWithin) Vacuous() string {
	return "nobody ever asked for a lock that had been acquired before"
}

// Memory is 1 once a lock has been acquired.
func (atMostOnceWithin) Memory() int { return 1 }

// Compares: the clock of a key tells when it was last acquired, and any step may end with
// that.
func (atMostOnceWithin) Compares(*model.State, *model.Operation, int) bool { return true }

func (p atMostOnceWithin) Check(s *model.State, e *model.Event, ran []byte) model.Outcome {
	var outcome model.Outcome
	if ran[0] == 1 && asksForLock(e) {
		outcome |= model.Exercised
	}
	acquisitions(e, func(key model.KeyID, _ int, again bool) {
		if s.Since[key] != model.NoClock {
			outcome |= model.Exercised
			if again || e.Move.Soon&(1<<key) != 0 {
				outcome |= model.Violated
			}
		}
		s.Since[key], ran[0] = model.Fresh, 1
	})
	return outcome
}

// asksForLock reports whether a process finds a lock taken, or takes one.
func asksForLock(e *model.Event) bool {
	for i := range e.Changes {
		if c := &e.Changes[i]; e.Process >= 0 && (c.Refused || c.Written) && (c.Before.Value.Kind == model.KindToken || c.After.Value.Kind == model.KindToken) {
			return true
		}
	}
	return false
}

// Valid refuses a period without length.
func (p atMostOnceWithin) Valid() error { return validWindow(p.lasting) }

func (p atMostOnceWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	text := fmt.Sprintf("%s acquired a lock less than %s after it was acquired before", last.Process, model.FormatDuration(p.longest))
	runs := map[string]*acquisition{}
	for i := range t.Steps {
		s := &t.Steps[i]
		for k := range s.Marks {
			m := &s.Marks[k]
			if m.Kind != "acquired" {
				continue
			}
			if before := runs[m.Subject]; before != nil && s == last && s.Time-before.at < p.longest {
				text = fmt.Sprintf("%s acquired %s at %s, %s after %s did at %s; once within %s is allowed",
					s.By(m), keyName(m.Subject), model.FormatDuration(s.Time), model.FormatDuration(s.Time-before.at),
					before.by, model.FormatDuration(before.at), model.FormatDuration(p.longest))
			}
			runs[m.Subject] = &acquisition{s.By(m), s.Time}
		}
	}
	return text
}
