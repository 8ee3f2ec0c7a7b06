package scheduler

import (
	"fmt"
	"runtime"
	"strings"

	"lockstep/model"
)

// PropertyError says that the code of a property panicked. If the value has a method Limit,
// that says in words which limit the property exceeds.
type PropertyError struct {
	Property string
	// Source is the line that panicked, as far as that is known, and Value what with.
	Source model.Source
	Value  any
}

func (e *PropertyError) Error() string {
	at := ""
	if e.Source.File != "" {
		at = fmt.Sprintf("%s:%d: ", e.Source.File, e.Source.Line)
	}
	if limit, is := e.Value.(interface{ Limit() string }); is {
		return fmt.Sprintf("the property %s: %s", e.Property, limit.Limit())
	}
	return fmt.Sprintf("%sthe property %s panicked: %v", at, e.Property, e.Value)
}

// asked is the property whose code runs, if any does.
type asked struct{ property model.Property }

// blame makes a panic of the property that has been asked an error; any other goes on. It
// is to be deferred.
func (a *asked) blame(err *error) {
	if a.property == nil {
		return
	}
	value := recover()
	if value == nil {
		return
	}
	*err = &PropertyError{a.property.Name(), panicLine(), value}
	a.property = nil
}

// panicLine returns the line of the frame that panicked, outside of Go's own library.
func panicLine() model.Source {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !inRuntime {
			file := frame.File[strings.LastIndexByte(frame.File, '/')+1:]
			pkg := frame.Function
			if i := strings.IndexByte(pkg[strings.LastIndexByte(pkg, '/')+1:], '.'); i >= 0 {
				pkg = pkg[:strings.LastIndexByte(pkg, '/')+1+i]
			}
			return model.Source{File: pkg + "/" + file, Line: frame.Line}
		}
		panicking = panicking || inRuntime && strings.Contains(frame.Function, "panic")
		if !more {
			return model.Source{}
		}
	}
}

// explain asks the property for the explanation of a trace.
func explain(p model.Property, t *model.Trace) (text string, err error) {
	a := asked{p}
	defer a.blame(&err)
	return p.Explain(t), nil
}
