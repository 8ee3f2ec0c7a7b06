package explain_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/checks/explain"
	"lockstep/checks/incident"
)

func explainText(t *testing.T, text, name string, parameters ...string) *explain.Result {
	t.Helper()
	m, err := incident.NewMonitor(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := explainBy(m, name, parameters...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A service whose commands come from a pool, each on another connection, is explained as one with a
// connection for each node.
func TestAPoolOfConnectionsIsExplained(t *testing.T) {
	text, err := os.ReadFile("../../testdata/incidents/lease-pause.monitor.log")
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[string]string{"52340": "10.0.0.1", "52362": "10.0.0.1", "52350": "10.0.0.2"}
	n := 0
	pooled := regexp.MustCompile(`127\.0\.0\.1:([0-9]+)`).ReplaceAllStringFunc(string(text), func(address string) string {
		host := hosts[strings.TrimPrefix(address, "127.0.0.1:")]
		if host == "" {
			return address
		}
		n++
		return fmt.Sprintf("%s:%d", host, 5000+n*7%4)
	})
	want, got := recorded(t, "lease-pause", "lease"), explainText(t, pooled, "lease")
	if len(got.Inferred) != 1 || got.Inferred[0].Begin != want.Inferred[0].Begin || *got.Inferred[0].Length != *want.Inferred[0].Length {
		t.Errorf("%+v, want %+v", got.Inferred, want.Inferred)
	}
	if !slices.Equal(violated(got), violated(want)) {
		t.Errorf("it violates %v, want %v", violated(got), violated(want))
	}
}

// Scripts that take the lock with a fencing token, renew it, and store if the token is the highest are
// those of the protocol, whatever keys they use besides; one that is refused changes nothing.
func TestScriptsAreExplained(t *testing.T) {
	var b strings.Builder
	line := func(at time.Duration, client string, words ...string) {
		fmt.Fprintf(&b, "%.6f [0 %s]", 1000+at.Seconds(), client)
		for _, w := range words {
			fmt.Fprintf(&b, " %q", w)
		}
		b.WriteString("\n")
	}
	const ms = time.Millisecond
	holder, loser := "10.0.0.1:5000", "10.0.0.2:5000"
	line(0, holder, "get", "feed")
	line(ms, holder, "evalsha", "acquire", "2", "lock:feed", "fence", "t0", "2000")
	line(ms, "lua", "set", "lock:feed", "t0", "PX", "2000", "NX")
	line(ms, "lua", "incr", "fence")
	for k := range time.Duration(5) {
		at := (k + 1) * 600 * ms
		line(at+2*ms, holder, "evalsha", "renew", "1", "lock:feed", "t0", "2000")
		line(at+2*ms, "lua", "get", "lock:feed")
		line(at+2*ms, "lua", "pexpire", "lock:feed", "2000")
		line(at+300*ms, loser, "get", "feed")
		line(at+301*ms, loser, "evalsha", "acquire", "2", "lock:feed", "fence", fmt.Sprint("u", k), "2000")
		line(at+301*ms, "lua", "set", "lock:feed", fmt.Sprint("u", k), "PX", "2000", "NX")
	}
	line(3500*ms, holder, "evalsha", "store", "2", "feed", "feed:fence", "v1", "1")
	line(3500*ms, "lua", "get", "feed:fence")
	line(3500*ms, "lua", "set", "feed", "v1")
	line(3500*ms, "lua", "set", "feed:fence", "1")
	line(3501*ms, holder, "evalsha", "release", "1", "lock:feed", "t0")
	line(3501*ms, "lua", "get", "lock:feed")
	line(3501*ms, "lua", "del", "lock:feed")
	r := explainText(t, b.String(), "fenced")
	if r.Trace == nil || len(r.Inferred) > 0 {
		t.Fatalf("%+v\n%v", r.Inferred, r.Report().Impossible)
	}
	if other := explainText(t, b.String(), "lease"); other.Trace != nil {
		t.Error("a lease does the same")
	}
}
