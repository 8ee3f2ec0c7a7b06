package protocol

import (
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"lockstep/model"
)

// stack has the program counters of the functions that are under way on a goroutine, the
// innermost first: as many as there is room for.
type stack struct {
	pcs   [64]uintptr
	depth int
}

// look takes the stack of the goroutine that it is called on.
func (s *stack) look() { s.depth = runtime.Callers(2, s.pcs[:]) }

// source returns the line of protocol code that has called into this package.
func (s *stack) source() model.Source {
	for _, pc := range s.pcs[:s.depth] {
		if f := frameAt(pc); !f.ours {
			return f.source
		}
	}
	return model.Source{}
}

// caller returns the line of protocol code that called into this package.
func caller() model.Source {
	var s stack
	s.look()
	return s.source()
}

// frame is what is to be known of a place in the program.
type frame struct {
	source model.Source
	// ours: it is in this package, or in Go's library.
	ours bool
}

// frames has each frame that was asked for, by program counter.
var frames sync.Map

// paths has where a file of protocol code is, by its name in a [model.Source].
var paths sync.Map

// PathOf returns where the file of a source was when the program was built, if protocol code
// that is in it has run in this process: an absolute path, unless paths are trimmed.
func PathOf(file string) (path string, ok bool) {
	known, ok := paths.Load(file)
	if !ok {
		return "", false
	}
	return known.(string), true
}

func frameAt(pc uintptr) frame {
	if known, ok := frames.Load(pc); ok {
		return known.(frame)
	}
	at, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	f := frame{ours: at.Function == "" || strings.HasPrefix(at.Function, "lockstep/protocol.") || FromGo(at.File)}
	if !f.ours {
		f.source = sourceOf(at)
		paths.Store(f.source.File, at.File)
	}
	frames.Store(pc, f)
	return f
}

// bottom is what is at the bottom of the stack of each run: the function that runs the
// protocol code and what has started it.
type bottom [4]uintptr

var bottomOfRuns atomic.Pointer[bottom]

// startsRun is called by the function that is at the bottom of a run, just before it runs
// the protocol code.
func startsRun() {
	if bottomOfRuns.Load() != nil {
		return
	}
	var s stack
	s.look()
	bottomOfRuns.Store(s.bottom())
}

// bottom returns nil for a stack that is deeper than there was room for.
func (s *stack) bottom() *bottom {
	if s.depth == len(s.pcs) || s.depth < len(bottom{}) {
		return nil
	}
	b := bottom(s.pcs[s.depth-len(bottom{}) : s.depth])
	return &b
}

// ofRun reports whether the stack is known to be that of a run.
func (s *stack) ofRun() bool {
	runs, b := bottomOfRuns.Load(), s.bottom()
	return runs != nil && b != nil && slices.Equal(b[1:], runs[1:]) && runtime.FuncForPC(b[0]-1) == runtime.FuncForPC(runs[0]-1)
}

// panicSource returns the line of protocol code that panicked.
func panicSource() model.Source {
	var s stack
	s.look()
	frames := runtime.CallersFrames(s.pcs[:s.depth])
	panicking := false
	for {
		frame, more := frames.Next()
		if panicking && !strings.HasPrefix(frame.Function, "lockstep/protocol.") && !FromGo(frame.File) {
			return sourceOf(frame)
		}
		panicking = panicking || strings.HasPrefix(frame.Function, "runtime.") &&
			(strings.Contains(frame.Function, "panic") || strings.HasSuffix(frame.Function, "Goexit"))
		if !more {
			return model.Source{}
		}
	}
}

// sourceOf names a line by the import path of its package rather than by its
// directory, which differs from machine to machine.
func sourceOf(frame runtime.Frame) model.Source {
	return SourceOf(frame.Function, frame.File, frame.Line)
}

// SourceOf names a line of a file by the function that it is in.
func SourceOf(name, file string, line int) model.Source {
	file = file[strings.LastIndexByte(file, '/')+1:]
	dir := ""
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 {
		dir, name = name[:slash+1], name[slash+1:]
	}
	pkg, _, _ := strings.Cut(name, ".")
	return model.Source{File: dir + pkg + "/" + file, Line: line}
}

// FromGo reports whether a file belongs to Go's own library. Where paths are
// trimmed it cannot tell and says no.
func FromGo(file string) bool {
	known, _ := runtime.FuncForPC(reflect.ValueOf(strings.Repeat).Pointer()).FileLine(0)
	root, ok := strings.CutSuffix(known, "strings/strings.go")
	return ok && root != "" && strings.HasPrefix(file, root)
}

// routine names the goroutine that it is called on.
func routine() string {
	var buffer [64]byte
	text := string(buffer[:runtime.Stack(buffer[:], false)])
	text = strings.TrimPrefix(text, "goroutine ")
	number, _, _ := strings.Cut(text, " ")
	if _, err := strconv.Atoi(number); err != nil {
		return ""
	}
	return number
}
