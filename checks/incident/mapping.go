package incident

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Mapping says what the fields of an application's log mean. [DefaultMapping] is one, and
// [ReadMapping] reads one from YAML.
type Mapping struct {
	// Time has the unit rfc3339, s, ms, us or ns; TTL s, ms, us or ns for numbers, and text is a
	// duration as 2s.
	Time, TTL                                              Field
	Node, Client, Request, Event, Key, Token, Version, Val Field
	// Events are tried in their order: the first that fits counts.
	Events []EventRule
}

// Field says where a value stands.
type Field struct {
	// Names are those of fields, of which the first that a line has counts. A dot reaches into
	// an object. Value stands for a field that a line does not have.
	Names []string
	Value string
	Unit  string
}

// EventRule says by what an event is known.
type EventRule struct {
	Kind EventKind
	// Where are conditions on fields, all of which must hold.
	Where []Condition
}

// Condition wants a field to have a value, as text: 1 and "1" are the same. The value may have
// {version}, {token}, {key}, {value}, {node} or {request} in it, which stand for any text and
// keep it.
type Condition struct {
	Field, Value string
	pattern      *regexp.Regexp
}

// keeps are what a condition may keep, and quotedKeeps the same in a quoted regular expression.
var (
	keeps       = regexp.MustCompile(`\{(version|token|key|value|node|request)\}`)
	quotedKeeps = regexp.MustCompile(`\\\{(version|token|key|value|node|request)\\\}`)
)

// NewCondition returns a condition on a field. The names of what it keeps are checked.
func NewCondition(field, value string) (Condition, error) {
	c := Condition{Field: field, Value: value}
	if !strings.Contains(value, "{") {
		return c, nil
	}
	rest := keeps.ReplaceAllString(value, "")
	if strings.ContainsAny(rest, "{}") {
		return c, fmt.Errorf("%q keeps what is not known; it can keep {version}, {token}, {key}, {value}, {node} and {request}", value)
	}
	names := keeps.FindAllString(value, -1)
	if slices.Sort(names); len(slices.Compact(names)) != len(keeps.FindAllString(value, -1)) {
		return c, fmt.Errorf("%q keeps the same twice", value)
	}
	var err error
	text := regexp.QuoteMeta(value)
	text = quotedKeeps.ReplaceAllString(text, `(?P<$1>.+?)`)
	c.pattern, err = regexp.Compile("^" + text + "$")
	return c, err
}

// DefaultMapping fits logs with usual names: ts or time; node, host or instance; req or
// request_id; event or msg; token, ttl_ms, version, key and lock.
func DefaultMapping() *Mapping {
	m := &Mapping{
		Time:    Field{Names: []string{"ts", "time", "timestamp", "@timestamp"}, Unit: "rfc3339"},
		Node:    Field{Names: []string{"node", "instance", "host", "hostname"}},
		Client:  Field{Names: []string{"client", "addr"}},
		Request: Field{Names: []string{"req", "request", "request_id", "trace_id"}},
		Event:   Field{Names: []string{"event", "msg", "message"}},
		Key:     Field{Names: []string{"key", "lock"}},
		Token:   Field{Names: []string{"token", "owner"}},
		TTL:     Field{Names: []string{"ttl_ms"}, Unit: "ms"},
		Version: Field{Names: []string{"version"}},
		Val:     Field{Names: []string{"value"}},
	}
	add := func(kind EventKind, conditions ...string) {
		rule := EventRule{Kind: kind}
		for i := 0; i < len(conditions); i += 2 {
			c, err := NewCondition(conditions[i], conditions[i+1])
			if err != nil {
				panic(err)
			}
			rule.Where = append(rule.Where, c)
		}
		m.Events = append(m.Events, rule)
	}
	add(Renewed, "event", "renew", "ok", "1")
	add(Renewed, "event", "renew", "ok", "true")
	add(Renewed, "event", "renew 1")
	add(Lost, "event", "renew", "ok", "0")
	add(Lost, "event", "renew", "ok", "false")
	add(Lost, "event", "renew 0")
	for _, done := range []string{"release", "released"} {
		add(Released, "event", done, "deleted", "1")
		add(ReleaseRefused, "event", done, "deleted", "0")
		add(Release, "event", done)
	}
	add(Stored, "event", "stored {version}")
	for _, kind := range ApplicationEvents() {
		if kind != Release && kind != Released {
			add(kind, "event", string(kind))
		}
	}
	return m
}

// fit is what a condition says of a text: whether it fits, and what it keeps goes into e.
func (c *Condition) fit(text string, e *Event) bool {
	if c.pattern == nil {
		return text == c.Value
	}
	found := c.pattern.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	for i, name := range c.pattern.SubexpNames() {
		switch name {
		case "version":
			e.Version = found[i]
		case "token":
			e.Token = found[i]
		case "key":
			e.Key = found[i]
		case "value":
			e.Value = found[i]
		case "node":
			e.Node = found[i]
		case "request":
			e.Request = found[i]
		}
	}
	return true
}

