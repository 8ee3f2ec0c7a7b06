package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// read reads a log of lines of MONITOR, for a lease with the settings.
func read(t *testing.T, text string, change ...func(*Settings)) (*Reading, error) {
	t.Helper()
	m, err := incident.NewMonitor(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := protocol.WithDefaults(&catalogue.Lease{})
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Scenario: scheduler.NewScenario(p.(protocol.Protocol)), MaxFaults: 1}
	for _, c := range change {
		c(&s)
	}
	return Read(m, s)
}

// asks is a lease that is taken, renewed, and given back by one client, with what others do.
const asks = `1.000000 [0 a:1] "get" "feed"
1.001000 [0 a:1] "set" "lock:feed" "t1" "px" "2000" "nx"
1.002000 [0 a:1] "get" "source"
1.100000 [0 b:1] "get" "feed"
1.101000 [0 b:1] "set" "lock:feed" "t2" "px" "2000" "nx"
1.600000 [0 a:2] "evalsha" "f" "1" "lock:feed" "t1" "2000"
1.600010 [0 lua] "get" "lock:feed"
1.600020 [0 lua] "pexpire" "lock:feed" "2000"
2.201000 [0 a:2] "evalsha" "f" "1" "lock:feed" "t1" "2000"
2.201010 [0 lua] "get" "lock:feed"
2.201020 [0 lua] "pexpire" "lock:feed" "2000"
2.500000 [0 a:1] "set" "feed" "v1" "ex" "60"
2.501000 [0 a:1] "evalsha" "g" "1" "lock:feed" "t1"
2.501010 [0 lua] "get" "lock:feed"
2.501020 [0 lua] "del" "lock:feed"
`

