package model

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// place is where a value is: under a key of a struct, or in the list there. Nil is that of
// the trace itself.
type place struct {
	// in is where the struct is, of its type, and key the key in it.
	in      *place
	of, key string
	// element is the number of the element of the list, from 1, 0 for the list or for what
	// is none.
	element int
}

// String writes the place as a path, such as steps[3].time_ns.
func (p *place) String() string {
	if p == nil {
		return ""
	}
	path := short(p.key)
	if p.in != nil {
		path = p.in.String() + "." + path
	}
	if p.element > 0 {
		path += fmt.Sprintf("[%d]", p.element-1)
	}
	return path
}

// is reports whether the place is under a key of a type of struct.
func (p *place) is(of, key string) bool { return p != nil && p.of == of && p.key == key }

var (
	durationType = reflect.TypeFor[time.Duration]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value reads a value of the type of to. The struct tags of [Trace] say which keys there
// are, and which of them can be absent.
func (r *traceReader) value(to reflect.Value, p *place) error {
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		return r.value(to.Elem(), p)
	}
	token, at, err := r.token(p)
	if err != nil {
		return err
	}
	if r.values++; r.values > r.most.values {
		return r.wrong(at, p, "the text has more than %d values, and no trace has", r.most.values)
	}
	switch {
	case to.Addr().Type().Implements(textType):
		return r.unmarshal(to, token, at, p)
	case to.Kind() == reflect.Struct:
		if token != json.Delim('{') {
			return r.wrong(at, p, "here stands %s; it must be an object", describe(token))
		}
		return r.object(to, at, p)
	case to.Kind() == reflect.Slice:
		if token != json.Delim('[') {
			return r.wrong(at, p, "here stands %s; it must be a list", describe(token))
		}
		return r.list(to, at, p)
	case to.Kind() == reflect.Bool:
		b, ok := token.(bool)
		if !ok {
			return r.wrong(at, p, "here stands %s; it must be true or false", describe(token))
		}
		to.SetBool(b)
		return nil
	case to.Kind() == reflect.String:
		return r.string(to, token, at, p)
	case to.Kind() == reflect.Int, to.Type() == durationType:
		return r.number(to, token, at, p)
	}
	panic("model: a trace cannot have a field of type " + to.Type().String())
}

// object reads the rest of an object, which begins at a place.
func (r *traceReader) object(to reflect.Value, begin int, p *place) error {
	of := to.Type()
	keys := r.keysOf(of)
	// places are where the values of the keys begin, -1 for those that are absent.
	places := slices.Repeat([]int{-1}, of.NumField())
	for {
		token, at, err := r.token(p)
		if err != nil {
			return err
		}
		if token == json.Delim('}') {
			break
		}
		key := token.(string)
		k := slices.Index(keys, key)
		inner := &place{in: p, of: of.Name(), key: key}
		switch {
		case k < 0:
			return r.wrong(at, inner, "%s", unknownKey(of, keys, key))
		case places[k] >= 0:
			return r.wrong(at, inner, "the key is given twice; remove one of them")
		}
		places[k] = r.next()
		if err := r.value(to.Field(k), inner); err != nil {
			return err
		}
	}
	for k, key := range keys {
		if places[k] < 0 && !optional(of.Field(k)) {
			return r.wrong(begin, p, "the key %s is missing; every %s has it", key, noun(of))
		}
	}
	key, err := r.whole(to.Addr().Interface())
	if err != nil {
		at := begin
		if k := slices.Index(keys, key); k >= 0 && places[k] >= 0 {
			at, p = places[k], &place{in: p, of: of.Name(), key: key}
		}
		return r.wrong(at, p, "%w", err)
	}
	return nil
}

// list reads the rest of a list, which begins at a place.
func (r *traceReader) list(to reflect.Value, begin int, p *place) error {
	to.Set(reflect.MakeSlice(to.Type(), 0, 0))
	for r.decoder.More() {
		n := to.Len()
		inner := &place{in: p.in, of: p.of, key: p.key, element: n + 1}
		if p.is("Trace", "steps") && n == r.most.steps {
			return r.wrong(r.next(), inner, "the trace has more than %d steps; no counterexample that anybody can read has", r.most.steps)
		}
		if n == to.Cap() {
			to.Grow(n/2 + 4)
		}
		to.SetLen(n + 1)
		to.Index(n).SetZero()
		if err := r.value(to.Index(n), inner); err != nil {
			return err
		}
	}
	if _, _, err := r.token(p); err != nil {
		return err
	}
	if p.is("Trace", "steps") && to.Len() == 0 {
		return r.wrong(begin, p, "the trace has no steps; it must have one or more")
	}
	return nil
}

