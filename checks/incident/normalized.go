package incident

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// NormalizedFormat and NormalizedVersion stand in the first line of a normalized stream.
const (
	NormalizedFormat  = "lockstep-incident"
	NormalizedVersion = 1
)

// header is the first line of a normalized stream, end the last one.
type header struct {
	Format  string   `json:"format"`
	Version int      `json:"version"`
	Sources []source `json:"sources"`
}

type source struct {
	File   string `json:"file"`
	Format Format `json:"format"`
}

// entry is an event as a line.
type entry struct {
	Time    string    `json:"time,omitempty"`
	Event   EventKind `json:"event"`
	Node    string    `json:"node,omitempty"`
	Client  string    `json:"client,omitempty"`
	Request string    `json:"request,omitempty"`

	DB      int      `json:"db,omitempty"`
	Script  bool     `json:"script,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// Base64: args are in that, since they are no UTF-8.
	Base64 bool   `json:"base64,omitempty"`
	Reply  string `json:"reply,omitempty"`

	Key     string `json:"key,omitempty"`
	Token   string `json:"token,omitempty"`
	TTL     int64  `json:"ttl_us,omitempty"`
	Version string `json:"version,omitempty"`
	Value   string `json:"value,omitempty"`
	Name    string `json:"name,omitempty"`

	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`

	// What the last line has.
	Events *int `json:"events,omitempty"`
	Back   int  `json:"clock_steps_back,omitempty"`
	Bad    *Bad `json:"bad_lines,omitempty"`
}

// endOfLog is the event of the last line.
const endOfLog EventKind = "end"

// Writer writes a normalized stream: a line with its format and version, a line for each event,
// and one that says how many there were. docs/incident.md describes it.
type Writer struct {
	out    *bufio.Writer
	lines  *json.Encoder
	events int
	// file is that of all events, if there is only one.
	file string
}

// NewWriter begins a normalized stream of what was read from logs.
func NewWriter(w io.Writer, logs ...*Log) (*Writer, error) {
	n := &Writer{out: bufio.NewWriterSize(w, 1<<16)}
	n.lines = json.NewEncoder(n.out)
	n.lines.SetEscapeHTML(false)
	h := header{Format: NormalizedFormat, Version: NormalizedVersion, Sources: []source{}}
	for _, l := range logs {
		h.Sources = append(h.Sources, l.sources...)
	}
	if len(h.Sources) == 1 {
		n.file = h.Sources[0].File
	}
	return n, n.lines.Encode(&h)
}

// Write writes an event.
func (n *Writer) Write(e *Event) error {
	n.events++
	file := e.File
	if file == "" {
		file = n.file
	}
	line := entry{
		Time: e.Time.UTC().Format(time.RFC3339Nano), Event: e.Kind, Node: e.Node, Client: e.Client, Request: e.Request,
		Key: e.Key, Token: e.Token, TTL: e.TTL.Microseconds(), Version: e.Version, Value: e.Value, Name: e.Name, File: file, Line: e.Line,
	}
	if c := e.Command; c != nil {
		line.DB, line.Script, line.Command, line.Args, line.Reply = c.DB, c.Script, c.Name, c.Args, c.Reply
		if !utf8.ValidString(c.Name) || slices.ContainsFunc(c.Args, func(arg string) bool { return !utf8.ValidString(arg) }) {
			line.Base64, line.Command, line.Args = true, base64.StdEncoding.EncodeToString([]byte(c.Name)), nil
			for _, arg := range c.Args {
				line.Args = append(line.Args, base64.StdEncoding.EncodeToString([]byte(arg)))
			}
		}
	}
	return n.lines.Encode(&line)
}

// Close ends the stream. Bad lines and clocks that stepped back were those of the logs.
func (n *Writer) Close(bad *Bad, back int) error {
	line := entry{Event: endOfLog, Events: &n.events, Back: back}
	if bad.Count > 0 {
		line.Bad = bad
	}
	if err := n.lines.Encode(&line); err != nil {
		return err
	}
	return n.out.Flush()
}

