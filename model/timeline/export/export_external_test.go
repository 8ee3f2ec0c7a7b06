package export_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"lockstep/model"
	"lockstep/model/timeline/export"
	"lockstep/model/timeline/internal/golden"
)

var names = []string{"lease", "nottl", "history"}

// suites are verdicts of all kinds, with the traces as counterexamples.
func suites(traces ...*model.Trace) []export.Suite {
	s := export.Suite{Name: "lease", Cases: []export.Case{
		{Property: "no-foreign-release", Rule: "nobody releases the lock of another", Verdict: "holds"},
		{Property: "no-orphaned-lock", Rule: "no lock without a TTL outlives its owner", Verdict: "holds", Message: "vacuously: there was never a lock without a TTL"},
		{Property: "answered", Rule: "every request is answered", Verdict: "inconclusive", Message: "cut off after 1m"},
	}}
	all := []export.Suite{s}
	for _, t := range traces {
		all = append(all, export.Suite{Name: t.Protocol, Cases: []export.Case{
			{Property: t.Property, Rule: t.Rule, Verdict: "violated", Message: t.Explanation, Trace: t},
		}})
	}
	return all
}

// inRepository returns where a file of this module is.
func inRepository(file string) string { return strings.TrimPrefix(file, "lockstep/") }

// formats are all formats of one trace, by the ending of the file.
func formats() map[string]func(io.Writer, *model.Trace) error {
	return map[string]func(io.Writer, *model.Trace) error{
		"md":       func(w io.Writer, t *model.Trace) error { return export.Markdown(w, t, export.Options{}) },
		"mmd":      func(w io.Writer, t *model.Trace) error { return export.Mermaid(w, t, export.Options{}) },
		"itf.json": func(w io.Writer, t *model.Trace) error { return export.ITF(w, t, export.Options{}) },
		"xml":      func(w io.Writer, t *model.Trace) error { return export.JUnit(w, suites(t), inRepository) },
		"annotation": func(w io.Writer, t *model.Trace) error {
			return export.GitHub(w, t, export.Annotation{Path: inRepository})
		},
	}
}

func written(t testing.TB, write func(io.Writer, *model.Trace) error, trace *model.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, trace); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// An export is the same bytes every time: those that were reviewed.
func TestExports(t *testing.T) {
	for _, name := range names {
		trace := golden.Trace(t, "testdata/"+name+".json")
		for ending, write := range formats() {
			t.Run(name+"."+ending, func(t *testing.T) {
				got := written(t, write, trace)
				wellFormed(t, ending, got)
				file := "testdata/" + name + "." + ending + ".golden"
				golden.Compare(t, file, got)
			})
		}
	}
}

// hostile is text with whatever means something in one of the formats.
const hostile = "a|b `c` ``d <e> &amp; ]]> ::error:: %0A\r\n#1 @me end; %% \"q\" \\ $x$ *y* _z_ [l](m) ~~s~~ \u202e\x1b[31m\x00{n}: note over p0,p1"

// spoiled is a trace all of whose free text is hostile.
func spoiled(t *model.Trace) *model.Trace {
	t.Protocol, t.Property, t.Argument, t.Rule, t.Explanation = hostile, hostile, hostile, hostile, hostile
	t.Parameters = []model.ParameterValue{{Name: hostile, Value: hostile}}
	t.Bounds.Faults = []model.FaultBudget{{Name: hostile, Budget: 1, Value: hostile}}
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Text, s.Observation = hostile, hostile
		if s.Source != nil {
			s.Source.File = hostile
		}
		if s.Key != "" {
			s.Key = "store/" + hostile
		}
		for k := range s.Changes {
			s.Changes[k].Key, s.Changes[k].After = "st"+hostile+"/"+hostile, hostile
		}
		for k := range s.Marks {
			s.Marks[k].Subject = hostile
		}
		if s.Kind == "fault" || s.Kind == "recovery" {
			s.Arguments = []string{hostile}
		}
	}
	for i := range t.History {
		t.History[i].Input, t.History[i].Output = hostile, hostile
	}
	return t
}

// Text of a trace never becomes more than text.
func TestHostileTextIsEscaped(t *testing.T) {
	for _, name := range names {
		trace := spoiled(golden.Trace(t, "testdata/"+name+".json"))
		for ending, write := range formats() {
			t.Run(name+"."+ending, func(t *testing.T) {
				got := written(t, write, trace)
				wellFormed(t, ending, got)
				if strings.ContainsAny(got, "\x1b\x00\u202e\r") && ending != "itf.json" {
					t.Errorf("a control character is left:\n%q", got)
				}
			})
		}
	}
}