// unmarshal reads a value that is text with a meaning of its own.
func (r *traceReader) unmarshal(to reflect.Value, token json.Token, at int, p *place) error {
	s, ok := token.(string)
	if !ok {
		return r.wrong(at, p, "here stands %s; it must be text", describe(token))
	}
	if err := to.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
		return r.wrong(at, p, "%w", err)
	}
	return nil
}

func (r *traceReader) string(to reflect.Value, token json.Token, at int, p *place) error {
	s, ok := token.(string)
	if !ok {
		return r.wrong(at, p, "here stands %s; it must be text", describe(token))
	}
	// The decoder puts U+FFFD where half of a surrogate pair stands.
	raw := bytes.ToLower(r.text[at:r.decoder.InputOffset()])
	if n := strings.Count(s, string(utf8.RuneError)); n > bytes.Count(raw, []byte(string(utf8.RuneError)))+bytes.Count(raw, []byte(`\ufffd`)) {
		return r.wrong(at, p, `the text has half of a surrogate pair, which is no character; write both halves, as in "\ud83d\udd12"`)
	}
	if form, limited := formOf(p.of, p.key); limited && !form.valid(s) {
		return r.wrong(at, p, "%s is not possible here; it must be %s", quoted(s), form.want)
	}
	to.SetString(s)
	return nil
}

func (r *traceReader) number(to reflect.Value, token json.Token, at int, p *place) error {
	least, most, what := leastOf(p.of, p.key), int64(math.MaxInt32), "a whole number"
	if to.Type() == durationType {
		most, what = MaxTraceTime, "a whole number of nanoseconds"
	}
	number, ok := token.(json.Number)
	if !ok {
		return r.wrong(at, p, "here stands %s; it must be %s", describe(token), what)
	}
	if strings.ContainsAny(number.String(), ".eE") || number == "-0" {
		return r.wrong(at, p, "here stands %s; it must be %s, without a fraction and an exponent", describe(token), what)
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || n < least || n > most {
		return r.wrong(at, p, "%s is out of range; it must be %s from %d to %d", short(number.String()), what, least, most)
	}
	to.SetInt(n)
	return nil
}

// keysOf returns the keys of a struct, in the order of its fields.
func (r *traceReader) keysOf(of reflect.Type) []string {
	keys, known := r.keys[of]
	if known {
		return keys
	}
	keys = make([]string, of.NumField())
	for i := range keys {
		keys[i], _, _ = strings.Cut(of.Field(i).Tag.Get("json"), ",")
	}
	r.keys[of] = keys
	return keys
}

// optional reports whether a key can be absent.
func optional(f reflect.StructField) bool {
	return strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
}

// unknownKey says which key may be meant.
func unknownKey(of reflect.Type, keys []string, key string) string {
	nearest, least := "", 3
	for _, known := range keys {
		if strings.EqualFold(known, key) {
			nearest, least = known, -1
		}
		if d := editDistance(known, short(key)); d < least {
			nearest, least = known, d
		}
	}
	if nearest != "" {
		return "the key is not known; did you mean " + nearest + "?"
	}
	return fmt.Sprintf("the key is not known; the keys of a %s are %s", noun(of), strings.Join(keys, ", "))
}

// editDistance is how many characters must be inserted, removed or replaced to make one
// text of the other (Levenshtein, 1966).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// noun is what an object of a type is called.
func noun(of reflect.Type) string {
	switch of {
	case reflect.TypeFor[TraceStep]():
		return "step"
	case reflect.TypeFor[TraceMark]():
		return "mark"
	case reflect.TypeFor[TraceChange]():
		return "change"
	case reflect.TypeFor[HistoryOperation]():
		return "operation of a history"
	case reflect.TypeFor[ParameterValue]():
		return "parameter"
	case reflect.TypeFor[FaultBudget]():
		return "budget of a fault"
	case reflect.TypeFor[OtherNodes]():
		return "group of other nodes"
	}
	return strings.ToLower(of.Name())
}

// describe says what a token is.
func describe(token json.Token) string {
	switch t := token.(type) {
	case json.Delim:
		if t == '{' || t == '}' {
			return "an object"
		}
		return "a list"
	case string:
		return "the text " + quoted(t)
	case nil:
		return "null"
	}
	return plain(token)
}

// plain writes a token as it is in JSON, shortened.
func plain(token json.Token) string {
	switch t := token.(type) {
	case json.Delim:
		return describe(t)
	case string:
		return quoted(t)
	case nil:
		return "null"
	}
	return short(fmt.Sprint(token))
}

// quoted writes text of others in a line, however long it is and whatever is in it.
func quoted(s string) string { return strconv.Quote(short(s)) }

// short cuts text of others off after 40 characters.
func short(s string) string {
	const most = 40
	n := 0
	for at := range s {
		if n++; n > most {
			return s[:at] + "..."
		}
	}
	return s
}
