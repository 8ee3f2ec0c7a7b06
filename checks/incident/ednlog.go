package incident

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ednLog are the events of a history in EDN.
type ednLog struct {
	in  *ednReader
	bad Bad
	end bool
}

// Next returns the next event, io.EOF after the last one.
func (l *ednLog) Next() (*Event, error) {
	for !l.end {
		value, line, err := l.in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			l.bad.add(line, "", err.Error())
			break
		}
		m, why := mapOf(value)
		if why != "" {
			l.bad.add(line, text(value), why)
			continue
		}
		if e, why := historyEvent(m, line); why != "" {
			l.bad.add(line, "", why)
		} else if e != nil {
			return e, nil
		}
	}
	l.end = true
	return nil, io.EOF
}

// mapOf returns the map that an entry of a history is, or what is wrong with it.
func mapOf(value any) (m map[keyword]any, why string) {
	m, ok := value.(map[keyword]any)
	if !ok {
		return nil, "this is no map with :process, :type and :f"
	}
	return m, ""
}

// historyEvent is the event of an entry of a history, or what is wrong with it. What is no
// operation of a client, of the nemesis for example, is another event.
func historyEvent(m map[keyword]any, line int) (e *Event, why string) {
	nanoseconds, _ := m["time"].(int64)
	f, _ := m["f"].(keyword)
	kind, _ := m["type"].(keyword)
	e = &Event{Time: time.Unix(0, max(nanoseconds, 0)).UTC(), Line: line, Kind: EventKind(kind), Name: string(f)}
	process, ok := m["process"].(int64)
	switch {
	case !ok:
		e.Kind, e.Client, e.Name = Other, text(m["process"]), strings.TrimSpace(text(m["process"])+" "+string(f))
		return e, ""
	case f == "":
		return nil, "there is no :f"
	case !slices.Contains(historyKinds(), e.Kind):
		return nil, fmt.Sprintf("the type %q is none of :invoke, :ok, :fail and :info", kind)
	}
	e.Client = strconv.FormatInt(process, 10)
	if m["value"] != nil {
		e.Value = notation(m["value"])
	}
	return e, ""
}

// notation writes a value in EDN.
func notation(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case string:
		return strconv.Quote(v)
	case keyword:
		return ":" + string(v)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, notation(e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case map[keyword]any:
		keys := make([]keyword, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		var parts []string
		for _, k := range keys {
			parts = append(parts, ":"+string(k)+" "+notation(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

// parsed reads what notation writes; nil for nothing.
func parsed(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	r := &ednReader{in: bufio.NewReader(strings.NewReader(text)), line: 1}
	v, err := r.value(0)
	if err != nil {
		return nil, fmt.Errorf("%q is no value of EDN: %w", text, err)
	}
	return v, nil
}