var (
	mermaidLine = regexp.MustCompile(`^  (participant p\d+ as [^#;]|p\d+(->>|-->>|-x)p\d+: [^#;]|Note over p\d+(,p\d+)?: [^#;]|(de)?activate p\d+$)`)
	entity      = regexp.MustCompile(`#\d+;`)
	annotation  = regexp.MustCompile(`^::error (file=[^,:\n]+,line=\d+,)?title=[^,:\n]+::[^\n]*\n$`)
)

// wellFormed reports what the readers of a format would not read.
func wellFormed(t testing.TB, ending, text string) {
	t.Helper()
	switch ending {
	case "md":
		columns := 0
		for l := range strings.Lines(text) {
			n := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|")
			if !strings.HasPrefix(l, "|") {
				columns = 0
				continue
			}
			if columns == 0 {
				columns = n
			}
			if n != columns {
				t.Errorf("a row has %d bars, the header %d: %s", n, columns, l)
			}
		}
	case "mmd":
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if lines[0] != "sequenceDiagram" {
			t.Errorf("the diagram begins with %q", lines[0])
		}
		for _, l := range lines[1:] {
			_, rest, _ := strings.Cut(strings.ReplaceAll(entity.ReplaceAllString(l, ""), "<br/>", ""), ": ")
			if !mermaidLine.MatchString(entity.ReplaceAllString(l, "x")) || strings.ContainsAny(rest, "#;%<>{}\"\\`") {
				t.Errorf("this is no line of a diagram: %s", l)
			}
		}
		if strings.Count(text, "  activate") != strings.Count(text, "  deactivate") {
			t.Errorf("what begins does not end:\n%s", text)
		}
	case "itf.json":
		var v struct {
			Vars   []string
			States []map[string]any
		}
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		for i, s := range v.States {
			for _, name := range v.Vars {
				if _, ok := s[name]; !ok {
					t.Errorf("state %d has no %s", i, name)
				}
			}
			if len(s) != len(v.Vars)+1 {
				t.Errorf("state %d has %d keys", i, len(s))
			}
		}
	case "xml":
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	case "annotation":
		if !annotation.MatchString(text) {
			t.Errorf("this is no workflow command: %q", text)
		}
	}
}

// A verdict that nobody knows is refused rather than counted as a success.
func TestAnUnknownVerdictIsRefused(t *testing.T) {
	err := export.JUnit(io.Discard, []export.Suite{{Name: "s", Cases: []export.Case{{Property: "p", Verdict: "fine"}}}}, nil)
	if err == nil || err.Error() != `the verdict on p is "fine"; it must be holds, violated or inconclusive` {
		t.Errorf("error: %v", err)
	}
}

// An annotation has a level that GitHub knows.
func TestAnUnknownLevelIsRefused(t *testing.T) {
	err := export.GitHub(io.Discard, golden.Trace(t, "testdata/lease.json"), export.Annotation{Level: "fatal"})
	if err == nil || err.Error() != `an annotation has no level "fatal"; it must be error, warning or notice` {
		t.Errorf("error: %v", err)
	}
}

// A run that attains a maximum violates nothing.
func TestWhatARunAttainsIsTold(t *testing.T) {
	trace, o := golden.Trace(t, "testdata/lease.json"), export.Options{Attains: "the most rebuilds: 2"}
	for name, write := range map[string]func(io.Writer) error{
		"markdown":   func(w io.Writer) error { return export.Markdown(w, trace, o) },
		"mermaid":    func(w io.Writer) error { return export.Mermaid(w, trace, o) },
		"itf":        func(w io.Writer) error { return export.ITF(w, trace, o) },
		"annotation": func(w io.Writer) error { return export.GitHub(w, trace, export.Annotation{Options: o}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, "the most rebuilds") || strings.Contains(text, "violated") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// FuzzExports: whatever ReadTrace accepts can be exported, as what the formats demand.
func FuzzExports(f *testing.F) {
	for _, name := range names {
		for _, trace := range []*model.Trace{golden.Trace(f, "testdata/"+name+".json"), spoiled(golden.Trace(f, "testdata/"+name+".json"))} {
			var b bytes.Buffer
			if err := trace.Write(&b); err != nil {
				f.Fatal(err)
			}
			f.Add(b.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		trace, err := model.ReadTrace(bytes.NewReader(text))
		if err != nil {
			return
		}
		for ending, write := range formats() {
			wellFormed(t, ending, written(t, write, trace))
		}
	})
}
