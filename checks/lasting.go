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

// LossNoticedWithin is the property that no process believes for longer than d to hold a
// lock that it has lost: whose entry in c.Store does not carry a token of its request. A
// process whose node is paused notices nothing meanwhile. d is 0 or more.
func LossNoticedWithin(d time.Duration) model.Property {
	return lossNoticedWithin{lasting{"loss-noticed-within", d}}
}

type lossNoticedWithin struct{ lasting }

func (p lossNoticedWithin) Rule() string {
	return "no process believes for longer than " + model.FormatDuration(p.longest) + " to hold a lock that it has lost"
}
func (lossNoticedWithin) Vacuous() string {
	return "no process ever lost a lock that it believed to hold"
}

func (lossNoticedWithin) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind == model.MoveLate {
		return model.Exercised | model.Violated
	}
	var outcome model.Outcome
	for i := range s.Processes {
		p := &s.Processes[i]
		lost := false
		for k := range locks(p.Believes) {
			lost = lost || !holds(s, model.OwnerOf(p), k)
		}
		outcome |= watch(&p.Watch, lost)
	}
	return outcome
}

func (p lossNoticedWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	text := fmt.Sprintf("%s has not noticed for more than %s that it lost a lock", last.Process, model.FormatDuration(p.longest))
	for _, key := range believedKeys(t, last.Process) {
		if lost := lostBy(t, key); lost != "" {
			return fmt.Sprintf("%s still believes that it holds %s; %s", last.Process, keyName(key), lost)
		}
	}
	return text
}

// lostBy says in words how what was under a key was last lost, empty if it never was.
func lostBy(t *model.Trace, key string) string {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		s := &t.Steps[i]
		for _, c := range s.Changes {
			if c.Key != key || c.Before == "" || c.After == c.Before {
				continue
			}
			if s.Process != "" {
				return fmt.Sprintf("%s took it away at %s (%s)", s.Process, model.FormatDuration(s.Time), s.Operation)
			}
			return lossText(s)
		}
	}
	return ""
}

// ReleasedWithin is the property that no lock outlives the request that took it by more than
// d: which has returned, or started over, or is gone with its node. d is 0 or more.
func ReleasedWithin(d time.Duration) model.Property {
	return releasedWithin{lasting{"released-within", d}}
}

type releasedWithin struct{ lasting }

func (p releasedWithin) Rule() string {
	return "no lock outlives its owner by more than " + model.FormatDuration(p.longest)
}
func (releasedWithin) Vacuous() string { return "no lock ever outlived its owner" }

func (releasedWithin) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind == model.MoveLate {
		return model.Exercised | model.Violated
	}
	return watchEntries(s, func(k int) bool {
		v := s.Entries[k].Value
		return v.Kind == model.KindToken && !ownerLives(s, s.Owners[v.N])
	})
}

func (p releasedWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	return fmt.Sprintf("nobody has held %s for more than %s, and it is still there", keyName(last.Key), model.FormatDuration(p.longest))
}

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
