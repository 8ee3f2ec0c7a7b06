package scheduler

import (
	"fmt"
	"time"

	"lockstep/model"
)

// notes are the history of an object in a run, if a property is about one.
type notes struct {
	recorder   model.Recorder
	operations []noted
}

// noted is an operation. undone: it has not taken effect.
type noted struct {
	model.HistoryOperation
	undone bool
}

// newNotes lets the monitor that is about a history, if there is one, note it.
func newNotes(monitors []model.Monitor) *notes {
	n := &notes{}
	for i, m := range monitors {
		if m, ok := m.(model.Recording); ok {
			n.recorder = m.Recorder()
			monitors[i] = n.recorder
		}
	}
	return n
}

// take notes what a step that has led to a state did to the history.
func (n *notes) take(s *model.State, now time.Duration) {
	if n.recorder == nil {
		return
	}
	for _, e := range n.recorder.Noted() {
		switch e.Kind {
		case model.Called:
			o := noted{HistoryOperation: model.HistoryOperation{Input: e.Text, Call: now}}
			if e.Process >= 0 {
				o.Process = processName(s, &s.Processes[e.Process])
			}
			n.operations = append(n.operations, o)
		case model.Returned:
			n.operations[e.Operation].Output, n.operations[e.Operation].Return = e.Text, &now
		case model.Undone:
			n.operations[e.Operation].undone = true
		}
	}
}

// judged returns the history of a run that violates the property. It fails if a judge that
// is not the search's thinks otherwise.
func (n *notes) judged(p model.Property) ([]model.HistoryOperation, error) {
	if n.recorder == nil {
		return nil, nil
	}
	if !n.recorder.Confirm() {
		return nil, fmt.Errorf("porcupine finds the history linearizable that violates %s in the search", p.Name())
	}
	var history []model.HistoryOperation
	for i := range n.operations {
		if !n.operations[i].undone {
			history = append(history, n.operations[i].HistoryOperation)
		}
	}
	return history, nil
}
