package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// MaxTraceTime is the longest time that a trace can have, in nanoseconds: 146 years.
const MaxTraceTime = 1 << 62

// StepKinds returns what the kind of a step can be.
func StepKinds() []string {
	return []string{"arrive", "effect", "reply", "expire", "fault", "recovery", "late", "timeout"}
}

// MarkKinds returns what the kind of a mark can be.
func MarkKinds() []string {
	return []string{"token", "acquired", "releasing", "spawn", "checkpoint", "restart", "context", "return"}
}

// The forms of names in a trace.
const (
	nodePattern    = `[nu](0|[1-9][0-9]*)`
	processPattern = nodePattern + `/(boot|job)?(0|[1-9][0-9]*)(\.[1-9][0-9]*)*`
)

var (
	nodeForm    = regexp.MustCompile(`^` + nodePattern + `$`)
	processForm = regexp.MustCompile(`^` + processPattern + `$`)
	// A process, or the timer of a context that one opened.
	overdueForm = regexp.MustCompile(`^(context [0-9]+ of )?` + processPattern + `$`)
	keyForm     = regexp.MustCompile(`^[^/]+/`)
)

// form is what a text can be, and that in words.
type form struct {
	valid func(string) bool
	want  string
}

// formOf returns the form that the text under a key of a struct must have, if not every one
// will do.
func formOf(of, key string) (f form, limited bool) {
	switch of + "." + key {
	case "TraceStep.kind":
		return oneOf(StepKinds()), true
	case "TraceMark.kind":
		return oneOf(MarkKinds()), true
	case "TraceStep.node":
		return form{nodeForm.MatchString, "a node, such as n0, or that of an update, such as u0"}, true
	case "TraceStep.process", "TraceMark.process", "TraceChange.owner", "HistoryOperation.process":
		return form{processForm.MatchString, "a process, such as n0/0, u0/0, n0/boot0 or n0/0.1"}, true
	case "TraceStep.overdue":
		return form{overdueForm.MatchString, "a process, such as n0/0, u0/0, n0/boot0 or n0/0.1"}, true
	case "TraceStep.key", "TraceChange.key":
		return form{keyForm.MatchString, "a store and a key, such as cache/feed"}, true
	case "Trace.protocol", "Trace.property", "Source.file", "ParameterValue.name", "FaultBudget.name", "OtherNodes.protocol", "TraceStep.fault", "TraceStep.operation":
		return form{func(s string) bool { return s != "" }, "a name"}, true
	}
	return form{}, false
}

func oneOf(names []string) form {
	return form{func(s string) bool { return slices.Contains(names, s) }, "one of " + strings.Join(names, ", ")}
}

// leastOf returns the least number that can stand under a key of a struct.
func leastOf(of, key string) int64 {
	switch of + "." + key {
	case "Source.line", "Bounds.nodes", "Bounds.requests", "FaultBudget.budget", "OtherNodes.nodes":
		return 1
	}
	return 0
}

// whole says what is wrong with an object, each of whose values may be right for itself,
// and with the value of which key.
func (r *traceReader) whole(object any) (key string, err error) {
	switch v := object.(type) {
	case *TraceStep:
		if int64(v.Time) < r.step {
			return "time_ns", fmt.Errorf("the step is at %s, earlier than the one before it, at %dns; steps are in the order of their times", FormatDuration(v.Time), r.step)
		}
		r.step = int64(v.Time)
		return v.whole()
	case *Trace:
		return v.cost()
	case *TraceMark:
		if v.Subject == "" && (v.Kind == "acquired" || v.Kind == "releasing") {
			return "", fmt.Errorf("a mark %s needs the subject, the key that it is about", v.Kind)
		}
	case *HistoryOperation:
		switch {
		case int64(v.Call) < r.call:
			return "call_ns", fmt.Errorf("the call is at %s, earlier than the one before it, at %dns; operations are in the order of their calls", FormatDuration(v.Call), r.call)
		case v.Return != nil && *v.Return < v.Call:
			return "return_ns", fmt.Errorf("the operation returns at %s, before its call at %s; it must return then or later, or have no return_ns", FormatDuration(*v.Return), FormatDuration(v.Call))
		case v.Return == nil && v.Output != "":
			return "output", errors.New("the operation has an output and no return_ns; it needs both, or neither")
		}
		r.call = int64(v.Call)
	}
	return "", nil
}

// whole says what a step lacks, by its kind.
func (s *TraceStep) whole() (key string, err error) {
	switch s.Kind {
	case "arrive", "effect", "reply":
		if s.Process == "" {
			return "", fmt.Errorf("a step of the kind %s needs the process that it is about", s.Kind)
		}
	case "expire":
		if s.Key == "" {
			return "", errors.New("a step of the kind expire needs the key that expires")
		}
	case "late":
		if s.Process == "" && s.Key == "" {
			return "", errors.New("a step of the kind late needs the process or the key that it is about")
		}
	case "timeout":
		if s.Node == "" || len(s.Arguments) == 0 {
			return "", errors.New("a step of the kind timeout needs the node, and the context as the first of the arguments")
		}
	case "fault", "recovery":
		switch {
		case s.Fault == "":
			return "", fmt.Errorf("a step of the kind %s needs the name of the fault", s.Kind)
		case s.Node == "" && s.Key == "" && len(s.Arguments) == 0:
			return "", fmt.Errorf("a step of the kind %s needs what the fault strikes: a node, a key, or a store as the first of the arguments", s.Kind)
		case s.Second > 0 && s.Node == "" && len(s.Arguments) == 0, s.Fault == "failover" && len(s.Arguments) == 0:
			return "", errors.New("this fault strikes a store, which must be the first of the arguments")
		}
	}
	switch {
	case s.Process != "" && !strings.HasPrefix(s.Process, s.Node+"/"):
		return "process", fmt.Errorf("the process %s does not run on the node %q of the step; they must agree", s.Process, s.Node)
	case len(s.Marks) > 0 && s.Node == "":
		return "marks", errors.New("the step has marks and no node on which they can be; it needs one")
	}
	for i := range s.Marks {
		if s.By(&s.Marks[i]) == "" {
			return "marks", fmt.Errorf("mark %d belongs to no process; it or the step must name one", i)
		}
	}
	return "", nil
}

// cost says which of the two numbers that tell the cost of the run is not that of its steps.
func (t *Trace) cost() (key string, err error) {
	faults, weight := 0, 0
	for i := range t.Steps {
		if t.Steps[i].Kind == MoveFault.String() {
			faults++
		}
		if t.Steps[i].Kind != MoveArrive.String() {
			weight++
		}
	}
	switch {
	case t.Faults != faults:
		return "faults", fmt.Errorf("it says %d, and %s of the steps begin one; write %d", t.Faults, Count(faults, "fault", "faults"), faults)
	case t.Weight != weight:
		return "weight", fmt.Errorf("it says %d, and there are %s that are no arrival; write %d", t.Weight, Count(weight, "step", "steps"), weight)
	}
	return "", nil
}
