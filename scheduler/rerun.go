package scheduler

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/model"
)

// Rerun is what became of a trace that was run again.
type Rerun struct {
	// Trace has the steps that were run, as they are now: their lines of code, what they
	// changed, what comes of them. The rest is that of the scenario and the property.
	Trace *model.Trace
	// Of has for each step of Trace the number, from 1, of the step of the trace that was run
	// again for which it was taken, 0 for one that came in between.
	Of []int
	// Departure says where the run departs from the trace, nil if it does not.
	Departure *Departure
	// Parting is, of a run that follows a trace, the first step at which not the same
	// operation has the same outcome: from there on the runs are two. What a different
	// argument leads to may come much later than that. It is nil if there is none.
	Parting *Departure
	// Violated is after how many steps the property is violated for the first time, 0 if it
	// never is. A property that is about dead ends is asked at the end of the run, from which
	// all continuations are explored; Undecided says why that was given up, if it was.
	Violated  int
	Undecided string
	// Moved are the steps, from 1, that are those of the trace, but for the line of code.
	Moved []int
}

// Departure is a step of a trace that is not possible any more.
type Departure struct {
	// Step is its number, from 1, and Time when it was to be.
	Step int
	Time time.Duration
	// Want is what the trace has, and Got what happens instead.
	Want, Got string
}

func (d *Departure) Error() string {
	return fmt.Sprintf("step %d, at %s: expected %s, got %s", d.Step, model.FormatDuration(d.Time), d.Want, d.Got)
}

// Again runs the first steps of a trace again, as [Replay] does: all of them if steps is
// negative or there are fewer. Where a step is not possible any more, since the protocol
// has changed, say, it stops there. It fails if the scenario is wrong or the protocol
// breaks a rule.
func Again(s Scenario, t *model.Trace, p model.Property, steps int) (*Rerun, error) {
	if steps < 0 || steps > len(t.Steps) {
		steps = len(t.Steps)
	}
	var result *Rerun
	return result, again(s, t, p, func(r *replayer) error {
		result = newRerun(r.scenario, t, p)
		for i := range t.Steps[:steps] {
			want := &t.Steps[i]
			got, err := r.step(want)
			if err != nil {
				if broken(err) {
					return err
				}
				result.Departure = r.departure(i+1, want, err)
				break
			}
			result.add(r, p, got, i+1, want)
		}
		return result.end(r, p, result.Departure == nil && steps == len(t.Steps))
	})
}

// newRerun returns one without steps.
func newRerun(s Scenario, t *model.Trace, p model.Property) *Rerun {
	c := *t
	c.Protocol, c.Parameters, c.Bounds = s.Name, s.Parameters(), s.Bounds()
	c.Steps, c.History, c.Explanation, c.Faults, c.Weight = []model.TraceStep{}, nil, "", 0, 0
	c.Property, c.Rule = p.Name(), p.Rule()
	return &Rerun{Trace: &c}
}

// add adds a step that was taken for the one of the trace with the number, 0 for none.
func (a *Rerun) add(r *replayer, p model.Property, got *model.TraceStep, number int, want *model.TraceStep) {
	t := a.Trace
	t.Steps, a.Of = append(t.Steps, *got), append(a.Of, number)
	if got.Kind == model.MoveFault.String() {
		t.Faults++
	}
	if got.Kind != model.MoveArrive.String() {
		t.Weight++
	}
	if want != nil && got.Source != nil && want.Source != nil && *got.Source != *want.Source {
		a.Moved = append(a.Moved, len(t.Steps))
	}
	if _, ok := p.(model.DeadEnd); !ok && r.broken && a.Violated == 0 {
		a.Violated = len(t.Steps)
	}
}

// end completes what is known only at the end of the run, if it has come there.
func (a *Rerun) end(r *replayer, p model.Property, whole bool) error {
	t := a.Trace
	if d, ok := p.(model.DeadEnd); ok && whole {
		hopeless, err := r.hopeless(d)
		switch {
		case errors.Is(err, errUndecided):
			a.Undecided = err.Error()
		case err != nil:
			return err
		case hopeless:
			a.Violated = len(t.Steps)
		}
	}
	if a.Violated == 0 {
		return nil
	}
	var err error
	if a.Violated == len(t.Steps) {
		if t.History, err = r.history.judged(p); err != nil {
			return err
		}
	}
	// What comes after the violation does not explain it.
	until := *t
	until.Steps = t.Steps[:a.Violated]
	t.Explanation, err = explain(p, &until)
	return err
}

