package checks

import (
	"fmt"
	"time"

	"lockstep/model"
)

// AnsweredWithin is the property that no request waits for longer than d, from its
// arrival until it returns. A request whose node crashes waits no longer; one whose
// node is paused does. It is the exact form of [Answered], and at most one property
// of a check can be of this kind. d is 0 or more.
func AnsweredWithin(d time.Duration) model.Property { return answeredWithin{d} }

type answeredWithin struct{ longest time.Duration }

func (answeredWithin) Name() string { return "answered-within" }
func (p answeredWithin) Rule() string {
	return "no request waits for longer than " + model.FormatDuration(p.longest)
}
func (answeredWithin) Vacuous() string           { return "no request ever arrived" }
func (answeredWithin) Memory() int               { return 0 }
func (p answeredWithin) Patience() time.Duration { return p.longest }
func (p answeredWithin) Argument() string        { return model.FormatDuration(p.longest) }

func (answeredWithin) Check(_ *model.State, e *model.Event, _ []byte) model.Outcome {
	switch {
	case e.Move.Kind == model.MoveLate:
		return model.Exercised | model.Violated
	case e.Move.Kind == model.MoveArrive && e.Move.Choice == 1:
		return model.Exercised
	}
	return 0
}

// Valid refuses a negative duration.
func (p answeredWithin) Valid() error {
	if p.longest < 0 {
		return fmt.Errorf("%s with a duration of %s: it must be 0 or longer", p.Name(), p.longest)
	}
	return nil
}

func (p answeredWithin) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	arrived := time.Duration(0)
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Watched && s.Process == last.Process {
			arrived = s.Time
		}
	}
	return fmt.Sprintf("%s has waited since %s and is not answered", last.Process, model.FormatDuration(arrived))
}
