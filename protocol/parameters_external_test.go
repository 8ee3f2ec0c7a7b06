package protocol_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

type lease struct {
	TTL       time.Duration `default:"10s" help:"how long the lock lives without renewal"`
	Rebuild   model.Range   `default:"2s..25s" help:"how long computing the value takes"`
	Polls     int           `default:"3" min:"1" max:"100" help:"how often a loser looks again"`
	Release   string        `default:"plain" choices:"plain,if-mine" help:"how the lock is given back"`
	LookAgain bool          `default:"false" help:"whether the winner looks again"`
	Retries   int
	Note      string
	Skipped   map[string]int `lockstep:"-"`
	hidden    func()
}

func literal() lease {
	return lease{
		TTL: 90 * time.Second, Rebuild: model.Exactly(5 * time.Millisecond), Polls: 7,
		Release: "if-mine", LookAgain: true, Retries: 2, Note: "a b",
	}
}

func TestParametersAreTheExportedFieldsInDeclarationOrder(t *testing.T) {
	want := []protocol.Parameter{
		{Name: "ttl", Field: "TTL", Kind: "duration", Default: "10s", Help: "how long the lock lives without renewal"},
		{Name: "rebuild", Field: "Rebuild", Kind: "range", Default: "2s..25s", Help: "how long computing the value takes"},
		{Name: "polls", Field: "Polls", Kind: "int", Default: "3", Help: "how often a loser looks again"},
		{Name: "release", Field: "Release", Kind: "string", Default: "plain", Help: "how the lock is given back", Choices: []string{"plain", "if-mine"}},
		{Name: "look-again", Field: "LookAgain", Kind: "bool", Default: "false", Help: "whether the winner looks again"},
		{Name: "retries", Field: "Retries", Kind: "int", Default: "0"},
		{Name: "note", Field: "Note", Kind: "string"},
	}
	for _, p := range []any{lease{}, &lease{}, (*lease)(nil)} {
		got, err := protocol.Parameters(p)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Parameters(%#v) = %+v, %v", p, got, err)
		}
	}
}

func TestADefaultIsReportedInTheFormThatValuesHave(t *testing.T) {
	type p struct {
		TTL     time.Duration `default:"300s"`
		Rebuild model.Range   `default:"0..60s"`
		Polls   int           `default:"03"`
	}
	got, err := protocol.Parameters(p{})
	if err != nil || got[0].Default != "5m" || got[1].Default != "0s..1m" || got[2].Default != "3" {
		t.Errorf("Parameters: %+v, %v", got, err)
	}
}

type Common struct {
	TTL   time.Duration `default:"10s"`
	Polls int           `default:"3"`
}

type Faulty struct {
	Weights []int
}

type Mode string

