package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// lasting is what properties have in common that are about how long something lasts of a
// process or an entry. At most one property of a check can be of this kind, or
// [AnsweredWithin].
type lasting struct {
	name    string
	longest time.Duration
}

func (p lasting) Name() string            { return p.name }
func (p lasting) Memory() int             { return 0 }
func (p lasting) Patience() time.Duration { return p.longest }
func (lasting) Watches()                  {}
func (p lasting) Argument() string        { return model.FormatDuration(p.longest) }

// Valid refuses a negative duration.
func (p lasting) Valid() error {
	if p.longest < 0 {
		return fmt.Errorf("%s with a duration of %s: it must be 0 or longer", p.name, p.longest)
	}
	return nil
}

// watch lets a clock run as long as something is so, and says whether it is.
func watch(clock *uint8, so bool) model.Outcome {
	switch {
	case !so:
		*clock = model.NoClock
		return 0
	case *clock == model.NoClock:
		*clock = model.Fresh
	}
	return model.Exercised
}

// watchEntries lets the clocks of the keys run under which something is so, whatever comes
// in its place meanwhile.
func watchEntries(s *model.State, so func(k int) bool) model.Outcome {
	var outcome model.Outcome
	for k := range s.Entries {
		outcome |= watch(&s.Watches[k], s.Entries[k].Present() && so(k))
	}
	return outcome
}
