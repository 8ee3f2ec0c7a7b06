package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// RestartWindow is the property that requests start over (protocol.Again) at most n times
// within any window of the length d, its beginning counted and its end not, all requests taken
// together. Whoever asks again without waiting in between, for whatever it does not get,
// violates it for every n and d: a livelock in no time, in which others may not get on either.
// A livelock that takes time is the business of [NoLivelock], if nothing can end it, and of
// [AnsweredWithin]. n is 1 to MaxWindow, d is longer than 0. At most one property of a check
// can be about time.
func RestartWindow(n int, d time.Duration) model.Property {
	return restartWindow{lasting{"restart-window", d}, n}
}

type restartWindow struct {
	lasting
	most int
}

func (p restartWindow) Argument() string {
	return fmt.Sprintf("%d/%s", p.most, model.FormatDuration(p.longest))
}
func (p restartWindow) Rule() string {
	return fmt.Sprintf("requests start over at most %s within any %s", model.Count(p.most, "time", "times"), model.FormatDuration(p.longest))
}
func (restartWindow) Vacuous() string { return "no more requests ever started over than are allowed" }

// Compares: the clocks are those of the last restarts, the oldest first, and any step may
// end with one.
func (p restartWindow) Compares(s *model.State, _ *model.Operation, k int) bool {
	return k == 0 && s.Since[p.most-1] != model.NoClock
}

func (p restartWindow) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	if e.Process < 0 || !s.Processes[e.Process].IsRequest() {
		return 0
	}
	for i := range e.Marks {
		if e.Marks[i].Kind == model.MarkRestart {
			outcome |= again(s, e, p.most)
		}
	}
	return outcome
}

// Valid refuses what cannot be counted, and a window without length.
func (p restartWindow) Valid() error { return validCount(p.lasting, p.most) }

func (p restartWindow) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	var restarts []*model.TraceStep
	for i := range t.Steps {
		s := &t.Steps[i]
		for k := range s.Marks {
			if s.Marks[k].Kind == "restart" {
				restarts = append(restarts, s)
			}
		}
	}
	if len(restarts) <= p.most {
		return last.Process + " started over too soon"
	}
	first := restarts[len(restarts)-1-p.most]
	return fmt.Sprintf("%s started over at %s, %s after %s did at %s: this is the %s time within less than %s, and %s allowed",
		last.Process, model.FormatDuration(last.Time), model.FormatDuration(last.Time-first.Time), first.Process,
		model.FormatDuration(first.Time), ordinal(p.most+1), model.FormatDuration(p.longest), model.Count(p.most, "is", "are"))
}

// ordinal is a number from 2 to MaxWindow+1 in the order of things.
func ordinal(n int) string {
	switch n {
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	}
	return fmt.Sprintf("%dth", n)
}
