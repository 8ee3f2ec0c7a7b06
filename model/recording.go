package model

import "time"

// Recording is a Monitor about the history of an object: which operations on it were
// called when, and what they returned. Its Check learns from [Event.Entered] who has gone
// on; where requests arrive and where operations are issued are then steps that nothing is
// merged with, since the order of calls and returns is what it is about. It uses the Client
// and the Call of processes, which are nobody else's: at most one property of a check is
// of this kind. A spawned process has the Client of its parent.
type Recording interface {
	Monitor
	// Recorder returns a monitor for a single run, which can tell the history afterwards.
	Recorder() Recorder
}

// Recorder is a monitor that notes the history of one run.
type Recorder interface {
	Monitor
	// Noted returns what the last step did to the history, in order, and forgets it.
	Noted() []HistoryEvent
	// Confirm lets a judge that is none of the search's decide about the history of the run:
	// whether it violates the property.
	Confirm() bool
}

// HistoryEvent is a call, a return or the loss of an operation on an object.
type HistoryEvent struct {
	// Operation is the number of the operation in the history, from 0; Process whose it is,
	// as an index into the state after the step, -1 for nobody's.
	Operation, Process int
	// Kind is what happens, and Text the input or the output in words.
	Kind HistoryEventKind
	Text string
}

// HistoryEventKind is what happens to an operation of a history.
type HistoryEventKind uint8

const (
	// Called: the operation begins.
	Called HistoryEventKind = iota
	// Returned: it ends, and has taken effect in between.
	Returned
	// Undone: it ends, and has not taken effect. It is no part of the history any more.
	Undone
)

// HistoryOperation is an operation of the history of an object, in a trace.
type HistoryOperation struct {
	// Process is whose operation it is, empty for what happens to the object by itself.
	Process string `json:"process,omitempty"`
	// Input is what is asked of the object and Output what it answers, in words.
	Input  string `json:"input"`
	Output string `json:"output,omitempty"`
	// Call and Return are instants since the beginning; Return is nil, and Output empty, if
	// the operation has not returned.
	Call   time.Duration  `json:"call_ns"`
	Return *time.Duration `json:"return_ns,omitempty"`
}

// LastReturned returns the operation of the history that was the last to return, nil if none
// has: in a counterexample, the one that finds no place.
func (t *Trace) LastReturned() *HistoryOperation {
	var last *HistoryOperation
	for i := range t.History {
		if o := &t.History[i]; o.Return != nil && (last == nil || *o.Return >= *last.Return) {
			last = o
		}
	}
	return last
}
