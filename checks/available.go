package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// Available is the property that no request is answered with an error or with nothing while
// there is a value in a store: a value that is old is better than none. One that has been
// cancelled is not counted, since nobody waits for its answer. It is about the instant of the
// answer: who has waited in vain looks once more before it fails; where replies take time, a
// value can still come in between. It is not for requests that ask for no value, as those
// that only take a lock.
func Available() model.Property { return available{} }

type available struct{}

func (available) Name() string { return "available" }
func (available) Rule() string {
	return "no request is answered with an error or with nothing while there is a value in a store"
}
func (available) Vacuous() string { return "no request was ever answered while there was a value" }
func (available) Memory() int     { return 0 }

func (available) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Answer.Kind == model.NoAnswer || e.Answer.Cancelled || !hasValue(s) {
		return 0
	}
	if k := e.Answer.Kind; k == model.AnsweredFailed || k == model.AnsweredEmpty {
		return model.Exercised | model.Violated
	}
	return model.Exercised
}

// hasValue reports whether there is a value in a store.
func hasValue(s *model.State) bool {
	for k := range s.Entries {
		if s.Entries[k].Value.Kind == model.KindVersion {
			return true
		}
	}
	return false
}

func (available) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	what := map[string]string{"empty": "nothing"}[answerOf(last, last.Process)]
	if what == "" {
		what = "an error"
	}
	for i := len(t.Steps) - 1; i >= 0; i-- {
		for _, c := range t.Steps[i].Changes {
			if c.After != "" && c.After[0] == 'v' && present(t, c.Key) {
				return fmt.Sprintf("%s was answered with %s, and %s is under %s since %s", last.Process, what,
					versionName(c.After), keyName(c.Key), model.FormatDuration(storedAt(t, c.Key, c.After)))
			}
		}
	}
	return fmt.Sprintf("%s was answered with %s, and there is a value that it could have had", last.Process, what)
}

// answerOf returns how a process answers in a step, empty if it does not return.
func answerOf(s *model.TraceStep, process string) string {
	for k := range s.Marks {
		if m := &s.Marks[k]; m.Kind == "return" && s.By(m) == process {
			return m.Subject
		}
	}
	return ""
}

// present reports whether there is something under a key at the end of a trace.
func present(t *model.Trace, key string) bool {
	there := false
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			if c.Key == key {
				there = c.After != ""
			}
		}
	}
	return there
}

// storedAt returns since when the value has been under a key at the end of a trace.
func storedAt(t *model.Trace, key, value string) (at time.Duration) {
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			if c.Key == key && c.After == value && c.Before != value {
				at = t.Steps[i].Time
			}
		}
	}
	return at
}