// normalizedLog reads a normalized stream.
type normalizedLog struct {
	lines  lineReader
	header header
	bad    Bad
	back   int
	events int
	ended  bool
}

func newNormalized(text *bufio.Reader) (*normalizedLog, error) {
	l := &normalizedLog{}
	l.lines = lineReader{in: text, bad: &l.bad}
	first, err := l.lines.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := json.Unmarshal([]byte(first), &l.header); err != nil || l.header.Format != NormalizedFormat {
		return nil, fmt.Errorf("the first line is no header of a normalized stream, as {\"format\":%q,\"version\":%d}", NormalizedFormat, NormalizedVersion)
	}
	if l.header.Version != NormalizedVersion {
		return nil, fmt.Errorf("this is version %d of %s, and version %d can be read: import it anew", l.header.Version, NormalizedFormat, NormalizedVersion)
	}
	return l, nil
}

// Next returns the next event, io.EOF after the last one.
func (l *normalizedLog) Next() (*Event, error) {
	for {
		text, err := l.lines.next()
		if errors.Is(err, io.EOF) && !l.ended {
			l.ended = true
			l.bad.add(l.lines.line, "", fmt.Sprintf("the stream has no end after %d events: it was cut off", l.events))
		}
		if err != nil {
			return nil, err
		}
		if l.ended {
			l.bad.add(l.lines.line, text, "it follows the end of the stream")
			continue
		}
		e, err := l.event(text)
		if err != nil {
			l.bad.add(l.lines.line, text, err.Error())
			continue
		}
		if e != nil {
			l.events++
			return e, nil
		}
	}
}

// event reads a line, nil for the last one.
func (l *normalizedLog) event(text string) (*Event, error) {
	var line entry
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&line); err != nil {
		return nil, fmt.Errorf("this is no line of a normalized stream: %w", err)
	}
	if line.Event == endOfLog {
		l.ended = true
		l.back = line.Back
		if line.Bad != nil {
			l.bad.join(line.Bad, "")
		}
		if line.Events != nil && *line.Events != l.events {
			return nil, fmt.Errorf("the stream had %d events, and %d were read", *line.Events, l.events)
		}
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339Nano, line.Time)
	if err != nil || at.Year() < 1970 || at.Year() > 2200 {
		return nil, fmt.Errorf("%q is no time as 2026-11-30T19:57:42.5Z", line.Time)
	}
	if line.TTL < 0 || line.TTL > longest.Microseconds() || line.Line < 0 {
		return nil, errors.New("ttl_us and line cannot be less than 0, nor a TTL more than 100 years")
	}
	e := &Event{
		Time: at.UTC(), File: line.File, Line: line.Line, Node: line.Node, Client: line.Client, Request: line.Request, Kind: line.Event,
		Key: line.Key, Token: line.Token, TTL: time.Duration(line.TTL) * time.Microsecond, Version: line.Version, Value: line.Value, Name: line.Name,
	}
	if line.Event == StoreCommand {
		e.Command, err = line.command(e)
		return e, err
	}
	if !line.Event.isHistory() && line.Event != Other && !slices.Contains(ApplicationEvents(), line.Event) {
		return nil, fmt.Errorf("%q is no event", line.Event)
	}
	return e, nil
}

func (line *entry) command(e *Event) (*Command, error) {
	if line.Command == "" {
		return nil, errors.New("there is no command")
	}
	c := &Command{
		Line: e.Line, File: e.File, Time: e.Time, DB: line.DB, Client: e.Client, Script: line.Script, Node: e.Node, Request: e.Request,
		Name: line.Command, Args: line.Args, Reply: line.Reply,
	}
	if !line.Base64 {
		return c, nil
	}
	for i, text := range append([]string{c.Name}, c.Args...) {
		plain, err := base64.StdEncoding.DecodeString(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is no base64", text)
		case i == 0:
			c.Name, c.Args = string(plain), nil
		default:
			c.Args = append(c.Args, string(plain))
		}
	}
	return c, nil
}
