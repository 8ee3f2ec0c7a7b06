package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"
)

// Limits on what is read as a trace. Reading takes memory for the text and for its values,
// and nothing else that grows.
const (
	// MaxTraceSize is the size of its text in bytes: 64 MiB.
	MaxTraceSize = 64 << 20
	// MaxTraceSteps is the number of its steps.
	MaxTraceSteps = 100_000
	// MaxTraceValues is the number of its JSON values, lists and objects included.
	MaxTraceValues = 3_000_000
)

// maxSkippedDepth is how deep the value of a key of another version may be nested.
const maxSkippedDepth = 64

// TraceError says what is wrong with the text of a trace, where, and what would be right.
type TraceError struct {
	// Line and Column are the place in the text, from 1; columns count characters.
	Line, Column int
	// Path is the place in the JSON, such as steps[3].time_ns; empty for the whole.
	Path string
	Err  error
}

// Error begins with the line and the column, so that it can follow the name of a file and a
// colon.
func (e *TraceError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%d:%d: %v", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("%d:%d: %s: %v", e.Line, e.Column, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *TraceError) Unwrap() error { return e.Err }

// ReadTrace reads what [Trace.Write] writes, and refuses everything else: other formats and
// versions, unknown, missing and doubled keys, values of other types or out of range, names
// that nothing can have, times that decrease, texts that are truncated, that go on after the
// trace, that are not UTF-8 or that are larger than the limits above. The error is a
// *TraceError, or that of the reader. What it accepts is written and read again as the same
// bytes; whether it is a run of the protocol only a replay can tell.
func ReadTrace(r io.Reader) (*Trace, error) {
	return readTrace(r, traceLimits{size: MaxTraceSize, steps: MaxTraceSteps, values: MaxTraceValues})
}

// traceLimits are limits on what is read.
type traceLimits struct{ size, steps, values int }

func readTrace(r io.Reader, most traceLimits) (*Trace, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most.size)+1))
	if err != nil {
		return nil, fmt.Errorf("the trace cannot be read: %w", err)
	}
	t := &traceReader{text: text, most: most, keys: map[reflect.Type][]string{}}
	if err := t.encoding(); err != nil {
		return nil, err
	}
	if err := t.head(); err != nil {
		return nil, err
	}
	t.begin()
	trace := &Trace{}
	if err := t.value(reflect.ValueOf(trace).Elem(), nil); err != nil {
		return nil, err
	}
	if at := t.next(); at < len(text) {
		return nil, t.wrong(at, nil, "the trace ends before this; remove what follows it")
	}
	return trace, nil
}

// traceReader reads one trace.
type traceReader struct {
	text    []byte
	most    traceLimits
	decoder *json.Decoder
	// values is how many have been read, keys the keys of the types that came up.
	values int
	keys   map[reflect.Type][]string
	// step and call are the times of the last step and of the last call in the history.
	step, call int64
}

// begin starts at the beginning of the text.
func (r *traceReader) begin() {
	r.decoder = json.NewDecoder(bytes.NewReader(r.text))
	r.decoder.UseNumber()
}

// encoding refuses what is too large, empty or no UTF-8.
func (r *traceReader) encoding() error {
	switch {
	case len(r.text) > r.most.size:
		return r.wrong(r.most.size, nil, "the text is larger than %d bytes, and no trace is", r.most.size)
	case len(bytes.TrimSpace(r.text)) == 0:
		return r.wrong(0, nil, "there is nothing here; a trace is one JSON object, as lockstep check --trace FILE writes it")
	case bytes.HasPrefix(r.text, []byte("\ufeff")):
		return r.wrong(0, nil, "the text begins with a byte order mark; save it as UTF-8 without one")
	}
	for at := 0; at < len(r.text); {
		c, size := utf8.DecodeRune(r.text[at:])
		if c == utf8.RuneError && size == 1 {
			return r.wrong(at, nil, "the byte 0x%02x is not UTF-8; save the text as UTF-8", r.text[at])
		}
		at += size
	}
	return nil
}

// head looks for the format and the version before anything else is judged, since a later
// version may have keys that this one does not know. What is no JSON is left to be found
// later.
func (r *traceReader) head() error {
	r.begin()
	if t, err := r.decoder.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	formatted, versioned := false, false
	for !formatted || !versioned {
		key, err := r.decoder.Token()
		if err != nil {
			return nil
		}
		if key == json.Delim('}') {
			break
		}
		at := r.next()
		switch key {
		case "format":
			format, err := r.decoder.Token()
			if err != nil {
				return nil
			}
			if formatted = true; format != TraceFormat {
				return r.wrong(at, &place{key: "format"}, "this is not a trace: its format is %s, and a trace has %q", describe(format), TraceFormat)
			}
		case "version":
			version, err := r.decoder.Token()
			if err != nil {
				return nil
			}
			if versioned = true; version != json.Number(fmt.Sprint(TraceVersion)) {
				return r.wrong(at, &place{key: "version"}, "the trace has version %s; this program reads version %d: use the program that wrote the trace, or write it anew with this one", plain(version), TraceVersion)
			}
		default:
			if ended, err := r.skip(at, &place{key: fmt.Sprint(key)}); err != nil || !ended {
				return err
			}
		}
	}
	switch {
	case !formatted:
		return r.wrong(0, nil, "this is not a trace: it has no format; a trace begins with \"format\": %q, as lockstep check --trace FILE writes it", TraceFormat)
	case !versioned:
		return r.wrong(0, nil, "the trace has no version; this program reads version %d", TraceVersion)
	}
	return nil
}

// skip skips a value; ended is false if that is no JSON.
func (r *traceReader) skip(at int, p *place) (ended bool, err error) {
	for depth := 0; ; {
		token, err := r.decoder.Token()
		if err != nil {
			return false, nil
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true, nil
		}
		if depth > maxSkippedDepth {
			return false, r.wrong(at, p, "the value is nested more than %d deep, and nothing in a trace is", maxSkippedDepth)
		}
	}
}

// next returns where the next token begins, or the end of the text.
func (r *traceReader) next() int {
	at := int(r.decoder.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return at
}

// token reads the next token and returns where it begins.
func (r *traceReader) token(p *place) (token json.Token, at int, err error) {
	at = r.next()
	token, err = r.decoder.Token()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, at, r.wrong(len(r.text), p, "the text ends in the middle of the trace: it was cut off; write the trace again")
	case err != nil:
		return nil, at, r.wrong(at, p, "this is not JSON: %w", err)
	}
	return token, at, nil
}

// wrong returns the error for a place.
func (r *traceReader) wrong(at int, p *place, format string, args ...any) error {
	before := r.text[:min(at, len(r.text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &TraceError{
		Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(line) + 1,
		Path: p.String(), Err: fmt.Errorf(format, args...),
	}
}