// Which key is the lock, which the value and which the source is told by how they are used, clients
// with one token are one node, and the parameters are read from the log.
func TestALogTellsWhatItIsAbout(t *testing.T) {
	b, err := read(t, asks+`2.600000 [0 c:1] "set" "source" "2"`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	if b.Lock != "lock:feed" || b.Value != "feed" || b.Source != "source" {
		t.Errorf("lock %q, value %q, source %q", b.Lock, b.Value, b.Source)
	}
	if len(b.Nodes) != 2 || !slices.Equal(b.Nodes[0].Clients, []string{"a:1", "a:2"}) || !slices.Equal(b.Nodes[1].Clients, []string{"b:1"}) {
		t.Errorf("nodes %+v", b.Nodes)
	}
	got := map[string]string{}
	for _, p := range b.Parameters {
		got[p.Name] = p.Value
	}
	for name, want := range map[string]string{"ttl": "2s", "heartbeat": "600ms", "value-ttl": "1m", "updates": "1"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if b.Scenario.Nodes != 2 || !b.Scenario.Endless || b.Scenario.Requests != 2 {
		t.Errorf("%d nodes, %d requests at once, endless %t", b.Scenario.Nodes, b.Scenario.Requests, b.Scenario.Endless)
	}
}

// What is given is not read from the log.
func TestWhatIsGivenCounts(t *testing.T) {
	b, err := read(t, asks, func(s *Settings) {
		s.Given = map[string]bool{"ttl": true, "value-ttl": true, "updates": true}
		s.Source, s.Nodes = NoSource, map[string]int{"b:1": 0}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range b.Parameters {
		if p.Name == "ttl" || p.Name == "value-ttl" || p.Name == "updates" {
			t.Errorf("%s is read", p.Name)
		}
	}
	if b.Source != "" || !slices.Equal(b.Nodes[0].Clients, []string{"b:1"}) || b.Scenario.ValueTTL != 0 {
		t.Errorf("source %q, nodes %+v, value TTL %s", b.Source, b.Nodes, b.Scenario.ValueTTL)
	}
}

// A token with which two clients ask in turn tells nobody apart.
func TestATokenThatIsNotUniqueTellsNobodyApart(t *testing.T) {
	text := ""
	for _, client := range []string{"a", "b", "a", "b"} {
		text += `1.0 [0 ` + client + `:1] "set" "lock:feed" "locked" "px" "2000" "nx"` + "\n"
	}
	b, err := read(t, strings.ReplaceAll(text, "1.0 ", "1.000000 "))
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Nodes) != 2 {
		t.Errorf("%+v", b.Nodes)
	}
}

// Clients of one host are one node, if there are several hosts: connections of a pool.
func TestClientsOfOneHostAreOneNode(t *testing.T) {
	pool := `1.000000 [0 10.0.0.1:1] "get" "feed"
1.001000 [0 10.0.0.1:2] "set" "lock:feed" "t1" "px" "2000" "nx"
1.100000 [0 10.0.0.2:1] "get" "feed"
1.101000 [0 10.0.0.2:1] "set" "lock:feed" "t2" "px" "2000" "nx"
1.500000 [0 10.0.0.1:1] "set" "feed" "v1"
`
	b, err := read(t, pool)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Nodes) != 2 || len(b.Nodes[0].Clients) != 2 || b.Scenario.Requests != 2 {
		t.Errorf("%+v, %d requests at once", b.Nodes, b.Scenario.Requests)
	}
	b, err = read(t, strings.NewReplacer("10.0.0.1", "127.0.0.1", "10.0.0.2:1", "127.0.0.1:3").Replace(pool))
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Nodes) != 3 {
		t.Errorf("on one host: %+v", b.Nodes)
	}
}

// Where the clock of the server steps back time goes on from there.
func TestAClockThatStepsBack(t *testing.T) {
	b, err := read(t, `100.000000 [0 a:1] "get" "feed"
100.001000 [0 a:1] "set" "lock:feed" "t1" "px" "2000" "nx"
40.000000 [0 a:1] "get" "source"
41.000000 [0 a:1] "set" "feed" "v1"
`)
	if err != nil {
		t.Fatal(err)
	}
	l := b.log()
	if b.Back != 1 || l.Events[3].Time-l.Events[1].Time != time.Second || l.Events[2].Time != l.Events[1].Time {
		t.Errorf("%d steps back, %v", b.Back, l.Events)
	}
}

// What only looks at the lock is left out, and said to be; a key is that of its database.
func TestWhatDoesNotMatter(t *testing.T) {
	b, err := read(t, asks+`2.600000 [0 tool:1] "pttl" "lock:feed"
2.700000 [3 d:1] "del" "lock:feed"
2.800000 [0 a:1] "lpush" "queue" "x"
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Nodes) != 2 || len(b.LeftOut) != 1 || b.LeftOut[0].Clients[0] != "tool:1" || b.Commands != 9 {
		t.Errorf("nodes %+v, left out %+v, %d commands", b.Nodes, b.LeftOut, b.Commands)
	}
}

// Where the log does not tell what is meant the error says what to give.
func TestWhatMustBeGiven(t *testing.T) {
	two := strings.ReplaceAll(asks, "lock:feed", "lock:other")
	for text, want := range map[string]string{
		asks + two: "--lock",
		asks + `3.000000 [0 a:1] "set" "lock:feed" "t9" "px" "2000" "nx"` + "\n" + `3.100000 [0 a:1] "set" "other" "v"` + "\n": "--value",
		`1.000000 [0 a:1] "ping"` + "\n": "--lock",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Different values are different versions only if they are numbers.
func TestNumberedValues(t *testing.T) {
	for _, x := range []struct {
		values []string
		want   bool
	}{
		{nil, true}, {[]string{"v1", "v2"}, true}, {[]string{"1", "22"}, true}, {[]string{"v1", "w2"}, false},
		{[]string{"v1", "x"}, false}, {[]string{`{"at":1}`, `{"at":2}`}, false},
	} {
		values := map[string]int{}
		for i, v := range x.values {
			values[v] = i + 1
		}
		if got := numbered(values); got != x.want {
			t.Errorf("%v: %t", x.values, got)
		}
	}
}

// A length that varies a little is the roundest near the one in the middle.
func TestTypical(t *testing.T) {
	for _, x := range []struct {
		lengths []time.Duration
		want    time.Duration
	}{
		{[]time.Duration{598, 601, 600, 599, 640}, 600},
		{[]time.Duration{50, 51, 51, 68}, 50},
		{[]time.Duration{3001, 3004, 2999}, 3000},
		{[]time.Duration{333, 333, 333}, 330},
		{[]time.Duration{1}, 1},
	} {
		var all []seen
		for _, l := range x.lengths {
			all = append(all, seen{length: l * time.Millisecond})
		}
		if got := typical(all); got != x.want*time.Millisecond {
			t.Errorf("%v: %s, want %dms", x.lengths, got, x.want)
		}
	}
}

// A budget is as large as the run needs.
func TestUsedFaults(t *testing.T) {
	b, err := read(t, asks)
	if err != nil {
		t.Fatal(err)
	}
	got, err := used(b.Scenario.Faults, []scheduler.Inferred{{Fault: "pause"}, {Fault: "pause"}})
	if err != nil || len(got) != 1 || got[0].Name() != "pause" || got[0].Budget() != 2 {
		t.Errorf("%v, %v", got, err)
	}
	var none []model.Fault
	if got, err := used(b.Scenario.Faults, nil); err != nil || !slices.Equal(got, none) {
		t.Errorf("%v, %v", got, err)
	}
}