// event makes an event of the fields of a line.
func (m *Mapping) event(fields map[string]any) (*Event, error) {
	at, err := m.Time.time(fields)
	if err != nil {
		return nil, err
	}
	name, ok := m.Event.text(fields)
	if !ok {
		return nil, fmt.Errorf("it has no event: a field %s", strings.Join(m.Event.Names, " or "))
	}
	e := &Event{Time: at, Kind: Other, Name: name}
	for _, f := range []struct {
		from *Field
		to   *string
	}{{&m.Node, &e.Node}, {&m.Client, &e.Client}, {&m.Request, &e.Request}, {&m.Key, &e.Key}, {&m.Token, &e.Token}, {&m.Version, &e.Version}, {&m.Val, &e.Value}} {
		*f.to, _ = f.from.text(fields)
	}
	if e.TTL, err = m.TTL.duration(fields); err != nil {
		return nil, err
	}
	for i := range m.Events {
		rule, found := &m.Events[i], *e
		if rule.fits(fields, name, m.Event.Names, &found) {
			found.Kind, found.Name = rule.Kind, ""
			return &found, nil
		}
	}
	return e, nil
}

func (r *EventRule) fits(fields map[string]any, name string, event []string, e *Event) bool {
	for i := range r.Where {
		c := &r.Where[i]
		text, ok := name, true
		if c.Field != "event" && !slices.Contains(event, c.Field) {
			text, ok = (&Field{Names: []string{c.Field}}).text(fields)
		}
		if !ok || !c.fit(text, e) {
			return false
		}
	}
	return true
}

// value returns what stands in a field, nil for nothing.
func (f *Field) value(fields map[string]any) any {
	for _, name := range f.Names {
		if v := lookUp(fields, name); v != nil {
			return v
		}
	}
	return nil
}

func lookUp(fields map[string]any, name string) any {
	if v := fields[name]; v != nil {
		return v
	}
	outer, inner, ok := strings.Cut(name, ".")
	if !ok {
		return nil
	}
	object, _ := fields[outer].(map[string]any)
	return lookUp(object, inner)
}

// text returns what stands in a field as text.
func (f *Field) text(fields map[string]any) (string, bool) {
	switch v := f.value(fields).(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return f.Value, f.Value != ""
}

// units are those of numbers.
var units = map[string]time.Duration{"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": 1}

// scaled is a number of units in nanoseconds, exact for what fits.
func scaled(number string, unit time.Duration) (time.Duration, error) {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		if n > math.MaxInt64/int64(unit) || n < math.MinInt64/int64(unit) {
			return 0, fmt.Errorf("%s is out of range", number)
		}
		return time.Duration(n) * unit, nil
	}
	whole, part, ok := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	d, wrong := strconv.ParseUint((part + "000000000")[:9], 10, 64)
	if ok && err == nil && wrong == nil && n >= 0 && n < math.MaxInt64/int64(unit) {
		return time.Duration(n)*unit + time.Duration(float64(d)/1e9*float64(unit)+0.5), nil
	}
	f, err := strconv.ParseFloat(number, 64)
	if v := f * float64(unit); err == nil && math.Abs(v) < math.MaxInt64/2 {
		return time.Duration(v), nil
	}
	return 0, fmt.Errorf("%q is no number, or out of range", number)
}

func (f *Field) time(fields map[string]any) (time.Time, error) {
	names := strings.Join(f.Names, " or ")
	text, ok := f.text(fields)
	if !ok {
		return time.Time{}, fmt.Errorf("it has no time: a field %s", names)
	}
	if unit, number := units[f.Unit]; number {
		d, err := scaled(text, unit)
		if err != nil || d < 0 {
			return time.Time{}, fmt.Errorf("%q is no time in %s since 1970; the mapping says time: {unit: %s}", text, f.Unit, f.Unit)
		}
		return time.Unix(0, int64(d)).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, fmt.Errorf("%q is no time as 2026-11-30T19:57:42.5Z; a mapping can say time: {field: %s, unit: ms}", text, f.Names[0])
	}
	if t.Year() < 1970 || t.Year() > 2200 {
		return t, fmt.Errorf("the year of %q is not from 1970 to 2200", text)
	}
	return t.UTC(), nil
}

// duration is a TTL, 0 for none.
func (f *Field) duration(fields map[string]any) (time.Duration, error) {
	text, ok := f.text(fields)
	if !ok {
		return 0, nil
	}
	if d, err := scaled(text, units[f.Unit]); err == nil {
		if d < 0 || d > longest {
			return 0, fmt.Errorf("%q is no TTL: it is from 0 to 100 years", text)
		}
		return d, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longest {
		return 0, fmt.Errorf("%q is no TTL: it is a number of %s, or a duration as 2s", text, f.Unit)
	}
	return d, nil
}
