package checks

import (
	"fmt"
	"slices"
	"time"

	"lockstep/model"
)

// ContinuousHold is the property that a lock carries the token of whoever believes to hold it,
// without a gap, from c.Acquired to c.Releasing: it neither lapses between two renewals nor
// passes to somebody else, not even for an instant or unnoticed. The lock is what is under
// the key in c.Store. [WriteUnderLease] is about the writes in between only,
// [LossNoticedWithin] about how long a loss goes unnoticed.
func ContinuousHold() model.Property { return continuousHold{} }

type continuousHold struct{}

func (continuousHold) Name() string { return "continuous-hold" }
func (continuousHold) Rule() string {
	return "a lock carries the token of whoever believes to hold it, without a gap"
}
func (continuousHold) Vacuous() string { return "nobody ever believed to hold a lock" }
func (continuousHold) Memory() int     { return 0 }

func (continuousHold) Check(s *model.State, _ *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	for i := range s.Processes {
		p := &s.Processes[i]
		for k := range locks(p.Believes) {
			outcome |= model.Exercised
			if !holds(s, model.OwnerOf(p), k) {
				outcome |= model.Violated
			}
		}
	}
	return outcome
}

func (continuousHold) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	at := model.FormatDuration(last.Time)
	for _, b := range believersOf(t) {
		for _, c := range last.Changes {
			if c.Key != b.key || c.Before == c.After {
				continue
			}
			if last.Process == "" {
				return fmt.Sprintf("%s believes since %s that it holds %s; %s", b.by, model.FormatDuration(b.at), keyName(b.key), lossText(last))
			}
			return fmt.Sprintf("%s believes since %s that it holds %s; %s took it away at %s (%s)", b.by, model.FormatDuration(b.at), keyName(b.key), last.Process, at, last.Operation)
		}
	}
	for _, b := range believersOf(t) {
		if b.by == last.Process {
			return fmt.Sprintf("%s believes since %s that it holds %s, which does not carry its token", b.by, model.FormatDuration(b.at), keyName(b.key))
		}
	}
	return "a lock does not carry the token of who believes to hold it"
}

// belief is that a process holds a lock, since when.
type belief struct {
	by, key string
	at      time.Duration
}

// believersOf returns who believes what at the end of a trace.
func believersOf(t *model.Trace) []belief {
	var all []belief
	drop := func(gone func(b *belief) bool) {
		all = slices.DeleteFunc(all, func(b belief) bool { return gone(&b) })
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		for k := range s.Marks {
			m := &s.Marks[k]
			by := s.By(m)
			switch m.Kind {
			case "acquired":
				all = append(all, belief{by, m.Subject, s.Time})
			case "releasing":
				drop(func(b *belief) bool { return b.by == by && b.key == m.Subject })
			case "return", "restart":
				drop(func(b *belief) bool { return b.by == by })
			}
		}
		if s.EndsNode() {
			drop(func(b *belief) bool { return nodeOf(b.by) == s.Node })
		}
	}
	return all
}
