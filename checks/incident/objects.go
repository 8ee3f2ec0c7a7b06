package incident

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// Objects are what a history can be about: a register with read, write and cas ([old new]), a
// mutex with acquire and release, a counter with add and read.
var Objects = []string{"register", "mutex", "counter"}

// operations are the names of what can be done with an object.
var operations = map[string][]string{
	"register": {"read", "write", "cas"},
	"mutex":    {"acquire", "release"},
	"counter":  {"add", "read"},
}

// known reports what an object does not know of an operation.
func known(object string, o *Operation) error {
	if !slices.Contains(operations[object], o.F) {
		return fmt.Errorf("a %s has no operation :%s, but :%s", object, o.F, strings.Join(operations[object], ", :"))
	}
	if pair, ok := o.In.([]any); o.F == "cas" && (!ok || len(pair) != 2) {
		return fmt.Errorf("the value of :cas is to be [old new]")
	}
	if _, ok := o.In.(int64); o.F == "add" && !ok {
		return fmt.Errorf("the value of :add is to be a whole number")
	}
	return nil
}

// objectModel is the sequential object for porcupine. States are comparable: values as text,
// or numbers.
func objectModel(object string) (porcupine.Model, error) {
	var step func(state any, o *Operation) (bool, any)
	var initial any
	switch object {
	case "register":
		initial, step = text(nil), func(state any, o *Operation) (bool, any) {
			switch o.F {
			case "write":
				return true, text(o.In)
			case "cas":
				pair := o.In.([]any)
				if state == text(pair[0]) {
					return true, text(pair[1])
				}
				// One that is not known to have succeeded may have failed.
				return o.unknown, state
			}
			return o.unknown || state == text(o.Out), state
		}
	case "mutex":
		initial, step = false, func(state any, o *Operation) (bool, any) {
			acquires := o.F == "acquire"
			if state == acquires {
				// One that is not known to have succeeded has had no effect.
				return o.unknown, state
			}
			return true, acquires
		}
	case "counter":
		initial, step = int64(0), func(state any, o *Operation) (bool, any) {
			n := state.(int64)
			if o.F == "add" {
				return true, n + o.In.(int64)
			}
			return o.unknown || o.Out == n, state
		}
	default:
		return porcupine.Model{}, fmt.Errorf("%q is no object of a history; it is one of %s", object, strings.Join(Objects, ", "))
	}
	return porcupine.Model{
		Init: func() any { return initial },
		Step: func(state, input, _ any) (bool, any) { return step(state, input.(*Operation)) },
		DescribeOperation: func(input, _ any) string {
			o := input.(*Operation)
			what := o.F
			if o.In != nil {
				what += " " + text(o.In)
			}
			switch {
			case o.unknown:
				return what + " -> ?"
			case o.Out != nil && o.F == "read":
				return what + " -> " + text(o.Out)
			}
			return what
		},
		DescribeState: func(state any) string { return fmt.Sprint(state) },
	}, nil
}

// text is a value of EDN in words.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, text(e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return fmt.Sprint(v)
}
