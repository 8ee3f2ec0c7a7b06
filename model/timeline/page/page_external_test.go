package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/model"
	"lockstep/model/timeline/internal/golden"
	"lockstep/model/timeline/page"
)

func write(t *testing.T, d page.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// source is a text of so many lines, each with its number.
func source(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line_%d\n", i+1)
	}
	return b.String()
}

// lease is a document with the trace that timeline draws, too.
func lease(t *testing.T) page.Document {
	return page.Document{
		Title:   "A lease under a pause",
		Traces:  []*model.Trace{golden.Trace(t, "../testdata/lease.json")},
		Sources: map[string]string{"lockstep/protocol/catalogue/lease.go": source(90)},
	}
}

var (
	styleElement  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptElement = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

// The page of a small trace is that of the golden file, style and script left out.
func TestThePageOfACounterexample(t *testing.T) {
	got := write(t, page.Document{
		Traces:   []*model.Trace{golden.Trace(t, "testdata/setnx.json")},
		Sources:  map[string]string{"lockstep/protocol/catalogue/setnx.go": "package catalogue\n\n// Handle <gets> the value.\nfunc Handle() string {\n\treturn `a\nb`\n}\n"},
		Verdicts: []page.Verdict{{Property: "answered", Verdict: "holds", Text: "exhausted"}},
	})
	got = styleElement.ReplaceAllString(got, "<style></style>")
	got = scriptElement.ReplaceAllString(got, "<script></script>")
	got = regexp.MustCompile(`sha256-[^&]*(&#43;|&[^;]*;|[^&;'])*?&#39;`).ReplaceAllString(got, "sha256-&#39;")
	file := "testdata/setnx.golden.html"
	golden.Compare(t, file, got)
}

// The same document gives the same bytes.
func TestThePageIsTheSameEveryTime(t *testing.T) {
	want := write(t, lease(t))
	for range 20 {
		if write(t, lease(t)) != want {
			t.Fatal("two pages of one document differ")
		}
	}
}

// The page allows its own style and its own script, by their hashes, and asks for nothing.
func TestThePolicyHasTheHashesOfStyleAndScript(t *testing.T) {
	got := write(t, lease(t))
	policy := strings.ReplaceAll(strings.ReplaceAll(got, "&#39;", "'"), "&#43;", "+")
	for _, e := range []*regexp.Regexp{styleElement, scriptElement} {
		found := e.FindAllStringSubmatch(got, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements match %s", len(found), e)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	for _, never := range []string{"unsafe", " style=", " onclick", "http://", "https://", "<link", "@import", "<img"} {
		if strings.Contains(got, never) {
			t.Errorf("the page contains %q", never)
		}
	}
}

// Whoever runs no scripts finds the verdict, every step with its line, and the sources.
func TestThePageMakesSenseWithoutScripts(t *testing.T) {
	d := lease(t)
	got := scriptElement.ReplaceAllString(write(t, d), "")
	got = regexp.MustCompile(`(?s)<script type="application/json".*?</script>`).ReplaceAllString(got, "")
	trace := d.Traces[0]
	wants := []string{trace.Explanation, trace.Rule, "line_49", "believes that it holds lock:feed"}
	for _, s := range trace.Steps {
		wants = append(wants, strings.ReplaceAll(s.Text, ">", "&gt;"))
		if s.Source != nil {
			wants = append(wants, fmt.Sprintf("%s:%d", filepath.Base(s.Source.File), s.Source.Line))
		}
	}
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Each of several traces can be chosen, by its protocol or by what it is called, and what a run
// attains is no violation.
func TestAPageOfSeveralTraces(t *testing.T) {
	d := lease(t)
	d.Traces = append(d.Traces, golden.Trace(t, "testdata/setnx.json"))
	d.Attains = []string{"", "two rebuilds for one expiry"}
	d.Names = []string{"lease/pause"}
	got := write(t, d)
	for _, want := range []string{"<b>lease/pause</b>", "<b>setnx</b>", `href="#trace=2&amp;step=1"`, `id="trace=2&amp;step=7"`, "two rebuilds for one expiry"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(got, "mutual-exclusion violated") {
		t.Error("what attains a maximum is said to be a violation")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// A failed write is told.
func TestAFailedWriteIsAnError(t *testing.T) {
	if err := page.Write(full{}, lease(t)); err == nil {
		t.Error("a failed write is no error")
	}
}

// Whatever stands in a trace is shown as text.
func TestHostileTextsAreEscaped(t *testing.T) {
	got := write(t, hostile())
	if n := strings.Count(got, "</script"); n != 2 {
		t.Errorf("%d scripts end", n)
	}
	for _, never := range []string{"<img", "<b>", `"><`, "]]>", "<!--"} {
		if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, scriptText(got), ""), styleText(got), ""), never+"evil") {
			t.Errorf("the page contains %q", never+"evil")
		}
	}
	if !strings.Contains(got, "&lt;/script&gt;&lt;img") {
		t.Error("the text is not shown")
	}
}

func scriptText(p string) string { return scriptElement.FindStringSubmatch(p)[1] }
func styleText(p string) string  { return styleElement.FindStringSubmatch(p)[1] }

// evil is a text that ends whatever it stands in.
const evil = "\"><evil'</script><img</style></title></svg><!--evil]]>evil<b>evil\u2028\x00{{.}}\U0001F512"

// hostile is a document in which every text is evil and times are extreme.
func hostile() page.Document {
	source := &model.Source{File: evil, Line: -7}
	step := func(kind string, at time.Duration) model.TraceStep {
		return model.TraceStep{
			Time: at, Kind: kind, Node: evil, Process: evil + "/" + evil, Fault: evil, Overdue: []string{evil}, Operation: evil,
			Key: evil, Arguments: []string{evil}, Observation: evil, Source: source, Text: evil,
			Changes: []model.TraceChange{{Key: evil, Before: evil, After: evil, AfterTTL: math.MaxInt64, BeforeTTL: math.MinInt64, Since: math.MinInt64, Owner: evil}},
			Marks:   []model.TraceMark{{Kind: "acquired", Subject: evil, Source: source}, {Kind: evil, Process: evil, Subject: evil}},
		}
	}
	forever := time.Duration(math.MaxInt64)
	return page.Document{
		Title: evil,
		Traces: []*model.Trace{{
			Protocol: evil, Property: evil, Argument: evil, Rule: evil, Explanation: evil,
			Parameters: []model.ParameterValue{{Name: evil, Value: evil}},
			Steps:      []model.TraceStep{step(evil, math.MinInt64), step("effect", math.MaxInt64), step("fault", -1), step("expire", 0), step("late", math.MaxInt64)},
			History:    []model.HistoryOperation{{Process: evil, Input: evil, Output: evil, Call: math.MinInt64, Return: &forever}},
		}, {}},
		Sources:  map[string]string{evil: evil + "\n" + evil},
		Verdicts: []page.Verdict{{Property: evil, Verdict: evil, Text: evil}},
	}
}

// A trace of any shape is shown: without steps, without names, with faults that lack what they
// strike, with times that go back.
func TestATraceOfAnyShapeIsShown(t *testing.T) {
	for _, kind := range []string{"", "arrive", "effect", "reply", "expire", "fault", "recovery", "late", "timeout"} {
		for _, fault := range []string{"", "crash", "pause", "panic", "starve", "partition", "failover", "store-clock-drift", "store-clock-freeze"} {
			var steps []model.TraceStep
			for i, at := range []time.Duration{5, 5, math.MaxInt64, 0, math.MinInt64, 1, -1} {
				s := model.TraceStep{Time: at, Kind: kind, Fault: fault, Second: 1}
				if i%2 == 1 {
					s.Node, s.Process, s.Key = "n", "n/", "/"
					s.Changes = []model.TraceChange{{After: "#", AfterTTL: 1}, {Key: "/", After: "v99999999999999999999"}}
					s.Marks = []model.TraceMark{{Kind: "acquired"}, {Kind: "return"}, {Kind: "releasing", Process: "."}}
				}
				steps = append(steps, s)
			}
			got := write(t, page.Document{Traces: []*model.Trace{{Steps: steps}}})
			if n := strings.Count(got, `<text class="mark`); n != len(steps) {
				t.Errorf("%s %s: the chart shows %d of %d steps", kind, fault, n, len(steps))
			}
		}
	}
	write(t, page.Document{})
	write(t, page.Document{Traces: []*model.Trace{{}}})
}

// A trace of thousands of steps, each with names of its own, is shown.
func TestALongTraceIsShown(t *testing.T) {
	trace := &model.Trace{Protocol: "long", Property: "answered", Explanation: "it is long"}
	for i := range 1500 {
		name := fmt.Sprintf("n%d", i)
		trace.Steps = append(trace.Steps, model.TraceStep{
			Time: time.Duration(i) * time.Millisecond, Kind: "effect", Node: name, Process: name + "/0", Text: "Set", Key: "store/" + name,
			Changes: []model.TraceChange{{Key: "store/" + name, After: "#1", AfterTTL: time.Second}},
			Marks:   []model.TraceMark{{Kind: "acquired", Subject: "store/" + name}},
		})
	}
	got := write(t, page.Document{Traces: []*model.Trace{trace}})
	if !strings.Contains(got, `id="1500"`) {
		t.Error("the last step is missing")
	}
}

// Where several processes of a node take steps each has a lane of its own, and every step has
// one marker, whatever of that happens to the node as a whole.
func TestEachProcessHasALane(t *testing.T) {
	step := func(kind, process string) model.TraceStep {
		node, _, _ := strings.Cut(process, "/")
		s := model.TraceStep{Kind: kind, Node: node, Text: "text"}
		if process != node {
			s.Process = process
		}
		return s
	}
	for name, c := range map[string]struct {
		steps []model.TraceStep
		lanes []string
	}{
		"one process": {[]model.TraceStep{step("arrive", "n0/0"), step("effect", "n0/0")}, nil},
		"a request and what it has spawned": {
			[]model.TraceStep{step("arrive", "n0/0"), step("effect", "n0/0.1"), step("fault", "n0"), step("effect", "n0/0")}, []string{"n0/0", "n0/0.1"},
		},
		"two requests, and another node": {
			[]model.TraceStep{step("arrive", "n0/1"), step("arrive", "n0/0"), step("arrive", "n1/0")}, []string{"n0/0", "n0/1"},
		},
	} {
		got := write(t, page.Document{Traces: []*model.Trace{{Protocol: "p", Property: "q", Steps: c.steps}}})
		labels, rest, _ := strings.Cut(got, `class="lanes"`)
		lanes, _, _ := strings.Cut(rest, "</svg>")
		if n := strings.Count(lanes, `class="marker `); n != len(c.steps) {
			t.Errorf("%s: %d markers of %d steps", name, n, len(c.steps))
		}
		for _, lane := range []string{"n0/0", "n0/1", "n0/0.1", "n1/0"} {
			if has := strings.Contains(labels, ">"+lane+"<"); has != slices.Contains(c.lanes, lane) {
				t.Errorf("%s: a lane of %s: %v", name, lane, has)
			}
		}
	}
}

// Requests that come one after the other, without end, share a lane; those that are there at once
// do not.
func TestEndlessRequestsShareALane(t *testing.T) {
	step := func(kind, process string) model.TraceStep {
		return model.TraceStep{Kind: kind, Node: "n0", Process: process, Text: "text"}
	}
	ends := func(process string) model.TraceStep {
		s := step("effect", process)
		s.Marks = []model.TraceMark{{Kind: "return", Subject: "stale"}}
		return s
	}
	steps := []model.TraceStep{step("arrive", "n0/0"), ends("n0/0"), step("arrive", "n0/1"), step("arrive", "n0/2"), ends("n0/1"), step("arrive", "n0/3"), ends("n0/2")}
	for _, endless := range []bool{true, false} {
		got := write(t, page.Document{Traces: []*model.Trace{{Protocol: "p", Property: "q", Bounds: model.Bounds{Endless: endless}, Steps: steps}}})
		labels, _, _ := strings.Cut(got, `class="lanes"`)
		for _, lane := range []string{">n0/0 to n0/3<", ">n0/2<"} {
			if has := strings.Contains(labels, lane); has != (endless || lane == ">n0/2<") {
				t.Errorf("endless %t: a lane %s: %t", endless, lane, has)
			}
		}
		if has := strings.Contains(labels, ">n0/1<"); has == endless {
			t.Errorf("endless %t: a lane of n0/1: %t", endless, has)
		}
	}
}
