package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/agnivade/levenshtein"

	"lockstep/model"
)

// Parameter describes an exported field of a protocol variant.
type Parameter struct {
	// Name is what the parameter is called as a flag, in a scenario file and as
	// a sweep axis: the name of the field in kebab case, "retry-ttl" for
	// RetryTTL.
	Name string
	// Field is the name of the Go field.
	Field string
	// Kind is "duration", "range", "int", "bool" or "string", for a field of
	// type time.Duration, model.Range, int, bool or string. The last three may
	// be named types.
	Kind string
	// Default is the value from the tag default as [ParameterText] would print
	// it; without a tag it is that of the zero value.
	Default string
	// Help is the tag help: one line for the user.
	Help string
	// Choices are the only values that a string may have, from the tag choices,
	// where they are separated by commas. Nil admits every string.
	Choices []string
}

// ParameterValue is what a parameter is set to, as [SetParameter] accepts it.
type ParameterValue = model.ParameterValue

// Parameters returns the parameters of p, a struct or a pointer to one (which
// may be nil: only its type counts), in the order in which the fields are
// declared. Exported structs that are embedded by value count as if their fields
// stood in their place. Fields that are unexported or tagged lockstep:"-" are no
// parameters.
//
// Ints may be bounded with the tags min and max, both included, and are at least
// 0 without.
//
// It is an error, which names the Go type and the field, if a field is of a type
// that no parameter can have, if a tag does not fit the field, if the default is
// not a value that [SetParameter] accepts, or if two fields have one name.
func Parameters(p any) ([]Parameter, error) {
	t, err := structType(p)
	if err != nil {
		return nil, err
	}
	fields, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	parameters := make([]Parameter, len(fields))
	for i, f := range fields {
		parameters[i] = f.Parameter
	}
	return parameters, nil
}

// WithDefaults returns a copy of p in which every parameter that is zero has its
// default: a struct if p is one, a pointer to a new struct if p is a pointer. So
// a literal cannot ask for zero where the default is another value; use
// [SetParameter] on the result for that, and do not call WithDefaults again
// afterwards.
//
// It is an error if [Parameters] fails, if p is a nil pointer, or if a parameter
// of p has a value that SetParameter would refuse.
func WithDefaults(p any) (any, error) { return copied(p, true) }

// Copy returns a copy of p with the parameters that it has, zeros included; the
// errors are those of [WithDefaults].
func Copy(p any) (any, error) { return copied(p, false) }

func copied(p any, defaults bool) (any, error) {
	fields, v, err := open(p)
	if err != nil {
		return nil, err
	}
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	for _, f := range fields {
		to := copied.Elem().FieldByIndex(f.index)
		text := f.text(to)
		if defaults && to.IsZero() {
			text = f.Default
		}
		if err := f.set(to, text); err != nil {
			return nil, err
		}
	}
	if reflect.TypeOf(p).Kind() == reflect.Pointer {
		return copied.Interface(), nil
	}
	return copied.Elem().Interface(), nil
}

// SetParameter sets the parameter of p, a pointer to a struct, that is called
// name. Durations are written as for [model.ParseDuration], ranges as for
// [model.ParseRange], ints in decimal digits, bools as true or false, strings
// without quotes.
//
// If there is no such parameter the error lists those with the nearest names. If
// the text is not a value of the parameter the error says what to write instead.
// After an error p is as it was.
func SetParameter(p any, name, text string) error {
	f, v, err := find(p, name)
	if err != nil {
		return err
	}
	if !v.CanSet() {
		return fmt.Errorf("parameter %s cannot be set in a copy of %T; pass a pointer to it", name, p)
	}
	return f.set(v, text)
}

// ParameterText returns the value of the parameter of p, a struct or a pointer
// to one, as text that [SetParameter] accepts. It is an error if there is no
// such parameter, or if SetParameter would refuse its value, which a Go literal
// can hold all the same.
func ParameterText(p any, name string) (string, error) {
	f, v, err := find(p, name)
	if err != nil {
		return "", err
	}
	text := f.text(v)
	if err := f.set(reflect.New(v.Type()).Elem(), text); err != nil {
		return "", err
	}
	return text, nil
}

// ParameterValues returns the values of all parameters of p, a struct or a
// pointer to one, in the order in which they are declared; none if [Parameters]
// fails or p is a nil pointer.
func ParameterValues(p any) []ParameterValue {
	fields, v, err := open(p)
	if err != nil {
		return nil
	}
	values := make([]ParameterValue, len(fields))
	for i, f := range fields {
		values[i] = ParameterValue{Name: f.Name, Value: f.text(v.FieldByIndex(f.index))}
	}
	return values
}

