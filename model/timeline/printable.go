package timeline

import (
	"reflect"
	"strings"
	"unicode"

	"lockstep/model"
)

// Printable replaces what a reader of text may obey rather than show: control characters
// other than the line feed, marks that turn the direction of writing, and what is no character
// in XML.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) || strings.ContainsRune("\u2028\u2029\ufffe\uffff", r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// OneLine is printable text in a line.
func OneLine(s string) string { return strings.ReplaceAll(Printable(s), "\n", " ") }

// printable returns the trace with each of its texts in a printable line: a trace may come from
// anywhere, and a terminal obeys what is written to it. The trace itself is left alone.
func printable(t *model.Trace) *model.Trace {
	c := *t
	clean(reflect.ValueOf(&c).Elem())
	return &c
}

// clean makes all texts in a value printable. What the value shares with others is copied.
func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(OneLine(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			clean(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			clean(c.Elem())
			v.Set(c)
		}
	case reflect.Slice:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			clean(c.Index(i))
		}
		if !v.IsNil() {
			v.Set(c)
		}
	}
}
