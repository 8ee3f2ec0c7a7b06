package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

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
