package incident

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// appLog reads what an application has logged, an object of JSON a line.
type appLog struct {
	lines   lineReader
	mapping *Mapping
	bad     Bad
	back    int
	// last are the latest times of nodes, by whose clocks they are.
	last map[string]int64
}

// maxNodes is of how many nodes it is told whether their clocks step back.
const maxNodes = 1 << 12

func newAppLog(text *bufio.Reader, mapping *Mapping) *appLog {
	l := &appLog{mapping: mapping, last: map[string]int64{}}
	l.lines = lineReader{in: text, bad: &l.bad}
	return l
}

// Next returns the next event, io.EOF after the last one.
func (l *appLog) Next() (*Event, error) {
	for {
		text, err := l.lines.next()
		if err != nil {
			return nil, err
		}
		fields, err := object([]byte(text))
		if err != nil {
			l.bad.add(l.lines.line, text, err.Error())
			continue
		}
		e, err := l.mapping.event(fields)
		if err != nil {
			l.bad.add(l.lines.line, text, err.Error())
			continue
		}
		e.Line = l.lines.line
		at := e.Time.UnixNano()
		last, known := l.last[e.Node]
		if known && at < last {
			l.back++
		}
		if known || len(l.last) < maxNodes {
			l.last[e.Node] = at
		}
		return e, nil
	}
}

// object reads an object of JSON.
func object(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var fields map[string]any
	err := decoder.Decode(&fields)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the line ends within an object: it was cut off")
	case err != nil:
		return nil, fmt.Errorf("this is no object of JSON: %w", err)
	case fields == nil:
		return nil, errors.New("this is no object of JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return fields, nil
}
