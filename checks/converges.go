package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// ConvergesWithin is the property that no value stays under a key for longer than d that is
// older than the source, counted from when the last fault was over: whatever goes wrong, d
// later the stores are right again. As long as a node is paused or down, a process starved, or
// a store cut off or ahead of its replica, a fault is not over; a node that has crashed for
// good, or a clock that drifts or stands still, is how things are. Without faults it is [FreshWithin].
// [Convergent] asks the same when nobody is at work, and not how long it takes. d is 0 or
// more. At most one property of a check can be about time.
func ConvergesWithin(d time.Duration) model.Property {
	return convergesWithin{lasting{"converges-within", d}}
}

type convergesWithin struct{ lasting }

func (p convergesWithin) Rule() string {
	return "no value is older than the source for longer than " + model.FormatDuration(p.longest) + " after the last fault is over"
}
func (convergesWithin) Vacuous() string {
	return "no value was ever older than the source when no fault was under way"
}

func (convergesWithin) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind == model.MoveLate {
		return model.Exercised | model.Violated
	}
	if e.Move.Kind.IsFault() || e.Move.Kind == model.MoveRecovery {
		s.Watches = [model.MaxKeys]uint8{}
	}
	lasts := faultLasts(s)
	return watchEntries(s, func(k int) bool { return !lasts && outdated(s, k) })
}

// faultLasts reports whether a fault has begun that will be over.
func faultLasts(s *model.State) bool {
	if s.Replica.Lags || s.Outage.On || s.Starving.On {
		return true
	}
	for n := range s.Nodes {
		switch s.Nodes[n].Status {
		case model.Halted, model.Down, model.Doomed:
			return true
		}
	}
	return false
}

func (p convergesWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	text := freshWithin(p).Explain(t)
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if s := &t.Steps[i]; s.Kind == "fault" || s.Kind == "recovery" {
			return fmt.Sprintf("%s, and the last fault was over at %s, %s earlier", text, model.FormatDuration(s.Time), model.FormatDuration(last.Time-s.Time))
		}
	}
	return text
}
