package model_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockstep/model"
)

const schemaFile = "../docs/trace.schema.json"

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The schema accepts traces.
func TestTracesConformToTheSchema(t *testing.T) {
	s := schema(t)
	for name, text := range traces(t) {
		if err := s.Validate(parsed(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Validate(parsed(t, []byte(small))); err != nil {
		t.Error(err)
	}
}

// The schema has the keys that a trace has, requires those that are always there, describes
// each, and allows no others.
func TestTheSchemaHasTheKeysOfATrace(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	objects := map[string]reflect.Type{
		"": reflect.TypeFor[model.Trace](), "parameter": reflect.TypeFor[model.ParameterValue](), "bounds": reflect.TypeFor[model.Bounds](),
		"others": reflect.TypeFor[model.OtherNodes](), "fault": reflect.TypeFor[model.FaultBudget](), "step": reflect.TypeFor[model.TraceStep](),
		"change": reflect.TypeFor[model.TraceChange](), "mark": reflect.TypeFor[model.TraceMark](), "source": reflect.TypeFor[model.Source](),
		"operation": reflect.TypeFor[model.HistoryOperation](),
	}
	for name, of := range objects {
		object := root
		if name != "" {
			object, _ = root["$defs"].(map[string]any)[name].(map[string]any)
		}
		properties, _ := object["properties"].(map[string]any)
		var want, required []string
		for i := range of.NumField() {
			key, options, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			want = append(want, key)
			if options != "omitempty" {
				required = append(required, key)
			}
			p, _ := properties[key].(map[string]any)
			if _, refers := p["$ref"]; p["description"] == nil && !refers {
				t.Errorf("%s.%s has no description in the schema", of.Name(), key)
			}
		}
		var demanded []string
		for _, key := range object["required"].([]any) {
			demanded = append(demanded, key.(string))
		}
		slices.Sort(want)
		slices.Sort(required)
		slices.Sort(demanded)
		if got := slices.Sorted(maps.Keys(properties)); !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %q, the type %q", of.Name(), got, want)
		}
		if !slices.Equal(demanded, required) {
			t.Errorf("%s: the schema requires %q, the type %q", of.Name(), demanded, required)
		}
		if object["additionalProperties"] != false {
			t.Errorf("%s: the schema allows other keys", of.Name())
		}
	}
}

// The enumerations of the schema are those of the reader.
func TestTheSchemaHasTheKindsOfATrace(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Defs map[string]struct {
			Properties struct {
				Kind struct{ Enum []string }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"step": model.StepKinds(), "mark": model.MarkKinds()} {
		if got := root.Defs[name].Properties.Kind.Enum; !slices.Equal(got, want) {
			t.Errorf("a %s is one of %q in the schema, and one of %q in the reader", name, got, want)
		}
	}
}

// What the schema refuses is refused by ReadTrace: each value of a trace is removed, or
// replaced by others, and each object is given one more.
func TestWhatTheSchemaRefusesIsRefused(t *testing.T) {
	s := schema(t)
	root := parsed(t, []byte(small))
	refused, accepted := 0, 0
	try := func(what string) {
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		bad := s.Validate(root)
		_, err = model.ReadTrace(bytes.NewReader(text))
		switch {
		case bad == nil:
			accepted++
		case err == nil:
			t.Errorf("%s: ReadTrace accepts what the schema refuses: %v", what, bad)
		default:
			refused++
		}
	}
	var others []any
	for _, text := range []string{`null`, `true`, `-1`, `1.5`, `0`, `9223372036854775808`, `""`, `"x"`, `"n0"`, `"lockstep-trace"`, `[]`, `[null]`, `["x"]`, `{}`} {
		others = append(others, parsed(t, []byte(text)))
	}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		for _, other := range others {
			set(other)
			try(path)
		}
		set(v)
		switch v := v.(type) {
		case []any:
			for i, element := range v {
				walk(path+"[]", element, func(other any) { v[i] = other })
				v[i] = element
			}
		case map[string]any:
			v["more"] = "x"
			try(path + ".more")
			delete(v, "more")
			for _, key := range slices.Sorted(maps.Keys(v)) {
				value := v[key]
				delete(v, key)
				try(path + "." + key)
				walk(path+"."+key, value, func(other any) { v[key] = other })
			}
		}
	}
	walk("", root, func(v any) { root = v })
	t.Logf("%d variants were refused, %d accepted by the schema", refused, accepted)
	if refused < 900 {
		t.Errorf("only %d variants were refused", refused)
	}
}
