package model_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/model"
)

// traces returns the texts of the traces in testdata, by name.
func traces(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d traces in testdata: %v", len(files), err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = text
	}
	return all
}

func written(t testing.TB, trace *model.Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := trace.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A trace is read back as it was written.
func TestTracesAreReadBack(t *testing.T) {
	for name, text := range traces(t) {
		trace, err := model.ReadTrace(bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s:%v", name, err)
			continue
		}
		if !bytes.Equal(written(t, trace), text) {
			t.Errorf("%s is not written as it was", name)
		}
	}
}

// small is a trace with everything that the errors below are about.
const small = `{
  "format": "lockstep-trace", "version": 1,
  "protocol": "p", "parameters": [{"name": "ttl", "value": "10s"}],
  "bounds": {
    "nodes": 2, "requests": 1, "updates": 1, "invalidate": false, "latency": "0s..5ms", "reply": "0s",
    "value_ttl_ns": 0, "faults": [{"name": "pause", "budget": 1, "value": "1x12s"}], "rebuild_bound": 1
  },
  "property": "q", "rule": "r", "explanation": "e", "faults": 1, "weight": 3,
  "steps": [
    {"time_ns": 5, "kind": "arrive", "node": "n0", "process": "n0/0", "text": "arrives"},
    {"time_ns": 5, "kind": "effect", "node": "n0", "process": "n0/0", "operation": "Get", "key": "store/k",
      "source": {"file": "p.go", "line": 3}, "marks": [{"kind": "acquired", "subject": "store/k"}], "text": "gets"},
    {"time_ns": 6, "kind": "fault", "node": "n0", "fault": "pause", "text": "n0 is paused"},
    {"time_ns": 7, "kind": "recovery", "node": "n0", "fault": "pause", "overdue": ["n0/0.1"], "text": "goes on"}
  ],
  "history": [
    {"process": "n0/0", "input": "get", "output": "v1", "call_ns": 5, "return_ns": 6},
    {"input": "expiry", "call_ns": 6}
  ]
}
`

// What is refused is refused with its place, what is wrong, and what would be right.
func TestARefusedTraceSaysWhereAndWhatIsWrong(t *testing.T) {
	const version = `version 1: use the program that wrote the trace, or write it anew with this one`
	for _, c := range []struct{ old, new, want string }{
		{small, "", `1:1: there is nothing here; a trace is one JSON object, as lockstep check --trace FILE writes it`},
		{small, " \n\t", `1:1: there is nothing here; a trace is one JSON object, as lockstep check --trace FILE writes it`},
		{small, "\ufeff{}", `1:1: the text begins with a byte order mark; save it as UTF-8 without one`},
		{small, "hello", `1:1: this is not JSON: invalid character 'h' looking for beginning of value`},
		{small, "[]", `1:1: here stands a list; it must be an object`},
		{small, "null", `1:1: here stands null; it must be an object`},
		{small, "{}", `1:1: this is not a trace: it has no format; a trace begins with "format": "lockstep-trace", as lockstep check --trace FILE writes it`},
		{small, `{"verdicts": [{}]}`, `1:1: this is not a trace: it has no format; a trace begins with "format": "lockstep-trace", as lockstep check --trace FILE writes it`},
		{small, `{"format": "lockstep-trace"}`, `1:1: the trace has no version; this program reads version 1`},
		{`"lockstep-trace"`, `"other"`, `2:13: format: this is not a trace: its format is the text "other", and a trace has "lockstep-trace"`},
		{`"version": 1`, `"version": 2`, `2:42: version: the trace has version 2; this program reads ` + version},
		{`"version": 1`, `"version": "1"`, `2:42: version: the trace has version "1"; this program reads ` + version},
		// A later version may have other keys, before and after its number.
		{`"format": "lockstep-trace", "version": 1`, `"colour": {"red": [1]}, "format": "lockstep-trace", "version": 2`, `2:66: version: the trace has version 2; this program reads ` + version},
		{`"format": "lockstep-trace"`, `"colour": ` + strings.Repeat("[", 70), `2:13: colour: the value is nested more than 64 deep, and nothing in a trace is`},
		{"\n}\n", "\n} {", `20:3: the trace ends before this; remove what follows it`},
		{"\n}\n", "", `19:4: the text ends in the middle of the trace: it was cut off; write the trace again`},
		{"\n}\n", ",\n}\n", `20:1: this is not JSON: invalid character '}'`},
		{`"weight": 3`, `"weight": 3, "wieght": 3`, `8:79: wieght: the key is not known; did you mean weight?`},
		{`"weight": 3`, `"weight": 3, "Weight": 3`, `8:79: Weight: the key is not known; did you mean weight?`},
		{`"weight": 3`, `"weight": 3, "x": {"y": 1}`, `8:79: x: the key is not known; the keys of a trace are format, version, protocol,`},
		{`"weight": 3`, `"weight": 3, "weight": 3`, `8:79: weight: the key is given twice; remove one of them`},
		{`"weight": 3`, `"weight": -3`, `8:76: weight: -3 is out of range; it must be a whole number from 0 to 2147483647`},
		{`"faults": 1,`, `"faults": -1,`, `8:63: faults: -1 is out of range; it must be a whole number from 0 to 2147483647`},
		{`"weight": 3`, `"weight": 3.0`, `8:76: weight: here stands 3.0; it must be a whole number, without a fraction and an exponent`},
		{`"weight": 3`, `"weight": null`, `8:76: weight: here stands null; it must be a whole number`},
		{`, "weight": 3`, ``, `1:1: the key weight is missing; every trace has it`},
		{`"explanation": "e"`, `"explanation": 7`, `8:48: explanation: here stands 7; it must be text`},
		{`"explanation": "e"`, `"explanation": "\ud83d"`, `8:48: explanation: the text has half of a surrogate pair, which is no character; write both halves, as in "\ud83d\udd12"`},
		{`"explanation": "e"`, "\"explanation\": \"\xff\"", `8:49: the byte 0xff is not UTF-8; save the text as UTF-8`},
		{`"property": "q"`, `"property": ""`, `8:15: property: "" is not possible here; it must be a name`},
		{`"invalidate": false`, `"invalidate": 0`, `5:60: bounds.invalidate: here stands 0; it must be true or false`},
		{`"0s..5ms"`, `"5ms..0s"`, `5:78: bounds.latency: range "5ms..0s" runs the wrong way round; write "0s..5ms"`},
		{`"0s..5ms"`, `5`, `5:78: bounds.latency: here stands 5; it must be text`},
		{`"nodes": 2`, `"nodes": 0`, `5:14: bounds.nodes: 0 is out of range; it must be a whole number from 1 to 2147483647`},
		{`"budget": 1`, `"budget": 0`, `6:63: bounds.faults[0].budget: 0 is out of range; it must be a whole number from 1 to 2147483647`},
		{`"name": "ttl"`, `"nom": "ttl"`, `3:36: parameters[0].nom: the key is not known; did you mean name?`},
		{`"time_ns": 6, "kind": "fault"`, `"time_ns": 4, "kind": "fault"`, `13:17: steps[2].time_ns: the step is at 4ns, earlier than the one before it, at 5ns; steps are in the order of their times`},
		{`"time_ns": 6`, `"time_ns": -6`, `13:17: steps[2].time_ns: -6 is out of range; it must be a whole number of nanoseconds from 0 to 4611686018427387904`},
		{`"time_ns": 6`, `"time_ns": 9223372036854775808`, `13:17: steps[2].time_ns: 9223372036854775808 is out of range; it must be`},
		{`"time_ns": 6`, `"time_ns": 1e3`, `13:17: steps[2].time_ns: here stands 1e3; it must be a whole number of nanoseconds, without a fraction and an exponent`},
		{`"time_ns": 6`, `"time_ns": "6s"`, `13:17: steps[2].time_ns: here stands the text "6s"; it must be a whole number of nanoseconds`},
		{`"kind": "arrive"`, `"kind": "arrives"`, `10:28: steps[0].kind: "arrives" is not possible here; it must be one of arrive, effect, reply, expire, fault, recovery, late, timeout`},
		{`"node": "n0", "process": "n0/0", "text"`, `"node": "node", "process": "n0/0", "text"`, `10:46: steps[0].node: "node" is not possible here; it must be a node, such as n0, or that of an update, such as u0`},
		{`"process": "n0/0", "text"`, `"process": "n1/0", "text"`, `10:63: steps[0].process: the process n1/0 does not run on the node "n0" of the step; they must agree`},
		{`"process": "n0/0", "text"`, `"process": "n0-0", "text"`, `10:63: steps[0].process: "n0-0" is not possible here; it must be a process, such as n0/0, u0/0, n0/boot0 or n0/0.1`},
		{`"process": "n0/0", "text"`, `"text"`, `10:5: steps[0]: a step of the kind arrive needs the process that it is about`},
		{`"key": "store/k"`, `"key": "k"`, `11:98: steps[1].key: "k" is not possible here; it must be a store and a key, such as cache/feed`},
		{`"line": 3`, `"line": 0`, `12:42: steps[1].source.line: 0 is out of range; it must be a whole number from 1 to 2147483647`},
		{`"file": "p.go", `, ``, `12:17: steps[1].source: the key file is missing; every source has it`},
		{`"kind": "acquired"`, `"kind": "took"`, `12:65: steps[1].marks[0].kind: "took" is not possible here; it must be one of token, acquired, releasing,`},
		{`, "subject": "store/k"`, ``, `12:56: steps[1].marks[0]: a mark acquired needs the subject, the key that it is about`},
		{`"fault": "pause", "text"`, `"text"`, `13:5: steps[2]: a step of the kind fault needs the name of the fault`},
		{`["n0/0.1"]`, `["n0/0.0"]`, `14:84: steps[3].overdue[0]: "n0/0.0" is not possible here; it must be a process`},
		{`["n0/0.1"]`, `"n0/0.1"`, `14:83: steps[3].overdue: here stands the text "n0/0.1"; it must be a list`},
		{`["n0/0.1"]`, strings.Repeat("[", 100), `14:84: steps[3].overdue[0]: here stands a list; it must be text`},
		{`"return_ns": 6`, `"return_ns": 4`, `17:84: history[0].return_ns: the operation returns at 4ns, before its call at 5ns; it must return then or later, or have no return_ns`},
		{`, "return_ns": 6`, ``, `17:51: history[0].output: the operation has an output and no return_ns; it needs both, or neither`},
		{`"call_ns": 6`, `"call_ns": 4`, `18:36: history[1].call_ns: the call is at 4ns, earlier than the one before it, at 5ns; operations are in the order of their calls`},
	} {
		text := strings.Replace(small, c.old, c.new, 1)
		if text == small {
			t.Fatalf("%q does not change the trace", c.old)
		}
		_, err := model.ReadTrace(strings.NewReader(text))
		var place *model.TraceError
		if !errors.As(err, &place) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q for %q:\n got %v\nwant %s", c.new, c.old, err, c.want)
		}
	}
	if _, err := model.ReadTrace(strings.NewReader(small)); err != nil {
		t.Errorf("the trace that is changed above is refused itself: %v", err)
	}
}

