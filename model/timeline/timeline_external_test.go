package timeline_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/model/timeline/internal/golden"
)

func draw(t *testing.T, trace *model.Trace, o timeline.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := timeline.Write(&b, trace, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A drawing stays within its width, from 80 columns on, loses no step, and is the
// same every time.
func TestTheDrawingOfACounterexample(t *testing.T) {
	for _, name := range []string{"lease", "history"} {
		trace := golden.Trace(t, "testdata/"+name+".json")
		for _, width := range []int{80, 100, 140} {
			t.Run(fmt.Sprint(name, width), func(t *testing.T) {
				got := draw(t, trace, timeline.Options{Width: width})
				for line := range strings.Lines(got) {
					if n := text.StringWidth(strings.TrimRight(line, "\n")); n > width {
						t.Errorf("a line has %d columns: %s", n, line)
					}
				}
				for _, s := range trace.Steps {
					if s.Source != nil && !strings.Contains(got, fmt.Sprintf("%s:%d", filepath.Base(s.Source.File), s.Source.Line)) {
						t.Errorf("the line of %q is missing", s.Text)
					}
				}
				for _, o := range trace.History {
					if !strings.Contains(got, o.Input) {
						t.Errorf("the operation %q is missing", o.Input)
					}
				}
				file := fmt.Sprintf("testdata/%s.%d.golden", name, width)
				golden.Compare(t, file, got)
			})
		}
	}
}

// Two runs side by side stay within the width, from 80 columns on, however long their times are.
func TestAComparisonStaysWithinItsWidth(t *testing.T) {
	trace := golden.Trace(t, "testdata/lease.json")
	of := make([]int, len(trace.Steps))
	for i := range trace.Steps {
		of[i] = i + 1
	}
	for _, longer := range []time.Duration{0, 5 * time.Microsecond, time.Hour + 5*time.Nanosecond} {
		for i := range trace.Steps {
			trace.Steps[i].Time += longer
		}
		side := timeline.Side{Name: "lease", Trace: trace}
		other := timeline.Side{Name: "a run whose name is long", Trace: golden.Trace(t, "testdata/lease.json")}
		for i := range other.Trace.Steps {
			other.Trace.Steps[i].Text += " in another way, of which more is told than there is room for"
		}
		for _, width := range []int{80, 81, 100, 120} {
			var b bytes.Buffer
			if err := timeline.Compare(&b, side, other, of, timeline.Options{Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := text.StringWidth(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("a line has %d columns of %d: %s", n, width, line)
				}
			}
		}
	}
}

// Colours change no character that is seen, at any width, and end with each line of a text: what
// stands beside it is not coloured.
func TestColoursAreOnlyColours(t *testing.T) {
	text.EnableColors()
	trace := golden.Trace(t, "testdata/lease.json")
	of := make([]int, len(trace.Steps))
	compare := func(o timeline.Options) string {
		var b bytes.Buffer
		if err := timeline.Compare(&b, timeline.Side{Name: "a", Trace: trace}, timeline.Side{Name: "b", Trace: trace}, of, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, width := range []int{60, 80, 100, 140} {
		for _, print := range []func(o timeline.Options) string{compare, func(o timeline.Options) string { return draw(t, trace, o) }} {
			plain, coloured := print(timeline.Options{Width: width}), print(timeline.Options{Width: width, Color: true})
			if coloured == plain {
				t.Error("there are no colours")
			}
			if text.StripEscape(coloured) != plain {
				t.Errorf("with colours:\n%s\nwithout:\n%s", text.StripEscape(coloured), plain)
			}
			for line := range strings.Lines(coloured) {
				if begin := strings.Count(line, "\x1b[") - strings.Count(line, "\x1b[0m"); begin != strings.Count(line, "\x1b[0m") {
					t.Errorf("a colour goes on after its line: %q", line)
				}
			}
		}
	}
}

// What repeats is told once and counted, with the time of the last one.
func TestRepeatsAreFolded(t *testing.T) {
	trace := &model.Trace{Property: "answered", Explanation: "n0/0 waits for ever"}
	at := time.Duration(0)
	step := func(wait time.Duration, operation string, line int) {
		at += wait
		trace.Steps = append(trace.Steps, model.TraceStep{
			Time: at, Kind: "effect", Node: "n0", Process: "n0/0", Operation: operation, Text: operation,
			Source: &model.Source{File: "poll.go", Line: line},
		})
	}
	step(0, "Get feed -> missing", 10)
	for range 13 {
		step(time.Second, "Sleep 1s", 20)
		step(0, "SetNX lock:feed #1 10s -> refused", 21)
	}
	step(0, "Get feed -> missing", 30)
	got := draw(t, trace, timeline.Options{})
	if n := strings.Count(got, "Sleep 1s"); n != 1 {
		t.Errorf("the sleep is told %d times:\n%s", n, got)
	}
	folded := ""
	for line := range strings.Lines(got) {
		if strings.Contains(line, "12 more times") {
			folded = line
		}
	}
	if !strings.HasPrefix(strings.TrimSpace(folded), "13s") {
		t.Errorf("no line tells that it was done 12 more times until 13 s:\n%s", got)
	}
	for _, line := range []string{"poll.go:10", "poll.go:30"} {
		if !strings.Contains(got, line) {
			t.Errorf("%s is missing:\n%s", line, got)
		}
	}
}

// What a hostile trace has for the terminal to obey is shown as a sign, and the trace is left
// as it is.
func TestATerminalIsNotObeyedToATrace(t *testing.T) {
	trace := golden.Trace(t, "testdata/lease.json")
	const hostile = "\x1b[2J\a\u202ex\ny"
	trace.Explanation, trace.Property = hostile, hostile
	for i := range trace.Steps {
		s := &trace.Steps[i]
		s.Text = hostile
		if s.Source != nil {
			s.Source = &model.Source{File: "a/" + hostile, Line: 1}
		}
		for k := range s.Changes {
			s.Changes[k].After = hostile
		}
		for k := range s.Marks {
			s.Marks[k].Subject = hostile
		}
	}
	var drawn, compared strings.Builder
	if err := timeline.Write(&drawn, trace, timeline.Options{}); err != nil {
		t.Fatal(err)
	}
	side := timeline.Side{Name: "a", Trace: trace}
	if err := timeline.Compare(&compared, side, side, make([]int, len(trace.Steps)), timeline.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{drawn.String(), compared.String()} {
		if strings.ContainsAny(text, "\x1b\a\u202e") || strings.Contains(text, "x\ny") {
			t.Errorf("%q", text)
		}
	}
	if trace.Steps[0].Text != hostile || trace.Explanation != hostile {
		t.Error("the trace has changed")
	}
}
