package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// AtLeastOnceWithin is the property that once a lock has been acquired it never takes longer
// than d until it is acquired again, by whomever: a job that runs under it, at least once a
// period, does not stop, and a leader that is gone is replaced. It says nothing of the time
// before the first run. It is for what goes on for ever: where requests are all that
// acquires, the last of them violates it. d is 0 or more. At most one property of a check can
// be about time.
func AtLeastOnceWithin(d time.Duration) model.Property {
	return atLeastOnceWithin{lasting{"at-least-once-within", d}}
}

type atLeastOnceWithin struct{ lasting }

func (p atLeastOnceWithin) Rule() string {
	return "a lock that was acquired is acquired again within " + model.FormatDuration(p.longest)
}
func (atLeastOnceWithin) Vacuous() string { return "nobody ever acquired a lock" }

func (atLeastOnceWithin) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind == model.MoveLate {
		return model.Exercised | model.Violated
	}
	var outcome model.Outcome
	acquisitions(e, func(key model.KeyID, _ int, _ bool) {
		s.Since[key] = model.Fresh
		outcome |= model.Exercised
	})
	return outcome
}

func (p atLeastOnceWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	by := acquisition{by: "nobody"}
	for i := range t.Steps {
		s := &t.Steps[i]
		for k := range s.Marks {
			if m := &s.Marks[k]; m.Kind == "acquired" && m.Subject == last.Key {
				by = acquisition{s.By(m), s.Time}
			}
		}
	}
	return fmt.Sprintf("%s acquired %s at %s, and for more than %s nobody has acquired it again",
		by.by, keyName(last.Key), model.FormatDuration(by.at), model.FormatDuration(p.longest))
}