// broken reports whether an error is more than that a step is not possible.
func broken(err error) bool {
	switch err.(type) {
	case *finerTick, *ProtocolError, *ScenarioError, *PropertyError, *model.LimitError:
		return true
	}
	return false
}

// departure says what happens instead of a step.
func (r *replayer) departure(number int, want *model.TraceStep, cause error) *Departure {
	d := &Departure{Step: number, Time: want.Time, Want: described(want, false), Got: cause.Error()}
	if r.now < want.Time {
		// Time cannot pass until then: something is due before.
		if err := r.pass(r.room(want.Time - r.now)); err != nil {
			return d
		}
		if got, err := r.force(); err == nil {
			d.Got = fmt.Sprintf("%s, which is due at %s", performed(got), model.FormatDuration(got.Time))
		}
		return d
	}
	_, offered, err := r.take("", func(*model.TraceStep, *model.Event) bool { return false })
	if err != nil {
		return d
	}
	var others []string
	for k := range offered {
		got := &offered[k]
		if got.Kind == want.Kind && got.Process == want.Process && (got.Process != "" || got.Fault != "" && got.Fault == want.Fault && got.Node == want.Node) {
			d.Want, d.Got = told(want, got)
			return d
		}
		others = append(others, performed(got))
	}
	d.Got = r.doing(want.Process)
	if want.Process == "" {
		d.Got = "nothing of the kind; what is possible is " + strings.Join(others, ", ")
	}
	return d
}

// performed is a step in words, with who does it.
func performed(s *model.TraceStep) string {
	who := cmp.Or(s.Process, s.Node)
	if who == "" || strings.HasPrefix(s.Text, who) {
		return described(s, false)
	}
	return who + " " + described(s, false)
}

// told describes two steps, as briefly as tells them apart.
func told(want, got *model.TraceStep) (string, string) {
	if a, b := described(want, false), described(got, false); a != b {
		return a, b
	}
	a, b := described(want, true), described(got, true)
	switch {
	case a != b:
	case want.Observation != got.Observation:
		return a + " to come to " + cmp.Or(want.Observation, "nothing"), b + " that comes to " + cmp.Or(got.Observation, "nothing")
	case !slices.Equal(want.Arguments, got.Arguments):
		return a + " of " + strings.Join(want.Arguments, ", "), b + " of " + strings.Join(got.Arguments, ", ")
	case !slices.Equal(want.Overdue, got.Overdue):
		return a + " with overdue: " + cmp.Or(strings.Join(want.Overdue, ", "), "nobody"), b + " with overdue: " + cmp.Or(strings.Join(got.Overdue, ", "), "nobody")
	}
	return a, b
}

// described is a step in words: its operation and the line of code, or its text; whole with
// its arguments and what comes of it.
func described(s *model.TraceStep, whole bool) string {
	text := s.Operation
	if text == "" || whole {
		text = s.Text
	} else if s.Key != "" {
		text += " " + s.Key[strings.LastIndexByte(s.Key, '/')+1:]
	}
	if s.Source != nil && s.Source.File != "" {
		text += " at " + s.Source.Short()
	}
	return text
}

// doing says what a process does at this instant.
func (r *replayer) doing(process string) string {
	for i := range r.state.Processes {
		p := &r.state.Processes[i]
		if processName(&r.state, p) != process {
			continue
		}
		switch p.Phase {
		case model.Waiting:
			return process + " has not arrived"
		case model.Ended:
			return process + " has returned"
		}
		op := r.rules.Automaton.Operation(p.Local)
		state := "is at"
		if p.Phase == model.Acting {
			state = "waits in"
		}
		return fmt.Sprintf("%s %s %s at %s", process, state, op.Kind, op.Source.Short())
	}
	return process + " is not there"
}
