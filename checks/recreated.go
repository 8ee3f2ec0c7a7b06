package checks

import (
	"fmt"

	"lockstep/model"
)

// NoRecreatedLock is the property that no request sets a lock anew that it believes to hold
// and has lost: a renewal that sets what is missing hides that another may have held it
// in between.
func NoRecreatedLock() model.Property { return noRecreatedLock{} }

type noRecreatedLock struct{}

func (noRecreatedLock) Name() string { return "no-recreated-lock" }
func (noRecreatedLock) Rule() string {
	return "no request sets a lock anew that it believes to hold and has lost"
}
func (noRecreatedLock) Vacuous() string {
	return "no request ever lost a lock that it believed to hold"
}
func (noRecreatedLock) Memory() int { return 0 }

func (noRecreatedLock) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	for i := range s.Processes {
		p := &s.Processes[i]
		for k := range locks(p.Believes) {
			if !holds(s, model.OwnerOf(p), k) {
				outcome |= model.Exercised
			}
		}
	}
	if e.Process < 0 || e.Operation == nil {
		return outcome
	}
	owner := model.OwnerOf(&s.Processes[e.Process])
	for i := range e.Changes {
		c := &e.Changes[i]
		v := c.After.Value
		if c.Before.Present() || v.Kind != model.KindToken || !c.Written || s.Owners[v.N] != owner {
			continue
		}
		if believed(s, e, owner, c.Key) {
			outcome |= model.Exercised | model.Violated
		}
	}
	return outcome
}

func (noRecreatedLock) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for _, c := range last.Changes {
		if c.Before != "" || c.After == "" || c.After[0] != '#' {
			continue
		}
		text := fmt.Sprintf("%s set %s anew, which its request believed to hold", last.Process, keyName(c.Key))
		if s := lastLoss(t, c.Key); s != nil {
			text += "; " + lossText(s)
		}
		return text
	}
	return last.Process + " set a lock anew that its request believed to hold"
}
