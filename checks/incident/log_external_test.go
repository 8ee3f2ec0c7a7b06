package incident_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockstep/checks/incident"
	"lockstep/model"
)

// normalized is what an import of logs writes.
func normalized(t *testing.T, logs ...*incident.Log) string {
	t.Helper()
	var b bytes.Buffer
	w, err := incident.NewWriter(&b, logs...)
	if err != nil {
		t.Fatal(err)
	}
	events := incident.Merge(logs...)
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(incident.BadOf(logs), incident.BackOf(logs)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func traceText(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	trace := leaseTrace()
	trace.Property, trace.Rule, trace.Explanation = "answered", "rule", "why"
	trace.Parameters, trace.Bounds.Faults = []model.ParameterValue{}, []model.FaultBudget{}
	trace.Bounds.Nodes, trace.Bounds.Requests = 2, 1
	for i := range trace.Steps {
		trace.Steps[i].Text = "text"
	}
	if err := trace.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const historyText = `{:process 0, :type :invoke, :f :write, :value [1 "a \"b\"" :k nil], :time 5}
{:process :nemesis, :type :info, :f :kill, :value nil, :time 6}
{:process 0, :type :ok, :f :write, :value 1, :time 7}
`

// texts are a log of each format.
func texts(t *testing.T) map[incident.Format]string {
	monitor := recording("0 a:1 set lock x nx ex 1", "1 a:1 del lock") + `1700000002.000000 [3 a:1] "set" "\xff\x00" "v"` + "\n" + "broken\n"
	app := appLines("0 n0 request", "0.5 n0 acquired token=x ttl_ms=1000", "0.7 n0 tea")
	return map[incident.Format]string{
		incident.MonitorFormat:     monitor,
		incident.ApplicationFormat: app,
		incident.HistoryFormat:     historyText,
		incident.TraceFormat:       traceText(t),
		incident.Normalized: normalized(t, openLog(t, "m.log", monitor, incident.Options{}),
			openLog(t, "a.log", app, incident.Options{})),
	}
}

// Each format is told by how it begins, packed or not, and what was imported is imported again as
// the same stream, which the schema describes.
func TestEachFormatIsToldAndImported(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/incident.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range incident.Formats() {
		text := texts(t)[format]
		l := openLog(t, "log", text, incident.Options{})
		if l.Format != format {
			t.Errorf("%s is taken for %s", format, l.Format)
			continue
		}
		once := normalized(t, l)
		if again := normalized(t, openLog(t, "other", once, incident.Options{})); again != once {
			t.Errorf("%s: imported again:\n%s\nonce:\n%s", format, again, once)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		io.WriteString(w, text)
		w.Close()
		if unpacked := normalized(t, openLog(t, "log", packed.String(), incident.Options{})); unpacked != once {
			t.Errorf("%s, packed:\n%s", format, unpacked)
		}
		for _, line := range strings.Split(strings.TrimSpace(once), "\n") {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %s: %v", format, line, err)
			}
		}
	}
}

// The lines of several logs are merged by time; where the clock of one steps back, its own order
// counts, and nothing is lost.
func TestLogsAreMergedByTime(t *testing.T) {
	a := recording("1 a:1 get x1", "5 a:1 get x2", "2 a:1 get x3", "6 a:1 get x4")
	b := appLines("0 n0 request", "3 n0 miss", "5.5 n0 hit")
	events := incident.Merge(openLog(t, "a", a, incident.Options{}), openLog(t, "b", b, incident.Options{}))
	var got []string
	for {
		e, err := events.Next()
		if err != nil {
			break
		}
		got = append(got, fmt.Sprintf("%s:%d", e.File, e.Line))
	}
	if want := []string{"b:1", "a:2", "b:2", "a:3", "a:4", "b:3", "a:5"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A file that was cut off anywhere is read as far as it goes, and audited: nothing panics, and
// nothing hangs.
func TestEveryTruncationIsRead(t *testing.T) {
	all := texts(t)
	for _, format := range incident.Formats() {
		text := all[format]
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		io.WriteString(w, text)
		w.Close()
		for n := range len(text) {
			endsAndAudits(t, []byte(text[:n]), format)
			endsAndAudits(t, []byte(text[:n]), "")
		}
		for n := range packed.Len() {
			endsAndAudits(t, packed.Bytes()[:n], "")
		}
	}
	files, err := filepath.Glob("../../testdata/incidents/*.*")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(text); n += 1 + len(text)/200 {
			endsAndAudits(t, text[:n], "")
		}
	}
}

// What was lost on the way is said: a normalized stream knows how many events it has.
func TestANormalizedStreamThatWasCutOffIsTold(t *testing.T) {
	text := texts(t)[incident.Normalized]
	lines := strings.SplitAfter(text, "\n")
	for name, cut := range map[string]string{
		"it was cut off":           strings.Join(lines[:4], ""),
		"had 6 events, and 5 were": strings.Join(append(slices.Clone(lines[:3]), lines[4:]...), ""),
		"follows the end":          text + lines[1],
		"no line of a normalized":  strings.Replace(text, `"event":"acquired"`, `"event":"acquired","new":1`, 1),
		`"won" is no event`:        strings.Replace(text, `"event":"acquired"`, `"event":"won"`, 1),
		"there is no command":      strings.Replace(text, `"command":"del"`, `"command":""`, 1),
		"is no time":               strings.Replace(text, `{"time":"2`, `{"time":"X`, 1),
	} {
		l := openLog(t, "n", cut, incident.Options{})
		for {
			if _, err := l.Next(); err != nil {
				break
			}
		}
		if text := fmt.Sprint(l.Bad().First); !strings.Contains(text, name) {
			t.Errorf("%s: %s", name, text)
		}
	}
	for _, head := range []string{`{"format":"lockstep-incident","version":2}`, `{"format":"lockstep-incidents"}`, ``} {
		if _, err := incident.OpenLog("n", strings.NewReader(head), incident.Options{Format: incident.Normalized}); err == nil {
			t.Errorf("%q is read", head)
		}
	}
}

// The recordings of testdata, with the logs of the services that ran, as with MONITOR alone.
func TestRecordingsAreAuditedWithTheirApplications(t *testing.T) {
	for name, want := range map[string][2][]incident.Kind{
		"healthy-lease": {},
		"lease-pause": {
			{incident.OverlappingBelief, incident.RepeatedRebuild, incident.StaleOverwrite, incident.WriteAfterLoss},
			{incident.OverlappingBelief, incident.RepeatedRebuild, incident.StaleOverwrite, incident.WriteAfterLoss},
		},
		"foreign-delete": {
			{incident.OverlappingBelief, incident.RepeatedRebuild},
			{incident.OverlappingBelief, incident.ForeignRelease, incident.RepeatedRebuild, incident.WriteAfterLoss},
		},
		"nottl-crash": {{}, {incident.LockWithoutTTL}},
	} {
		var logs [2]string
		for i, kind := range []string{"app.ndjson", "monitor.log"} {
			text, err := os.ReadFile("../../testdata/incidents/" + name + "." + kind)
			if err != nil {
				t.Fatal(err)
			}
			logs[i] = string(text)
		}
		options := incident.AuditOptions{Skew: incident.DefaultSkew}
		alone, err := incident.AuditLogs(options, openLog(t, "app", logs[0], incident.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		both, err := incident.AuditLogs(options, openLog(t, "app", logs[0], incident.Options{}), openLog(t, "monitor", logs[1], incident.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		stream := normalized(t, openLog(t, "app", logs[0], incident.Options{}), openLog(t, "monitor", logs[1], incident.Options{}))
		imported, err := incident.AuditLogs(options, openLog(t, "n", stream, incident.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		first, _ := json.Marshal(both)
		if second, _ := json.Marshal(imported); !bytes.Equal(first, second) {
			t.Errorf("%s: imported\n%s\nand as it is\n%s", name, second, first)
		}
		for i, r := range []*incident.Result{alone, both} {
			var got []incident.Kind
			for _, f := range r.Findings {
				got = append(got, f.Kind)
			}
			slices.Sort(got)
			sorted := slices.Sorted(slices.Values(want[i]))
			if !slices.Equal(got, sorted) || r.Bad.Count != 0 || r.Others != 0 {
				t.Errorf("%s, %d: %v, want %v; %+v", name, i, got, sorted, r.Bad)
			}
		}
	}
}

// Whatever the input, telling its format, reading it and auditing it ends.
func FuzzLog(f *testing.F) {
	f.Add([]byte(recording("0 a:1 set lock x nx")))
	f.Add([]byte(appLines("0 n0 request")))
	f.Add([]byte(historyText))
	f.Add([]byte(`{"format":"lockstep-incident","version":1,"sources":[]}` + "\n" + `{"time":"2026-01-01T00:00:00Z","event":"command","command":"set","args":["a","b","nx"]}`))
	f.Add([]byte(`{"format":"lockstep-trace","version":1}`))
	f.Fuzz(func(t *testing.T, text []byte) { endsAndAudits(t, text, "") })
}

// Whatever the input, reading a normalized stream ends.
func FuzzNormalized(f *testing.F) {
	head := `{"format":"lockstep-incident","version":1,"sources":[{"file":"a","format":"monitor"}]}` + "\n"
	f.Add([]byte(head + `{"time":"2026-01-01T00:00:00Z","event":"command","base64":true,"command":"c2V0","args":["YQ==","Yg=="]}` + "\n" + `{"event":"end","events":1}`))
	f.Add([]byte(head + `{"time":"2026-01-01T00:00:00Z","event":"acquired","key":"k","token":"t","ttl_us":5}`))
	f.Fuzz(func(t *testing.T, text []byte) { endsAndAudits(t, text, incident.Normalized) })
}
