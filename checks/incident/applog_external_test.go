package incident_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/checks/incident"
)

// appLines are the log of an application of events, each as "seconds node event field=value...".
func appLines(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		words := strings.Fields(e)
		var at float64
		fmt.Sscan(words[0], &at)
		fmt.Fprintf(&b, `{"ts":%q,"node":%q,"req":"%s-r0","event":%q`, time.UnixMilli(1700000000000+int64(at*1000)).UTC().Format(time.RFC3339Nano), words[1], words[1], words[2])
		for _, w := range words[3:] {
			name, value, _ := strings.Cut(w, "=")
			fmt.Fprintf(&b, `,%q:%q`, name, value)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func openLog(t *testing.T, name, text string, o incident.Options) *incident.Log {
	t.Helper()
	l, err := incident.OpenLog(name, strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func auditApp(t *testing.T, events ...string) *incident.Result {
	t.Helper()
	r, err := incident.AuditLogs(incident.AuditOptions{Skew: 100 * time.Millisecond}, openLog(t, "app", appLines(events...), incident.Options{}))
	if err != nil || r.Bad.Count > 0 || r.Others > 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	return r
}

// What an application says of itself proves overlaps and stale writes where its clocks agree well
// enough, and nothing where they do not.
func TestTheLogOfAnApplicationIsAudited(t *testing.T) {
	for name, c := range map[string]struct {
		events   []string
		findings []string
		doubts   int
	}{
		"all is well": {[]string{
			"0 n0 request", "0.1 n0 acquired token=x ttl_ms=2000", "0.2 n0 rebuild-start version=1", "0.5 n1 request",
			"1 n0 renew ok=1", "2 n0 rebuild-done version=1", "2.1 n0 stored version=1", "2.2 n0 release deleted=1", "2.5 n1 hit value=v1",
			"3 n1 acquired token=y ttl_ms=2000", "3.1 n1 release deleted=1",
		}, []string{}, 0},
		"two believe at the same time": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "2 n1 acquired token=y ttl_ms=1000", "3 n0 rebuild-done",
		}, []string{"overlapping-belief[1 2 3]"}, 0},
		"a release is called before it is logged": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "2 n1 acquired token=y ttl_ms=1000", "3 n0 release", "3.1 n1 release",
		}, []string{}, 1},
		"the clocks may differ by that much": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "2 n1 acquired token=y ttl_ms=1000", "2.05 n0 rebuild-done", "2.06 n0 lost", "2.1 n1 release",
		}, []string{}, 0},
		"one knew that it had lost the lock": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "1 n0 lost", "2 n1 acquired token=y ttl_ms=1000", "2.5 n0 hit", "3 n1 release",
		}, []string{}, 0},
		"two locks": {[]string{
			"0 n0 acquired token=x key=A", "1 n1 acquired token=y key=B", "2 n0 rebuild-done", "2 n1 rebuild-done",
		}, []string{}, 0},
		"the same node again": {[]string{
			"0 n0 acquired token=x", "1 n0 release", "2 n0 acquired token=y", "3 n0 release",
		}, []string{}, 0},
		"an old version over a new one": {[]string{
			"0 n0 acquired token=x", "0 n0 rebuild-start version=1", "1 n0 release", "2 n1 stored version=2", "3 n0 rebuild-done version=1", "3 n0 stored version=1",
		}, []string{"stale-overwrite[4 6]"}, 0},
		"which was stored first is not sure": {[]string{
			"2 n1 stored version=2", "2.05 n0 stored version=1",
		}, []string{}, 1},
		"stored after the loss was noticed": {[]string{
			"0 n0 acquired token=x", "1 n0 lost", "2 n0 stored version=1",
		}, []string{"write-after-loss[1 2 3]"}, 0},
		"stored after the TTL, which may have been renewed": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "2 n0 rebuild-done", "2.1 n0 stored version=1", "2.2 n0 release",
		}, []string{}, 1},
		"a release that removed the lock of another": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "2 n1 acquired token=y ttl_ms=9000", "3 n0 stored version=1", "3.1 n0 release deleted=1",
		}, []string{"overlapping-belief[1 2 3]", "foreign-release[1 2 4]"}, 0},
		"a release that removed nothing": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "2 n1 acquired token=y ttl_ms=9000", "3 n0 release deleted=0",
		}, []string{}, 0},
		"an answer older than what was there": {[]string{
			"0 n0 stored version=2", "1 n1 request", "2 n1 hit version=1",
		}, []string{"stale-answer[1 2 3]"}, 0},
		"an answer of a request that came before": {[]string{
			"0 n1 request", "1 n0 stored version=2", "2 n1 hit version=1",
		}, []string{}, 0},
		"two rebuild at the same time": {[]string{
			"0 n0 rebuild-start version=1", "1 n1 rebuild-start version=1", "2 n0 rebuild-done", "3 n1 rebuild-done",
		}, []string{"repeated-rebuild[1 2 3 4]"}, 0},
		"a rebuild that has failed, and another": {[]string{
			"0 n0 rebuild-start version=1", "1 n0 rebuild-failed", "2 n1 rebuild-start version=1", "3 n1 rebuild-done",
		}, []string{}, 0},
		"an owner that is silent beyond its TTL": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "0.1 n1 request", "5 n1 stale",
		}, []string{"silent-owner[1]"}, 0},
		"an owner that is silent within its TTL": {[]string{
			"0 n0 acquired token=x ttl_ms=10000", "0.1 n1 request", "5 n1 stale",
		}, []string{}, 1},
		"an owner without a TTL in the log": {[]string{
			"0 n0 acquired token=x", "0.1 n1 request", "5 n1 stale",
		}, []string{}, 1},
		"a node that crashed believes nothing": {[]string{
			"0 n0 acquired token=x ttl_ms=1000", "0.5 n0 crashed", "2 n1 acquired token=y", "3 n0 request", "3.1 n1 release",
		}, []string{}, 0},
	} {
		r := auditApp(t, c.events...)
		if got := kinds(r); !slices.Equal(got, c.findings) {
			t.Errorf("%s: %v, want %v", name, got, c.findings)
		}
		if len(r.Doubts) != c.doubts {
			t.Errorf("%s: %d doubts, want %d: %+v", name, len(r.Doubts), c.doubts, r.Doubts)
		}
	}
}