// Durations returns the durations that the parameters of p, a struct or a
// pointer to one, are set to, in the order in which they are declared; both ends
// of ranges. There are none if [Parameters] fails or p is a nil pointer.
func Durations(p any) []time.Duration {
	fields, v, err := open(p)
	if err != nil {
		return nil
	}
	var durations []time.Duration
	for _, f := range fields {
		switch value := v.FieldByIndex(f.index).Interface().(type) {
		case time.Duration:
			durations = append(durations, value)
		case model.Range:
			durations = append(durations, value.Min, value.Max)
		}
	}
	return durations
}

// Nearest returns the three of the valid names, or all if there are fewer, that
// take the fewest edits to get to from name, nearest first and equally near ones
// in alphabetical order. Upper and lower case count as the same. However far
// from name they are, there is always one unless valid is empty.
func Nearest(name string, valid []string) []string {
	names := slices.Clone(valid)
	slices.Sort(names)
	names = slices.Compact(names)
	name = strings.ToLower(name)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(
			levenshtein.ComputeDistance(name, strings.ToLower(a)),
			levenshtein.ComputeDistance(name, strings.ToLower(b)))
	})
	return names[:min(3, len(names))]
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	rangeType    = reflect.TypeFor[model.Range]()
)

// field is a parameter with what it takes to read and write it.
type field struct {
	Parameter
	index    []int
	path     string // Field, after the embedded structs that lead to it
	min, max int
}

// structType returns the type of the struct that p is or points to.
func structType(p any) (reflect.Type, error) {
	t := reflect.TypeOf(p)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("a protocol variant cannot be of type %T; write it as a struct or a pointer to one", p)
	}
	return t, nil
}

// open returns the fields of the struct that p is or points to, and the struct.
func open(p any) ([]field, reflect.Value, error) {
	t, err := structType(p)
	if err != nil {
		return nil, reflect.Value{}, err
	}
	v := reflect.ValueOf(p)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, reflect.Value{}, fmt.Errorf("a nil %T has no parameter values; pass a pointer to a struct", p)
		}
		v = v.Elem()
	}
	fields, err := fieldsOf(t)
	return fields, v, err
}

// find returns the field that is the parameter name of p, and its value.
func find(p any, name string) (field, reflect.Value, error) {
	fields, v, err := open(p)
	if err != nil {
		return field{}, reflect.Value{}, err
	}
	var names []string
	for _, f := range fields {
		if f.Name == name {
			return f, v.FieldByIndex(f.index), nil
		}
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return field{}, reflect.Value{}, fmt.Errorf("%s has no parameter %q; it has none at all, so leave it out", v.Type(), name)
	}
	return field{}, reflect.Value{}, fmt.Errorf("%s has no parameter %q; the nearest are %s", v.Type(), name, quoted(Nearest(name, names)))
}

// fieldsOf returns the parameters among the fields of t.
func fieldsOf(t reflect.Type) ([]field, error) {
	fields, err := appendFields(nil, t, t, nil, "")
	if err != nil {
		return nil, err
	}
	paths := make(map[string]string)
	for _, f := range fields {
		if first, taken := paths[f.Name]; taken {
			return nil, fmt.Errorf("fields %s and %s of %s are both called %q as parameters; rename one", first, f.path, t, f.Name)
		}
		paths[f.Name] = f.path
	}
	return fields, nil
}

