package protocol

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"lockstep/model"
)

// handler is something that lives in a register: a task, a deadline, a flight, or a client
// for its context.
type handler interface{ handle() uint32 }

var (
	valueType   = reflect.TypeFor[Value]()
	timeType    = reflect.TypeFor[Timestamp]()
	errorType   = reflect.TypeFor[error]()
	handlerType = reflect.TypeFor[handler]()
)

// describe writes values as text that is equal exactly for equal values, with
// handles as the numbers that number gives them.
func describe(values []any, number func(id uint32) (int, error)) (string, error) {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if v == nil {
			b.WriteString("nil")
			continue
		}
		if err := describeValue(&b, reflect.ValueOf(v), number); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func describeValue(b *strings.Builder, v reflect.Value, number func(id uint32) (int, error)) error {
	t := v.Type()
	switch {
	case t == valueType, t == timeType:
		id := uint32(v.Field(0).Uint())
		if id == 0 {
			b.WriteString("no value")
			return nil
		}
		return describeHandle(b, id, number)
	case t.Implements(handlerType) && v.CanInterface():
		if v.IsNil() {
			b.WriteString("nil")
			return nil
		}
		if c, ok := v.Interface().(*Client); ok && c.context == 0 {
			return errors.New("the client that the process was given cannot be told apart from any other; it need not be named, and cannot be passed on")
		}
		return describeHandle(b, v.Interface().(handler).handle(), number)
	case t.Implements(errorType) && v.CanInterface():
		if (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && v.IsNil() {
			b.WriteString("no error")
			return nil
		}
		b.WriteString(strconv.Quote(v.Interface().(error).Error()))
		return nil
	}
	switch v.Kind() {
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if t == durationType {
			b.WriteString(model.FormatDuration(time.Duration(v.Int())))
			break
		}
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		b.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		b.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.String:
		b.WriteString(strconv.Quote(v.String()))
	case reflect.Struct:
		b.WriteString(t.Name() + "{")
		for i := range v.NumField() {
			b.WriteString(" ")
			if err := describeValue(b, v.Field(i), number); err != nil {
				return err
			}
		}
		b.WriteString(" }")
	case reflect.Array:
		b.WriteString("[")
		for i := range v.Len() {
			b.WriteString(" ")
			if err := describeValue(b, v.Index(i), number); err != nil {
				return err
			}
		}
		b.WriteString(" ]")
	case reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return nil
		}
		return describeValue(b, v.Elem(), number)
	default:
		return fmt.Errorf("a %s cannot be told apart from others of its type; use booleans, numbers, strings, values, tokens, tasks, deadlines, clients, errors, and structs and arrays of these", t)
	}
	return nil
}

func describeHandle(b *strings.Builder, id uint32, number func(id uint32) (int, error)) error {
	n, err := number(id)
	if err != nil {
		return err
	}
	b.WriteString("#" + strconv.Itoa(n))
	return nil
}

// rewrite returns a copy of v in which the k-th different handle, in the order
// in which describe meets them, is replaced.
func rewrite(v any, replace func(k int) uint32) any {
	if v == nil {
		return nil
	}
	out := reflect.New(reflect.TypeOf(v)).Elem()
	out.Set(reflect.ValueOf(v))
	var seen []uint32
	var replaced []uint32
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		// reflect refuses to set fields that are not exported; this is a copy.
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
		switch {
		case v.Type() == valueType, v.Type() == timeType:
			id := handleID(v.Addr().Interface())
			if *id == 0 {
				return
			}
			for k, before := range seen {
				if before == *id {
					*id = replaced[k]
					return
				}
			}
			seen = append(seen, *id)
			replaced = append(replaced, replace(len(seen)-1))
			*id = replaced[len(replaced)-1]
		case v.Type().Implements(errorType):
			// An error is its text and mentions nothing.
		case v.Kind() == reflect.Interface && !v.IsNil():
			inner := reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
			walk(inner)
			v.Set(inner)
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case v.Kind() == reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(out)
	return out.Interface()
}

// handleID returns where a value or a time keeps its handle.
func handleID(p any) *uint32 {
	if t, ok := p.(*Timestamp); ok {
		return &t.id
	}
	return &p.(*Value).id
}