// Commands and the log of the application are joined by the tokens: who did it has a name, what
// it believed is known, and nothing is told twice.
func TestCommandsAndApplicationsAreJoined(t *testing.T) {
	monitor := recording("0 a:1 get feed", "0 a:1 set lock x nx ex 1", "0 a:1 get source", "1 u:1 set source 2",
		"2 b:1 set lock y nx ex 1", "2 b:1 get source", "2.5 b:1 set feed v2", "2.6 b:1 del lock", "5 a:1 set feed v1", "5 a:1 eval release 1 lock x")
	app := appLines("0 n0 request", "0.1 n0 acquired token=x ttl_ms=1000", "0.1 n0 rebuild-start version=1", "2.1 n1 acquired token=y ttl_ms=1000",
		"2.4 n1 rebuild-start version=2", "2.4 n1 rebuild-done", "2.5 n1 stored version=2", "2.6 n1 release deleted=1", "4.9 n0 rebuild-done", "5 n0 stored version=1", "5 n0 release deleted=0")
	r, err := incident.AuditLogs(incident.AuditOptions{}, openLog(t, "m", monitor, incident.Options{}), openLog(t, "a", app, incident.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprint(f.Kind, f.Places))
	}
	want := []string{"overlapping-belief[{m 3} {m 6} {m 10}]", "repeated-rebuild[{m 8} {m 10}]", "stale-overwrite[{m 4} {m 7} {m 8} {m 10}]"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !strings.Contains(r.Findings[0].Text, "n0-r0 (token x) ") || r.Nodes != 2 || r.Commands != 10 || r.Events != 11 || len(r.Doubts) != 0 {
		t.Errorf("%+v", r)
	}
	// Without commands after the loss the application still says that there was a belief.
	r, err = incident.AuditLogs(incident.AuditOptions{},
		openLog(t, "m", recording("0 a:1 set lock x nx ex 1", "2 b:1 set lock y nx ex 9"), incident.Options{}),
		openLog(t, "a", appLines("0.1 n0 acquired token=x", "2.1 n1 acquired token=y", "2.5 n0 rebuild-done"), incident.Options{}))
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Key != "lock" || len(r.Doubts) != 0 {
		t.Errorf("%v %+v", err, r)
	}
	// And if it says that the belief had ended, there is no doubt.
	r, err = incident.AuditLogs(incident.AuditOptions{},
		openLog(t, "m", recording("0 a:1 set lock x nx ex 1", "2 b:1 set lock y nx ex 9"), incident.Options{}),
		openLog(t, "a", appLines("0.1 n0 acquired token=x", "1 n0 lost", "2.1 n1 acquired token=y"), incident.Options{}))
	if err != nil || len(r.Findings)+len(r.Doubts) != 0 {
		t.Errorf("%v %+v", err, r)
	}
}

// Lines that are no event are counted and shown, and what the mapping does not know is kept.
func TestBadLinesOfAnApplicationAreShown(t *testing.T) {
	l := openLog(t, "app", `{"ts":"2026-01-01T00:00:00Z","event":"request","node":"n0"}
hello
{"ts":"yesterday","event":"request"}
{"event":"request"}
{"ts":"2026-01-01T00:00:00Z"}
{"ts":"2026-01-01T00:00:01Z","event":"coffee","node":"n0"}
{"ts":"2026-01-01T00:00:00Z","event":"acquired","ttl_ms":-1}
[1]
{"ts":"2026-01-01T00:00:00Z","event":"request","node":"n0"} {}
{"ts":"2026-01-01T00:00:00Z","event":"hit","node":"n0"}
{"ts":"2026-01-01T00:0`, incident.Options{})
	var events []string
	for {
		e, err := l.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, fmt.Sprint(e.Line, e.Kind, e.Name))
	}
	if !slices.Equal(events, []string{"1request", "6othercoffee", "10hit"}) || l.Bad().Count != 8 || len(l.Bad().First) != 5 || l.Back() != 1 {
		t.Errorf("%v, %+v, %d", events, l.Bad(), l.Back())
	}
}

// Whatever the input and the mapping's default, reading the log of an application ends.
func FuzzApplicationLog(f *testing.F) {
	f.Add([]byte(appLines("0 n0 acquired token=x ttl_ms=1000", "1 n0 renew ok=1")))
	f.Add([]byte(`{"ts":"2026-01-01T00:00:00Z","event":"stored v2","a":{"b":[1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		endsAndAudits(t, text, incident.ApplicationFormat)
	})
}

// endsAndAudits checks that reading a text ends, and so does an audit of it.
func endsAndAudits(t *testing.T, text []byte, format incident.Format) {
	t.Helper()
	l, err := incident.OpenLog("fuzz", bytes.NewReader(text), incident.Options{Format: format})
	if err != nil {
		return
	}
	if _, err := incident.AuditLogs(incident.AuditOptions{Skew: time.Millisecond}, l); err != nil {
		t.Error(err)
	}
	if l.Events > len(text) {
		t.Errorf("%d events of %d bytes", l.Events, len(text))
	}
}
