package incident

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// Operation is an operation of a history: a call, and its return if there is one.
type Operation struct {
	// Process did it. Line is where it was invoked, Returned where it returned, 0 for never.
	Process        string
	Line, Returned int
	// F is what it does, as read or acquire, In its argument, Out its result; nil for none.
	F       string
	In, Out any
	// call and ret order the history.
	call, ret int64
	// unknown: whether it took effect is not known.
	unknown bool
}

// History is what Jepsen or Knossos has recorded of an object.
type History struct {
	Operations []Operation
	// Failed is how many operations certainly had no effect: they do not matter.
	Failed int
	Bad    Bad
}

// MaxOperations is how many operations a history may have: porcupine holds them all.
const MaxOperations = 1 << 20

// IsHistory reports whether a text begins as a history in EDN does, rather than as the output
// of MONITOR.
func IsHistory(begin []byte) bool {
	begin = bytes.TrimLeft(begin, " \t\r\n,")
	for _, prefix := range []string{"{:", "[{:", "({:", "[#", "#", ";"} {
		if bytes.HasPrefix(begin, []byte(prefix)) {
			return true
		}
	}
	return false
}

// ReadHistory reads a history in EDN: maps with :process, :type (:invoke, :ok, :fail or :info),
// :f and :value, one after the other or in one vector. What is no operation of a client, of the
// nemesis for example, is passed over; what cannot be read is noted. A value that breaks the
// notation ends the reading.
func ReadHistory(r io.Reader) (*History, error) {
	log := &ednLog{in: newEDN(r)}
	h, err := HistoryOf(log)
	if err != nil {
		return nil, err
	}
	// Both are in the order of their lines.
	first := append(log.bad.First, h.Bad.First...)
	slices.SortStableFunc(first, func(a, b BadLine) int { return a.Line - b.Line })
	h.Bad = Bad{Count: log.bad.Count + h.Bad.Count, First: first[:min(len(first), maxBadKept)]}
	return h, nil
}

// HistoryOf makes a history of events, see [Invoke]; others are passed over. What does not fit
// together is noted.
func HistoryOf(events EventReader) (*History, error) {
	h := &History{}
	open := map[string]int{} // the operation under way, by process
	for at := int64(0); ; at++ {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !e.Kind.isHistory() {
			continue
		}
		if why := h.take(e, at, open); why != "" {
			h.Bad.add(e.Line, "", why)
		}
		if len(h.Operations) > MaxOperations {
			return nil, fmt.Errorf("the history has more than %d operations: check a part of it", MaxOperations)
		}
	}
	// What failed had no effect.
	h.Operations = slices.DeleteFunc(h.Operations, func(o Operation) bool { return o.ret < 0 })
	for i := range h.Operations {
		if o := &h.Operations[i]; o.Returned == 0 {
			o.unknown, o.ret = true, 1<<62
		}
	}
	return h, nil
}

// take takes an entry of a history into account and says what is wrong with it.
func (h *History) take(e *Event, at int64, open map[string]int) string {
	value, err := parsed(e.Value)
	if err != nil {
		return err.Error()
	}
	process, f := e.Client, e.Name
	k, busy := open[process]
	if e.Kind == Invoke {
		if busy {
			return fmt.Sprintf("process %s invokes %s while %s is under way since line %d", process, f, h.Operations[k].F, h.Operations[k].Line)
		}
		open[process] = len(h.Operations)
		h.Operations = append(h.Operations, Operation{Process: process, Line: e.Line, F: f, In: value, call: at})
		return ""
	}
	if !busy {
		return fmt.Sprintf("process %s has nothing under way", process)
	}
	o := &h.Operations[k]
	if o.F != f {
		return fmt.Sprintf("process %s returns from %s, and %s is under way", process, f, o.F)
	}
	delete(open, process)
	switch e.Kind {
	case OK:
		o.Out, o.Returned, o.ret = value, e.Line, at
	case Fail:
		o.ret = -1
		h.Failed++
	}
	return ""
}

// Verdict is what porcupine says of a history.
type Verdict struct {
	// Linearizable is true, false, or nil if it was not decided in time.
	Linearizable *bool `json:"linearizable"`
	Operations   int   `json:"operations"`
	Unknown      int   `json:"unknown"`
	Failed       int   `json:"failed"`
	Bad          Bad   `json:"bad_lines"`
	info         porcupine.LinearizationInfo
	model        porcupine.Model
}

// Check asks porcupine whether the history is linearizable for an object, see [Objects], within
// some time; 0 for no limit. An operation whose outcome is not known may have taken effect at
// any time, or never.
func (h *History) Check(object string, within time.Duration) (*Verdict, error) {
	model, err := objectModel(object)
	if err != nil {
		return nil, err
	}
	v := &Verdict{Operations: len(h.Operations), Failed: h.Failed, Bad: h.Bad, model: model}
	var operations []porcupine.Operation
	for i := range h.Operations {
		o := &h.Operations[i]
		if err := known(object, o); err != nil {
			return nil, fmt.Errorf("line %d: %w", o.Line, err)
		}
		if o.unknown {
			v.Unknown++
		}
		operations = append(operations, porcupine.Operation{ClientId: i, Input: o, Output: o, Call: o.call, Return: o.ret})
	}
	result, info := porcupine.CheckOperationsVerbose(model, operations, within)
	v.info = info
	if result != porcupine.Unknown {
		ok := result == porcupine.Ok
		v.Linearizable = &ok
	}
	return v, nil
}

// Visualize writes porcupine's HTML of the history and of how far it can be linearized.
func (v *Verdict) Visualize(w io.Writer) error { return porcupine.Visualize(v.model, v.info, w) }
