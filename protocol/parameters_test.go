package protocol

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestParameterNamesAreFieldNamesInKebabCase(t *testing.T) {
	for field, want := range map[string]string{
		"TTL":         "ttl",
		"Polls":       "polls",
		"LookAgain":   "look-again",
		"RebuildP99":  "rebuild-p99",
		"P99Rebuild":  "p99-rebuild",
		"RetryTTL":    "retry-ttl",
		"TTLMax":      "ttl-max",
		"MaxTTLOfKey": "max-ttl-of-key",
		"AThing":      "a-thing",
		"X":           "x",
		"Retry_TTL":   "retry-ttl",
		"Dauer":       "dauer",
		"ÜberTTL":     "über-ttl",
	} {
		if got := kebab(field); got != want {
			t.Errorf("kebab(%q) = %q, want %q", field, got, want)
		}
	}
}

func TestParameterNamesAreWhatAFlagCanBeCalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.StringMatching(`[A-Z][A-Za-z0-9]{0,20}`).Draw(t, "field")
		name := kebab(field)
		if strings.ReplaceAll(name, "-", "") != strings.ToLower(field) {
			t.Fatalf("kebab(%q) = %q has other letters", field, name)
		}
		if strings.Contains(name, "--") || strings.Trim(name, "-") != name || strings.ContainsFunc(name, unicode.IsUpper) {
			t.Fatalf("kebab(%q) = %q", field, name)
		}
	})
}

func TestFieldsOfEmbeddedStructsAreFoundAtAnyDepth(t *testing.T) {
	fields, err := fieldsOf(reflect.TypeFor[outer]())
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range fields {
		paths = append(paths, f.path)
	}
	if want := []string{"First", "Middle.Before", "Middle.Inner.Deep", "Middle.After", "Last"}; !reflect.DeepEqual(paths, want) {
		t.Errorf("paths %q, want %q", paths, want)
	}
}

type (
	outer struct {
		First int
		Middle
		Last int
	}
	Middle struct {
		Before int
		Inner
		After int
	}
	Inner struct{ Deep int }
)
