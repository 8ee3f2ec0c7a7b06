package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// RebuildWindow is the property that at most n rebuilds start within any window of the length
// d, its beginning counted and its end not: of n+1 rebuilds in a row the last starts d or
// more after the first, whatever has expired meanwhile. A rebuild starts when its read of the
// source takes effect. n is 1 to MaxWindow, d is longer than 0. At most one property of a
// check can be about time.
func RebuildWindow(n int, d time.Duration) model.Property {
	return rebuildWindow{lasting{"rebuild-window", d}, n}
}

// MaxWindow is how many of anything can be allowed within a window.
const MaxWindow = model.MaxKeys

type rebuildWindow struct {
	lasting
	most int
}

func (p rebuildWindow) Argument() string {
	return fmt.Sprintf("%d/%s", p.most, model.FormatDuration(p.longest))
}
func (p rebuildWindow) Rule() string {
	return fmt.Sprintf("at most %s within any %s", model.Count(p.most, "rebuild starts", "rebuilds start"), model.FormatDuration(p.longest))
}
func (rebuildWindow) Vacuous() string { return "no more rebuilds ever started than are allowed" }

// Compares: the clocks are those of the last rebuilds, the oldest first; it is the only one
// that matters, once there are as many as are allowed.
func (p rebuildWindow) Compares(s *model.State, op *model.Operation, k int) bool {
	return k == 0 && s.Since[p.most-1] != model.NoClock && op != nil && op.Kind == model.SourceRead
}

func (p rebuildWindow) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if !e.Reached || e.Operation.Kind != model.SourceRead {
		return 0
	}
	return again(s, e, p.most)
}

// again lets the clocks stand for the last of what is counted, one of which the step is, and
// says whether it comes too soon.
func again(s *model.State, e *model.Event, most int) model.Outcome {
	for k := range most {
		if s.Since[k] == model.NoClock {
			s.Since[k] = model.Fresh
			return 0
		}
	}
	outcome := model.Exercised
	if e.Move.Soon != 0 || s.Since[0] == model.Fresh {
		outcome |= model.Violated
	}
	copy(s.Since[:most-1], s.Since[1:most])
	s.Since[most-1] = model.Fresh
	return outcome
}

// Valid refuses what cannot be counted, and a window without length.
func (p rebuildWindow) Valid() error {
	return validCount(p.lasting, p.most)
}

func validCount(p lasting, most int) error {
	if most < 1 || most > MaxWindow {
		return fmt.Errorf("%s with a bound of %d: it must be 1 to %d", p.name, most, MaxWindow)
	}
	return validWindow(p)
}

func validWindow(p lasting) error {
	if p.longest <= 0 {
		return fmt.Errorf("%s with a duration of %s: it must be longer than 0", p.name, p.longest)
	}
	return nil
}

func (p rebuildWindow) Explain(t *model.Trace) string {
	var started []int
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Kind != "reply" && s.Operation == "Source.Read" {
			started = append(started, i)
		}
	}
	last := &t.Steps[len(t.Steps)-1]
	if len(started) <= p.most {
		return last.Process + " started a rebuild too soon"
	}
	first := &t.Steps[started[len(started)-1-p.most]]
	return fmt.Sprintf("%s started a rebuild at %s, %s after the one that %s started at %s: these are %d within less than %s, and %s allowed",
		last.Process, model.FormatDuration(last.Time), model.FormatDuration(last.Time-first.Time), first.Process,
		model.FormatDuration(first.Time), p.most+1, model.FormatDuration(p.longest), model.Count(p.most, "is", "are"))
}
