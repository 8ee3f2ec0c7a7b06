package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// MutualExclusion is the property that no two processes believe at the same time
// that they hold the same lock. A process believes so from Acquired until
// Releasing or its return, also while its node is paused; a crashed node believes
// nothing.
func MutualExclusion() model.Property { return mutualExclusion{} }

type mutualExclusion struct{}

func (mutualExclusion) Name() string    { return "mutual-exclusion" }
func (mutualExclusion) Rule() string    { return "no two processes believe that they hold the same lock" }
func (mutualExclusion) Vacuous() string { return "the lock was never contended" }
func (mutualExclusion) Memory() int     { return 0 }

func (mutualExclusion) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Before.Value.Kind != model.KindToken {
			continue
		}
		// One was refused, or has looked and seen another's.
		another := e.Process >= 0 && c.After == c.Before && c.Owner != model.OwnerOf(&s.Processes[e.Process])
		if c.Refused || another {
			outcome |= model.Exercised
		}
	}
	believed := uint16(0)
	for i := range s.Processes {
		b := s.Processes[i].Believes
		if believed&b != 0 {
			return model.Exercised | model.Violated
		}
		believed |= b
	}
	return outcome
}

func (mutualExclusion) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for i := range last.Marks {
		m := &last.Marks[i]
		if m.Kind != "acquired" {
			continue
		}
		holder, since := holderBefore(t, m.Subject, last.By(m))
		if holder == "" {
			continue
		}
		text := fmt.Sprintf("%s acquired %s, but %s still believed that it held it, since %s", last.By(m), keyName(m.Subject), holder, model.FormatDuration(since))
		if s := lastLoss(t, m.Subject); s != nil {
			text += "; " + lossText(s)
		}
		return text
	}
	return "two processes believe that they hold the same lock"
}

// holderBefore returns a process other than the given one that believes before
// the last step that it holds the lock, and since when.
func holderBefore(t *model.Trace, key, other string) (string, time.Duration) {
	type belief struct {
		process string
		since   time.Duration
	}
	var held []belief
	drop := func(gone func(string) bool) {
		kept := held[:0]
		for _, b := range held {
			if !gone(b.process) {
				kept = append(kept, b)
			}
		}
		held = kept
	}
	for i := range t.Steps[:len(t.Steps)-1] {
		step := &t.Steps[i]
		for k := range step.Marks {
			m := &step.Marks[k]
			switch {
			case m.Kind == "acquired" && m.Subject == key:
				held = append(held, belief{step.By(m), step.Time})
			case m.Kind == "releasing" && m.Subject == key, m.Kind == "return", m.Kind == "restart":
				drop(func(p string) bool { return p == step.By(m) })
			}
		}
		if step.EndsNode() {
			drop(func(p string) bool { return nodeOf(p) == step.Node })
		}
	}
	for _, b := range held {
		if b.process != other {
			return b.process, b.since
		}
	}
	return "", 0
}
