package incident_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/checks/incident"
	"lockstep/model"
)

// leaseTrace is a short run of a lease: n0 acquires the lock and renews it, n1 asks in vain, a
// reply is lost, and an atomic step stores.
func leaseTrace() *model.Trace {
	const lock = "store/lock:feed"
	return &model.Trace{Format: model.TraceFormat, Version: model.TraceVersion, Protocol: "lease", Steps: []model.TraceStep{
		{Kind: "arrive", Node: "n0", Process: "n0/0"},
		{Kind: "effect", Node: "n0", Process: "n0/0", Operation: "Get", Key: "cache/feed", Observation: "missing"},
		{
			Time: time.Second, Kind: "effect", Node: "n0", Process: "n0/0", Operation: "SetNX", Key: lock, Arguments: []string{"#1", "10s"}, Observation: "ok",
			Changes: []model.TraceChange{{Key: lock, After: "#1", AfterTTL: 10 * time.Second}},
			Marks:   []model.TraceMark{{Kind: "acquired", Subject: lock}},
		},
		{Time: time.Second, Kind: "effect", Node: "n0", Process: "n0/0", Operation: "Source.Read", Observation: "v1"},
		{Time: 2 * time.Second, Kind: "effect", Node: "n1", Process: "n1/0", Operation: "SetNX", Key: lock, Arguments: []string{"#2", "10s"}, Observation: "refused"},
		{
			Time: 4 * time.Second, Kind: "effect", Node: "n0", Process: "n0/0.1", Operation: "ExpireIfEqual", Key: lock, Arguments: []string{"#1", "10s"}, Observation: "ok",
			Changes: []model.TraceChange{{Key: lock, Before: "#1", After: "#1", BeforeTTL: 10 * time.Second, AfterTTL: 10 * time.Second}},
		},
		{Time: 5 * time.Second, Kind: "fault", Fault: "lost-request", Node: "n0", Process: "n0/0.1", Operation: "ExpireIfEqual", Key: lock, Arguments: []string{"#1", "10s"}, Observation: "timeout"},
		{
			Time: 6 * time.Second, Kind: "effect", Node: "n0", Process: "n0/0", Operation: "Atomic", Arguments: []string{"store(write{ v1 })"}, Observation: "true",
			Changes: []model.TraceChange{{Key: "cache/feed", After: "v1"}},
			Marks:   []model.TraceMark{{Kind: "releasing", Subject: lock}},
		},
		{
			Time: 7 * time.Second, Kind: "fault", Fault: "lost-reply", Node: "n0", Process: "n0/0", Operation: "DelIfEqual", Key: lock, Arguments: []string{"#1"}, Observation: "timeout",
			Changes: []model.TraceChange{{Key: lock, Before: "#1"}},
		},
		{Time: 8 * time.Second, Kind: "fault", Fault: "evict", Key: "cache/feed", Changes: []model.TraceChange{{Key: "cache/feed", Before: "v1"}}},
	}}
}

// commandLines are the commands that a reader has, a line each.
func commandLines(t *testing.T, r incident.Reader) []string {
	t.Helper()
	var lines []string
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Join(c.Args, " ")
		if c.Name == "eval" {
			first, _, _ := strings.Cut(c.Args[0], "\n")
			args = strings.Join(append([]string{strings.TrimSpace(first[:min(len(first), 10)])}, c.Args[1:]...), " ")
		}
		lines = append(lines, fmt.Sprintf("%d %s %s %s %t %s %s %s", c.Line, c.Time.Format("05"), c.Client, c.Request, c.Script, c.Name, args, c.Reply))
	}
}

// The commands of a trace are those that a server would have printed; what was lost on the way
// there is not among them.
func TestATraceIsReadAsItsCommands(t *testing.T) {
	got := commandLines(t, incident.FromTrace(leaseTrace()))
	want := []string{
		"2 00 n0/0 n0/0 false get cache/feed missing",
		"3 01 n0/0 n0/0 false set store/lock:feed #1 PX 10000 NX ok",
		"5 02 n1/0 n1/0 false set store/lock:feed #2 PX 10000 NX refused",
		"6 04 n0/0.1 n0/0 false eval local v = 1 store/lock:feed #1 10000 ok",
		"6 04 n0/0.1 n0/0 true get store/lock:feed ",
		"6 04 n0/0.1 n0/0 true pexpire store/lock:feed 10000 ",
		"8 06 n0/0 n0/0 false eval store 1 cache/feed ",
		"8 06 n0/0 n0/0 true set cache/feed v1 ",
		"9 07 n0/0 n0/0 false eval local v = 1 store/lock:feed #1 ",
		"9 07 n0/0 n0/0 true get store/lock:feed ",
		"9 07 n0/0 n0/0 true del store/lock:feed ",
		"10 08 fault evict  false del cache/feed ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