func TestAnEmbeddedStructIsFlattened(t *testing.T) {
	type p struct {
		First int `default:"1"`
		Common
		Last Mode `default:"a" choices:"a, b"`
	}
	filled, err := protocol.WithDefaults(&p{})
	if err != nil {
		t.Fatal(err)
	}
	if err := protocol.SetParameter(filled, "polls", "9"); err != nil {
		t.Error(err)
	}
	if err := protocol.SetParameter(filled, "last", "b"); err != nil {
		t.Error(err)
	}
	if got, want := *filled.(*p), (p{1, Common{10 * time.Second, 9}, "b"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want := []protocol.ParameterValue{{Name: "first", Value: "1"}, {Name: "ttl", Value: "10s"}, {Name: "polls", Value: "9"}, {Name: "last", Value: "b"}}
	if got := protocol.ParameterValues(filled); !slices.Equal(got, want) {
		t.Errorf("ParameterValues = %v, want %v", got, want)
	}
}

func TestAnEmbeddedRangeIsOneParameter(t *testing.T) {
	type p struct {
		model.Range `default:"1s..2s"`
	}
	if got, err := protocol.Parameters(p{}); err != nil || len(got) != 1 || got[0].Kind != "range" {
		t.Errorf("Parameters: %+v, %v", got, err)
	}
}

func TestAStructThatCannotBeAVariantIsRefusedByTypeAndField(t *testing.T) {
	type list struct{ Weights []int }
	type wide struct{ N int64 }
	type nested struct{ Common Common }
	type pointer struct{ *Common }
	type badDefault struct {
		TTL time.Duration `default:"10"`
	}
	type badChoice struct {
		Release string `default:"no" choices:"plain,if-mine"`
	}
	type noChoice struct {
		Release string `choices:"plain,if-mine"`
	}
	type emptyChoice struct {
		Release string `default:"plain" choices:"plain,"`
	}
	type choiceOfInts struct {
		Polls int `choices:"1,2"`
	}
	type outOfBounds struct {
		Polls int `default:"101" min:"1" max:"100"`
	}
	type noDefault struct {
		Polls int `min:"1"`
	}
	type badBound struct {
		Polls int `min:"-1"`
	}
	type swapped struct {
		Polls int `default:"5" min:"9" max:"2"`
	}
	type boundedString struct {
		Note string `max:"5"`
	}
	type embedded struct{ Faulty }
	type twice struct {
		RetryTTL  int
		Retry_TTL int
	}
	type shadowed struct {
		Common
		TTL time.Duration
	}
	const types = `which no parameter can have; use time.Duration, model.Range, int, bool or string, or tag the field lockstep:"-"`
	for _, c := range []struct {
		p    any
		want string
	}{
		{list{}, `field Weights of protocol_test.list has the type []int, ` + types},
		{wide{}, `field N of protocol_test.wide has the type int64, ` + types},
		{nested{}, `field Common of protocol_test.nested has the type protocol_test.Common, ` + types},
		{pointer{}, `field Common of protocol_test.pointer has the type *protocol_test.Common, ` + types},
		{embedded{}, `field Faulty.Weights of protocol_test.embedded has the type []int, ` + types},
		{badDefault{}, `field TTL of protocol_test.badDefault has a bad default: parameter ttl: duration "10" has no unit; write "10s" or "10ms"`},
		{badChoice{}, `field Release of protocol_test.badChoice has a bad default: parameter release cannot be "no"; write one of "plain", "if-mine"`},
		{noChoice{}, `field Release of protocol_test.noChoice has no default, and zero is not allowed: parameter release cannot be ""; write one of "plain", "if-mine" in a default tag`},
		{emptyChoice{}, `field Release of protocol_test.emptyChoice has an empty choice in choices:"plain,"; write them as in choices:"plain,if-mine"`},
		{choiceOfInts{}, `field Polls of protocol_test.choiceOfInts has the tag choices, but only a string can have that; remove it`},
		{outOfBounds{}, `field Polls of protocol_test.outOfBounds has a bad default: parameter polls cannot be "101"; write a whole number from 1 to 100`},
		{noDefault{}, `field Polls of protocol_test.noDefault has no default, and zero is not allowed: parameter polls cannot be "0"; write a whole number of 1 or more in a default tag`},
		{badBound{}, `field Polls of protocol_test.badBound has a bad bound min:"-1"; write a whole number of 0 or more`},
		{swapped{}, `field Polls of protocol_test.swapped has bounds that leave no value; write min:"2" max:"9"`},
		{boundedString{}, `field Note of protocol_test.boundedString has the tag max, but only an int can have that; remove it`},
		{twice{}, `fields RetryTTL and Retry_TTL of protocol_test.twice are both called "retry-ttl" as parameters; rename one`},
		{shadowed{}, `fields Common.TTL and TTL of protocol_test.shadowed are both called "ttl" as parameters; rename one`},
		{7, `a protocol variant cannot be of type int; write it as a struct or a pointer to one`},
		{nil, `a protocol variant cannot be of type <nil>; write it as a struct or a pointer to one`},
	} {
		if _, err := protocol.Parameters(c.p); err == nil || err.Error() != c.want {
			t.Errorf("Parameters(%T): %v\nwant %s", c.p, err, c.want)
		}
		if _, err := protocol.WithDefaults(c.p); err == nil || err.Error() != c.want {
			t.Errorf("WithDefaults(%T): %v\nwant %s", c.p, err, c.want)
		}
		if got := protocol.ParameterValues(c.p); got != nil {
			t.Errorf("ParameterValues(%T) = %v, want none", c.p, got)
		}
		if got := protocol.Durations(c.p); got != nil {
			t.Errorf("Durations(%T) = %v, want none", c.p, got)
		}
	}
}

func TestWithDefaultsFillsInWhatIsZeroAndNothingElse(t *testing.T) {
	got, err := protocol.WithDefaults(lease{Polls: 7, Skipped: map[string]int{"a": 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := lease{
		TTL: 10 * time.Second, Rebuild: model.Between(2*time.Second, 25*time.Second), Polls: 7, Release: "plain",
		Skipped: map[string]int{"a": 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("WithDefaults = %+v, want %+v", got, want)
	}
	if got, err := protocol.WithDefaults(literal()); err != nil || !reflect.DeepEqual(got, literal()) {
		t.Errorf("WithDefaults = %+v, %v, want what was set", got, err)
	}
}

func TestWithDefaultsLeavesItsArgumentAlone(t *testing.T) {
	called := false
	original := &lease{Polls: 7, hidden: func() { called = true }}
	got, err := protocol.WithDefaults(original)
	if err != nil {
		t.Fatal(err)
	}
	copied, ok := got.(*lease)
	if !ok || copied == original || original.TTL != 0 || copied.TTL != 10*time.Second {
		t.Fatalf("WithDefaults = %#v of %#v", got, original)
	}
	if copied.hidden(); !called {
		t.Error("an unexported field was not copied")
	}
}

func TestALiteralIsHeldToTheSameRulesAsText(t *testing.T) {
	for want, p := range map[string]lease{
		`parameter ttl: duration "-5s" is negative; write "0s" or longer`:              {TTL: -5 * time.Second},
		`parameter rebuild: range "25s..2s" runs the wrong way round; write "2s..25s"`: {Rebuild: model.Between(25*time.Second, 2*time.Second)},
		`parameter polls cannot be "101"; write a whole number from 1 to 100`:          {Polls: 101},
		`parameter release cannot be "of-mine"; write one of "plain", "if-mine"`:       {Release: "of-mine"},
		`parameter retries cannot be "-1"; write a whole number of 0 or more`:          {Retries: -1},
	} {
		if _, err := protocol.WithDefaults(p); err == nil || err.Error() != want {
			t.Errorf("WithDefaults: %v\nwant %s", err, want)
		}
		name := strings.TrimSuffix(strings.Fields(want)[1], ":")
		if text, err := protocol.ParameterText(p, name); err == nil || err.Error() != want || text != "" {
			t.Errorf("ParameterText = %q, %v\nwant %s", text, err, want)
		}
	}
}

func TestANilPointerHasNoValues(t *testing.T) {
	const want = "a nil *protocol_test.lease has no parameter values; pass a pointer to a struct"
	p := (*lease)(nil)
	_, err := protocol.WithDefaults(p)
	_, textErr := protocol.ParameterText(p, "ttl")
	for _, err := range []error{err, textErr, protocol.SetParameter(p, "ttl", "1s")} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if protocol.ParameterValues(p) != nil || protocol.Durations(p) != nil {
		t.Error("a nil pointer has values")
	}
}

func TestSetParameterSetsTheFieldOfThatName(t *testing.T) {
	var p lease
	for name, text := range map[string]string{
		"ttl": "1m30s", "rebuild": "5ms", "polls": "7", "release": "if-mine", "look-again": "true", "retries": "2", "note": "a b",
	} {
		if err := protocol.SetParameter(&p, name, text); err != nil {
			t.Error(err)
		}
	}
	if want := literal(); !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, want %+v", p, want)
	}
}

func TestSetParameterCanSetZeroWhereTheDefaultIsAnotherValue(t *testing.T) {
	p := literal()
	for name, text := range map[string]string{"ttl": "0", "rebuild": "0", "retries": "0", "look-again": "false", "note": ""} {
		if err := protocol.SetParameter(&p, name, text); err != nil {
			t.Error(err)
		}
	}
	if want := (lease{Polls: 7, Release: "if-mine"}); !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, want %+v", p, want)
	}
}

func TestARefusedValueIsNamedWithItsRemedyAndChangesNothing(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"ttl", "-5s", `parameter ttl: duration "-5s" is negative; write "0s" or longer`},
		{"ttl", "10", `parameter ttl: duration "10" has no unit; write "10s" or "10ms"`},
		{"rebuild", "25s..2s", `parameter rebuild: range "25s..2s" runs the wrong way round; write "2s..25s"`},
		{"polls", "x", `parameter polls cannot be "x"; write a whole number from 1 to 100`},
		{"polls", "0", `parameter polls cannot be "0"; write a whole number from 1 to 100`},
		{"polls", "101", `parameter polls cannot be "101"; write a whole number from 1 to 100`},
		{"retries", "-1", `parameter retries cannot be "-1"; write a whole number of 0 or more`},
		{"retries", "1.5", `parameter retries cannot be "1.5"; write a whole number of 0 or more`},
		{"retries", "99999999999999999999", fmt.Sprintf(`parameter retries cannot be "99999999999999999999"; write a whole number from 0 to %d`, math.MaxInt)},
		{"look-again", "yes", `parameter look-again cannot be "yes"; write "true" or "false"`},
		{"release", "If-mine", `parameter release cannot be "If-mine"; write one of "plain", "if-mine"`},
		{"release", "", `parameter release cannot be ""; write one of "plain", "if-mine"`},
	} {
		p := literal()
		if err := protocol.SetParameter(&p, c.name, c.text); err == nil || err.Error() != c.want {
			t.Errorf("SetParameter(%q, %q): %v\nwant %s", c.name, c.text, err, c.want)
		}
		if !reflect.DeepEqual(p, literal()) {
			t.Errorf("SetParameter(%q, %q) changed the variant to %+v", c.name, c.text, p)
		}
	}
}

func TestAnUnknownParameterIsAnsweredWithTheNearestNames(t *testing.T) {
	const want = `protocol_test.lease has no parameter "tll"; the nearest are "ttl", "polls", "note"`
	var p lease
	if err := protocol.SetParameter(&p, "tll", "1s"); err == nil || err.Error() != want {
		t.Errorf("SetParameter: %v\nwant %s", err, want)
	}
	if _, err := protocol.ParameterText(p, "tll"); err == nil || err.Error() != want {
		t.Errorf("ParameterText: %v\nwant %s", err, want)
	}
	const none = `struct {} has no parameter "ttl"; it has none at all, so leave it out`
	if err := protocol.SetParameter(&struct{}{}, "ttl", "1s"); err == nil || err.Error() != none {
		t.Errorf("SetParameter: %v\nwant %s", err, none)
	}
}

func TestSkippedFieldsAreUnknownParameters(t *testing.T) {
	var p lease
	for _, name := range []string{"skipped", "hidden", "TTL", ""} {
		if err := protocol.SetParameter(&p, name, "1"); err == nil || !strings.Contains(err.Error(), "has no parameter") {
			t.Errorf("SetParameter(%q): %v", name, err)
		}
	}
}

func TestOnlyAPointerCanBeSet(t *testing.T) {
	const want = "parameter ttl cannot be set in a copy of protocol_test.lease; pass a pointer to it"
	if err := protocol.SetParameter(lease{}, "ttl", "1s"); err == nil || err.Error() != want {
		t.Errorf("SetParameter: %v\nwant %s", err, want)
	}
}

func TestEveryValueIsReadBackAsPrinted(t *testing.T) {
	duration := rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(n int64) time.Duration { return time.Duration(n) })
	rapid.Check(t, func(t *rapid.T) {
		a, b := duration.Draw(t, "one end"), duration.Draw(t, "other end")
		p := lease{
			TTL:       duration.Draw(t, "ttl"),
			Rebuild:   model.Between(min(a, b), max(a, b)),
			Polls:     rapid.IntRange(1, 100).Draw(t, "polls"),
			Release:   rapid.SampledFrom([]string{"plain", "if-mine"}).Draw(t, "release"),
			LookAgain: rapid.Bool().Draw(t, "look-again"),
			Retries:   rapid.IntRange(0, math.MaxInt).Draw(t, "retries"),
			Note:      rapid.String().Draw(t, "note"),
		}
		var back lease
		for _, v := range protocol.ParameterValues(p) {
			text, err := protocol.ParameterText(&p, v.Name)
			if err != nil || text != v.Value {
				t.Fatalf("ParameterText(%q) = %q, %v; ParameterValues says %q", v.Name, text, err, v.Value)
			}
			if err := protocol.SetParameter(&back, v.Name, text); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(back, p) {
			t.Fatalf("%+v, want %+v", back, p)
		}
	})
}

func TestParameterValuesInJSONHaveNameAndValue(t *testing.T) {
	got, err := json.Marshal(protocol.ParameterValues(Common{TTL: time.Minute, Polls: 2}))
	if want := `[{"name":"ttl","value":"1m"},{"name":"polls","value":"2"}]`; err != nil || string(got) != want {
		t.Errorf("json.Marshal: %s, %v; want %s", got, err, want)
	}
}

func TestDurationsAreThoseOfTheParametersWithBothEndsOfRanges(t *testing.T) {
	p := literal()
	p.Rebuild = model.Between(2*time.Second, 25*time.Second)
	want := []time.Duration{90 * time.Second, 2 * time.Second, 25 * time.Second}
	for _, p := range []any{p, &p} {
		if got := protocol.Durations(p); !slices.Equal(got, want) {
			t.Errorf("Durations = %v, want %v", got, want)
		}
	}
}

func TestNearestOrdersByEditsAndThenAlphabetically(t *testing.T) {
	for _, c := range []struct {
		name  string
		valid []string
		want  []string
	}{
		{"tll", []string{"polls", "ttl", "release", "look-again"}, []string{"ttl", "polls", "release"}},
		{"x", []string{"d", "b", "c", "a"}, []string{"a", "b", "c"}},
		{"LookAgain", []string{"ttl", "look-again"}, []string{"look-again", "ttl"}},
		{"fence", []string{"Fenced", "Fenced", "lease"}, []string{"Fenced", "lease"}},
		{"x", nil, nil},
	} {
		valid := slices.Clone(c.valid)
		got := protocol.Nearest(c.name, valid)
		if !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q, %q) = %q, want %q", c.name, c.valid, got, c.want)
		}
		if !slices.Equal(valid, c.valid) {
			t.Errorf("Nearest(%q) reordered its argument to %q", c.name, valid)
		}
	}
}

func TestNearestDoesNotDependOnTheOrderOfTheValidNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		valid := rapid.SliceOf(rapid.StringMatching(`[a-c]{0,4}`)).Draw(t, "valid")
		name := rapid.StringMatching(`[a-c]{0,4}`).Draw(t, "name")
		want := protocol.Nearest(name, valid)
		if got := protocol.Nearest(name, rapid.Permutation(valid).Draw(t, "permuted")); !slices.Equal(got, want) {
			t.Fatalf("%q and %q", got, want)
		}
	})
}
