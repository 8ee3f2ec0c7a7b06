package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// FreshWithin is the property that no value stays under a key for longer than d after the
// source has got a newer version. d is 0 or more.
func FreshWithin(d time.Duration) model.Property {
	return freshWithin{lasting{"fresh-within", d}}
}

type freshWithin struct{ lasting }

func (p freshWithin) Rule() string {
	return "no value is cached for longer than " + model.FormatDuration(p.longest) + " after the source has changed"
}
func (freshWithin) Vacuous() string { return "no value was ever older than the source" }

func (freshWithin) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind == model.MoveLate {
		return model.Exercised | model.Violated
	}
	return watchEntries(s, func(k int) bool { return outdated(s, k) })
}

// outdated reports whether what is under a key is a value that is older than the source.
func outdated(s *model.State, k int) bool {
	v := s.Entries[k].Value
	return v.Kind == model.KindVersion && v.N < s.Source
}

func (p freshWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	value := ""
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			if c.Key == last.Key {
				value = c.After
			}
		}
	}
	return fmt.Sprintf("%s has been under %s for more than %s since the source has a newer version", versionName(value), keyName(last.Key), model.FormatDuration(p.longest))
}