// A trace that is cut off anywhere is refused, at its end or earlier.
func TestEveryTruncatedTraceIsRefused(t *testing.T) {
	text := strings.TrimSpace(small)
	for n := range len(text) {
		if _, err := model.ReadTrace(strings.NewReader(text[:n])); err == nil {
			t.Errorf("the first %d bytes are accepted", n)
		}
	}
}

// FuzzReadTrace: whatever is accepted is written and read again as the same bytes, and
// whatever is not has an error with a place in the text.
func FuzzReadTrace(f *testing.F) {
	for _, text := range traces(f) {
		f.Add(text)
	}
	f.Add([]byte(small))
	f.Fuzz(func(t *testing.T, text []byte) {
		trace, err := model.ReadTrace(bytes.NewReader(text))
		if err != nil {
			var place *model.TraceError
			if !errors.As(err, &place) || place.Line < 1 || place.Column < 1 || place.Line > bytes.Count(text, []byte("\n"))+1 {
				t.Fatalf("the error has no place: %v", err)
			}
			return
		}
		first := written(t, trace)
		again, err := model.ReadTrace(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("what was accepted is refused when it is written: %v\n%s", err, first)
		}
		if second := written(t, again); !bytes.Equal(first, second) {
			t.Fatalf("it is written as\n%s\nand then as\n%s", first, second)
		}
	})
}