// appendFields appends the parameters in t, which is root or embedded in it at
// the index and path given.
func appendFields(fields []field, root, t reflect.Type, index []int, path string) ([]field, error) {
	for i := range t.NumField() {
		sf := t.Field(i)
		if !sf.IsExported() || sf.Tag.Get("lockstep") == "-" {
			continue
		}
		f := field{
			Parameter: Parameter{Name: kebab(sf.Name), Field: sf.Name, Kind: kindOf(sf.Type), Help: sf.Tag.Get("help")},
			index:     append(slices.Clone(index), i),
			path:      path + sf.Name,
			max:       math.MaxInt,
		}
		if f.Kind == "" && sf.Anonymous && sf.Type.Kind() == reflect.Struct {
			var err error
			if fields, err = appendFields(fields, root, sf.Type, f.index, f.path+"."); err != nil {
				return nil, err
			}
			continue
		}
		if err := f.readTags(sf); err != nil {
			return nil, fmt.Errorf("field %s of %s has %w", f.path, root, err)
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// kindOf returns the kind of a parameter of type t, "" if it cannot be one.
func kindOf(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case t == rangeType:
		return "range"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Bool, reflect.String:
		return t.Kind().String()
	}
	return ""
}

// readTags fills in what the tags say. Its errors go on after "field F of T has".
func (f *field) readTags(sf reflect.StructField) error {
	if f.Kind == "" {
		return fmt.Errorf(`the type %s, which no parameter can have; use time.Duration, model.Range, int, bool or string, or tag the field lockstep:"-"`, sf.Type)
	}
	if text, ok := sf.Tag.Lookup("choices"); ok {
		if f.Kind != "string" {
			return fmt.Errorf("the tag choices, but only a string can have that; remove it")
		}
		for choice := range strings.SplitSeq(text, ",") {
			choice = strings.TrimSpace(choice)
			if choice == "" {
				return fmt.Errorf(`an empty choice in choices:%q; write them as in choices:"plain,if-mine"`, text)
			}
			f.Choices = append(f.Choices, choice)
		}
	}
	if err := f.readBound(sf, "min", &f.min); err != nil {
		return err
	}
	if err := f.readBound(sf, "max", &f.max); err != nil {
		return err
	}
	if f.min > f.max {
		return fmt.Errorf(`bounds that leave no value; write min:"%d" max:"%d"`, f.max, f.min)
	}
	scratch := reflect.New(sf.Type).Elem()
	text, ok := sf.Tag.Lookup("default")
	if !ok {
		if err := f.set(scratch, f.text(scratch)); err != nil {
			return fmt.Errorf("no default, and zero is not allowed: %w in a default tag", err)
		}
	} else if err := f.set(scratch, text); err != nil {
		return fmt.Errorf("a bad default: %w", err)
	}
	f.Default = f.text(scratch)
	return nil
}

// readBound reads the tag min or max, if the field has it.
func (f *field) readBound(sf reflect.StructField, tag string, bound *int) error {
	text, ok := sf.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	if f.Kind != "int" {
		return fmt.Errorf("the tag %s, but only an int can have that; remove it", tag)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("a bad bound %s:%q; write a whole number of 0 or more", tag, text)
	}
	*bound = n
	return nil
}

// text prints the value, whether or not set accepts it.
func (f *field) text(v reflect.Value) string {
	switch f.Kind {
	case "duration":
		return model.FormatDuration(time.Duration(v.Int()))
	case "range":
		return v.Interface().(model.Range).String()
	case "int":
		return strconv.FormatInt(v.Int(), 10)
	case "bool":
		return strconv.FormatBool(v.Bool())
	default:
		return v.String()
	}
}

// set parses the text into v. It is the one place that knows which values a
// parameter may have.
func (f *field) set(v reflect.Value, text string) error {
	refuse := func(remedy string) error {
		return fmt.Errorf("parameter %s cannot be %q; write %s", f.Name, text, remedy)
	}
	switch f.Kind {
	case "duration":
		d, err := model.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", f.Name, err)
		}
		v.SetInt(int64(d))
	case "range":
		r, err := model.ParseRange(text)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", f.Name, err)
		}
		v.Set(reflect.ValueOf(r))
	case "int":
		n, err := strconv.Atoi(text)
		if err != nil || n < f.min || n > f.max {
			if f.max == math.MaxInt && !errors.Is(err, strconv.ErrRange) {
				return refuse(fmt.Sprintf("a whole number of %d or more", f.min))
			}
			return refuse(fmt.Sprintf("a whole number from %d to %d", f.min, f.max))
		}
		v.SetInt(int64(n))
	case "bool":
		if text != "true" && text != "false" {
			return refuse(`"true" or "false"`)
		}
		v.SetBool(text == "true")
	default:
		if f.Choices != nil && !slices.Contains(f.Choices, text) {
			return refuse("one of " + quoted(f.Choices))
		}
		v.SetString(text)
	}
	return nil
}

// kebab returns the name of a field in kebab case. A run of capitals is one
// word, but for the last if a small letter follows: RetryTTL, TTLMax.
func kebab(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if r == '_' {
			r = '-'
		}
		if i > 0 && unicode.IsUpper(r) {
			last := runes[i-1]
			opens := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(last) || unicode.IsDigit(last) || unicode.IsUpper(last) && opens {
				b.WriteByte('-')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// quoted lists the names in quotes, separated by commas.
func quoted(names []string) string {
	quotes := make([]string, len(names))
	for i, name := range names {
		quotes[i] = strconv.Quote(name)
	}
	return strings.Join(quotes, ", ")
}
