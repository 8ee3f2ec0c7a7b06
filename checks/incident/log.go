package incident

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"lockstep/model"
)

// Format is that of a log.
type Format string

// What can be read.
const (
	// MonitorFormat is the output of MONITOR of a Redis server.
	MonitorFormat Format = "monitor"
	// ApplicationFormat is an object of JSON a line, as a [Mapping] describes it.
	ApplicationFormat Format = "app"
	// HistoryFormat is a history of Jepsen or Knossos in EDN.
	HistoryFormat Format = "edn"
	// TraceFormat is a trace of Lockstep.
	TraceFormat Format = "trace"
	// Normalized is what [Writer] writes.
	Normalized Format = "normalized"
)

// Formats are the formats that can be read.
func Formats() []Format {
	return []Format{MonitorFormat, ApplicationFormat, HistoryFormat, TraceFormat, Normalized}
}

// Options say how a log is read.
type Options struct {
	// Format is that of the log, empty to tell by how it begins.
	Format Format
	// Mapping says what the fields of an application's log mean, nil for [DefaultMapping].
	Mapping *Mapping
}

// Log is a log of any format, from which the events are read one by one.
type Log struct {
	// Name is that of the file, Format what it was read as.
	Name   string
	Format Format
	// First and Last are the times of the first event and the latest so far, Events how many
	// there were.
	First, Last time.Time
	Events      int
	// History: it has operations of a history. Of is the format of what was imported, if the
	// log is a normalized one: empty if there were several.
	History bool
	Of      Format

	sources []source
	next    func() (*Event, error)
	bad     func() *Bad
	back    func() int
	peeked  *Event
	ended   error
}

// OpenLog begins to read a log, compressed by gzip or not. An error is one of the input: a trace
// that is wrong is a *model.TraceError.
func OpenLog(name string, r io.Reader, o Options) (*Log, error) {
	text, err := unpack(r)
	if err != nil {
		return nil, err
	}
	l := &Log{Name: name, Format: o.Format}
	if l.Format == "" {
		l.Format = formatOf(text)
	}
	l.Of, l.sources = l.Format, []source{{name, l.Format}}
	none := func() int { return 0 }
	switch l.Format {
	case MonitorFormat:
		m := newMonitor(text)
		l.next = func() (*Event, error) {
			c, err := m.Next()
			if err != nil {
				return nil, err
			}
			return eventOf(c), nil
		}
		l.bad, l.back = func() *Bad { return &m.Bad }, func() int { return m.Back }
	case ApplicationFormat:
		mapping := o.Mapping
		if mapping == nil {
			mapping = DefaultMapping()
		}
		app := newAppLog(text, mapping)
		l.next, l.bad, l.back = app.Next, func() *Bad { return &app.bad }, func() int { return app.back }
	case HistoryFormat:
		edn := &ednLog{in: newEDN(text)}
		l.next, l.bad, l.back, l.History = edn.Next, func() *Bad { return &edn.bad }, none, true
	case TraceFormat:
		t, err := model.ReadTrace(text)
		if err != nil {
			return nil, err
		}
		l.next, l.bad, l.back = newTraceLog(t).Next, func() *Bad { return &Bad{} }, none
	case Normalized:
		n, err := newNormalized(text)
		if err != nil {
			return nil, err
		}
		l.next, l.bad, l.back, l.Of = n.Next, func() *Bad { return &n.bad }, func() int { return n.back }, ""
		l.sources = n.header.Sources
		for i, s := range n.header.Sources {
			l.History = l.History || s.Format == HistoryFormat
			if l.Of = s.Format; i > 0 && l.Of != n.header.Sources[0].Format {
				l.Of = ""
				break
			}
		}
	default:
		return nil, fmt.Errorf("%q is no format; it is one of %s", o.Format, words(Formats()))
	}
	return l, nil
}

func words[T ~string](names []T) string {
	var all []string
	for _, n := range names {
		all = append(all, string(n))
	}
	return strings.Join(all, ", ")
}

// formatOf tells a format by how a text begins.
func formatOf(text *bufio.Reader) Format {
	begin, _ := text.Peek(4096)
	trimmed := bytes.TrimLeft(begin, " \t\r\n,\ufeff")
	switch {
	case IsHistory(begin):
		return HistoryFormat
	case !bytes.HasPrefix(trimmed, []byte("{")):
		return MonitorFormat
	}
	head := bytes.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, trimmed[:min(len(trimmed), 256)])
	switch {
	case bytes.Contains(head, []byte(`"format":"`+model.TraceFormat+`"`)):
		return TraceFormat
	case bytes.HasPrefix(head, []byte(`{"format":"`+NormalizedFormat+`"`)):
		return Normalized
	}
	return ApplicationFormat
}

// Bad are the lines that could not be read so far.
func (l *Log) Bad() *Bad { return l.bad() }

// Back is how often a clock has stepped back so far.
func (l *Log) Back() int { return l.back() }

// Next returns the next event, io.EOF after the last one. Lines that cannot be read are noted
// and passed over.
func (l *Log) Next() (*Event, error) {
	e, err := l.peek()
	l.peeked = nil
	return e, err
}

// peek returns the event that is next. A gzip file that was cut off has ended.
func (l *Log) peek() (*Event, error) {
	if l.peeked != nil || l.ended != nil {
		return l.peeked, l.ended
	}
	e, err := l.next()
	if err != nil {
		l.ended = err
		return nil, err
	}
	if l.Events++; l.Events == 1 {
		l.First = e.Time
	}
	if e.Time.After(l.Last) {
		l.Last = e.Time
	}
	l.peeked = e
	return e, nil
}

// merged are the events of several logs.
type merged struct {
	logs []*Log
}

// Merge returns the events of logs in the order of their times: those of each log in the order
// of its lines, even where its clock steps back. The events of several logs have the names of
// these as their files, unless they have others.
func Merge(logs ...*Log) EventReader { return &merged{logs} }

// Next returns the next event, io.EOF after the last one.
func (m *merged) Next() (*Event, error) {
	var first *Log
	for _, l := range m.logs {
		if _, err := l.peek(); errors.Is(err, io.EOF) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		// Last is the latest time up to the next event: where a clock has stepped back the order
		// of the lines counts.
		if first == nil || l.Last.Before(first.Last) {
			first = l
		}
	}
	if first == nil {
		return nil, io.EOF
	}
	e, err := first.Next()
	if err == nil && e.File == "" && len(m.logs) > 1 {
		e.File = first.Name
		if e.Command != nil {
			e.Command.File = first.Name
		}
	}
	return e, err
}

// BadOf are the lines of logs that could not be read, and BackOf how often their clocks have
// stepped back.
func BadOf(logs []*Log) *Bad {
	all := &Bad{}
	for _, l := range logs {
		name := l.Name
		if len(logs) == 1 {
			name = ""
		}
		all.join(l.Bad(), name)
	}
	return all
}

// BackOf is how often the clocks of logs have stepped back.
func BackOf(logs []*Log) int {
	back := 0
	for _, l := range logs {
		back += l.Back()
	}
	return back
}
