package incident_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/checks/incident"
)

// recording is what MONITOR prints of commands, each as "seconds client words...".
func recording(commands ...string) string {
	var b strings.Builder
	b.WriteString("OK\n")
	for _, c := range commands {
		words := strings.Fields(c)
		var at float64
		fmt.Sscan(words[0], &at)
		fmt.Fprintf(&b, "%.6f [0 %s]", 1700000000+at, words[1])
		for _, w := range words[2:] {
			fmt.Fprintf(&b, " %q", w)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func audit(t *testing.T, text string) *incident.Result {
	t.Helper()
	m, err := incident.NewMonitor(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := incident.Audit(m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// kinds are those of the findings, in order, each with its lines.
func kinds(r *incident.Result) []string {
	all := []string{}
	for _, f := range r.Findings {
		all = append(all, fmt.Sprint(f.Kind, f.Lines))
	}
	return all
}

// What the order of the commands and the TTLs prove is found, with the lines that prove it, and
// a run in which nothing is wrong has no finding.
func TestAuditFindsWhatARecordingProves(t *testing.T) {
	for name, c := range map[string]struct {
		commands []string
		findings []string
		doubts   int
	}{
		"all is well": {[]string{
			"0 a:1 set lock x nx ex 2",
			"0 a:1 get source",
			"0.5 b:1 set lock y nx ex 2",
			"1 a:1 eval renew 1 lock x 2000",
			"1 lua get lock",
			"1 lua pexpire lock 2000",
			"2.5 a:1 set value v1 ex 60",
			"2.6 a:1 eval release 1 lock x",
			"2.6 lua get lock",
			"2.6 lua del lock",
			"2.7 b:1 set lock y nx ex 2",
			"2.7 b:1 get source",
			"2.8 b:1 set value v1 ex 60",
			"2.9 b:1 del lock",
		}, []string{}, 0},
		"a plain delete after the TTL": {[]string{
			"0 a:1 set lock x nx ex 1",
			"1.5 b:1 set lock y nx ex 1",
			"1.7 a:1 del lock",
		}, []string{"foreign-release[3 4]"}, 1},
		"a script that renews what is another's": {[]string{
			"0 a:1 set lock x nx ex 1",
			"1.5 b:1 set lock y nx ex 1",
			"1.7 a:1 eval renew 1 lock x 1000",
			"1.7 lua get lock",
		}, []string{"overlapping-belief[2 3 4]"}, 0},
		"a renewal of another's lock": {[]string{
			"0 a:1 set lock x px 1000 nx",
			"1.5 b:1 set lock y px 1000 nx",
			"1.7 a:1 pexpire lock 1000",
		}, []string{"foreign-renewal[3 4]"}, 1},
		"an old value over a new one, on another connection": {[]string{
			"0 a:1 set lock x nx ex 2",
			"0 a:1 get source",
			"1 u:1 set source 2",
			"3 b:1 set lock y nx ex 2",
			"3 b:1 get source",
			"4 b:1 set value v2",
			"4 b:1 del lock",
			"5 a:2 set value v1",
			"5 a:2 eval release 1 lock x",
			"5 lua get lock",
		}, []string{"overlapping-belief[2 5 9]", "repeated-rebuild[7 9]", "stale-overwrite[3 6 7 9]"}, 0},
		"the same data twice is not stale": {[]string{
			"0 a:1 set lock x nx ex 1",
			"0 a:1 get source",
			"1.5 b:1 set lock y nx ex 9",
			"1.5 b:1 get source",
			"2 b:1 set value v1",
			"2.5 a:1 set value v1",
		}, []string{"overlapping-belief[2 4 7]", "repeated-rebuild[6 7]"}, 0},
		"a write after the TTL, and nobody else": {[]string{
			"0 a:1 set lock x nx ex 1",
			"0 a:1 get source",
			"1.5 a:1 set value v1",
		}, []string{"write-after-loss[2 4]"}, 0},
		"a lock without a TTL": {[]string{
			"0 a:1 set lock x nx",
			"0 a:1 get source",
			"1 b:1 set lock y nx",
			"2 b:1 set lock y nx",
			"3 c:1 set lock z nx",
		}, []string{"lock-without-ttl[2 3 6]"}, 0},
		"its owner is still at work": {[]string{
			"0 a:1 set lock x nx",
			"1 b:1 set lock y nx",
			"2 b:1 set lock y nx",
			"3 b:1 set lock y nx",
			"3 a:1 get source",
		}, []string{}, 0},
		"nobody knows whose connection deletes": {[]string{
			"0 a:1 set lock x nx ex 10",
			"1 a:2 del lock",
		}, []string{}, 1},
		"asked for just when the TTL ends": {[]string{
			"0 a:1 set lock x nx ex 1",
			"1.001 b:1 set lock y nx ex 1",
		}, []string{}, 2},
		"tokens that tell nobody apart": {[]string{
			"0 a:1 set lock 1 nx ex 1",
			"1.5 b:1 set lock 1 nx ex 1",
			"1.7 a:1 del lock",
			"2 b:1 del lock",
		}, []string{"foreign-release[3 4]"}, 0},
		"a holder that sets its lock again": {[]string{
			"0 a:1 set lock x nx ex 2",
			"1 a:1 set lock x xx ex 2",
			"2.5 b:1 set lock y nx ex 2",
			"2.7 a:1 del lock",
			"2.8 b:1 set lock y nx ex 2",
		}, []string{}, 0},
		"a lock that is set over": {[]string{
			"0 a:1 set lock x nx ex 9",
			"1 b:1 set lock y ex 9",
			"2 a:1 del lock",
		}, []string{"foreign-release[2 3]", "foreign-release[3 4]"}, 1},
		"a lock that is exchanged": {[]string{
			"0 a:1 setnx lock 100",
			"5 b:1 getset lock 200",
		}, []string{}, 2},
		"setnx and expire": {[]string{
			"0 a:1 setnx lock x",
			"0 a:1 expire lock 1",
			"1.5 b:1 setnx lock y",
			"1.5 b:1 expire lock 1",
			"1.6 b:1 del lock",
		}, []string{}, 1},
		"everything is flushed": {[]string{
			"0 a:1 set lock x nx ex 9",
			"1 o:1 flushall",
			"2 b:1 set lock y nx ex 9",
			"2.5 b:1 del lock",
		}, []string{}, 1},
		"a release on another connection of a pool": {[]string{
			"0 p:1 set lock x nx ex 60",
			"0.1 p:1 get source",
			"0.2 p:2 eval release 1 lock x",
			"0.2 lua get lock",
			"0.2 lua del lock",
			"5 p:1 set hits 3",
		}, []string{}, 0},
		"the clock has stepped back": {[]string{
			"10 a:1 set other 1",
			"5 b:1 set lock y nx ex 2",
			"5.1 b:1 get source",
			"5.2 b:1 set value v",
			"5.3 b:1 del lock",
		}, []string{}, 0},
		"a renewal by SET XX with the token, elsewhere": {[]string{
			"0 a:1 set lock x nx px 1000",
			"0.5 a:2 set lock x xx px 1000",
			"0.8 a:2 eval release 1 lock x",
			"0.8 lua get lock",
			"0.8 lua del lock",
		}, []string{}, 0},
		"a renewal with another value": {[]string{
			"0 a:1 set lock 100 nx px 1000",
			"0.5 a:1 set lock 200 xx px 1000",
			"0.8 a:1 del lock",
		}, []string{}, 0},
		"what rests on a doubt is none": {[]string{
			"0 p:1 set lock x nx ex 60",
			"0.1 p:1 get source",
			"0.2 p:1 set value v1",
			"0.3 p:2 del lock",
			"1 q:1 set lock y nx ex 60",
			"1.3 q:1 del lock",
			"2 p:1 set session:1 abc",
		}, []string{}, 2},
		"refused long ago": {[]string{
			"0 p:1 set lock x nx ex 60",
			"0.1 p:2 set lock y nx ex 60",
			"0.5 p:1 del lock",
			"900 p:1 set lock z nx ex 60",
			"900.3 p:2 del lock",
		}, []string{}, 1},
		"an EXPIRE that does not apply": {[]string{
			"0 a:1 set lock x nx ex 2",
			"1 a:1 expire lock 100 nx",
			"3 b:1 set lock y nx ex 2",
			"4 b:1 del lock",
		}, []string{}, 1},
		"a TTL of centuries": {[]string{
			"0 a:1 set lock x nx ex 30",
			"0.5 a:1 expire lock 9999999999",
			"1 b:1 set lock y nx ex 30",
			"2 a:1 del lock",
		}, []string{}, 0},
		"a command that is not followed": {[]string{
			"0 a:1 set lock x nx ex 9",
			"1 a:1 rename lock gone",
			"2 b:1 set lock y nx ex 9",
			"3 b:1 del lock",
		}, []string{}, 1},
		"a renewal by GETEX is not followed": {[]string{
			"0 a:1 set lock x nx ex 2",
			"1 a:1 getex lock ex 10",
			"3 b:1 set lock y nx ex 2",
			"4 a:1 del lock",
		}, []string{}, 2},
		"one token for two locks": {[]string{
			"0 a:1 set A t nx ex 1",
			"0.1 a:1 set B t nx ex 60",
			"2 b:1 set A u nx ex 60",
			"3 a:1 eval renew 1 A t 1000",
			"3 lua get A",
		}, []string{"overlapping-belief[2 4 5]"}, 0},
		"the loser deletes, and all values are equal": {[]string{
			"0 a:1 set lock 1 nx ex 10",
			"0.5 b:1 set lock 1 nx ex 10",
			"1 b:1 del lock",
		}, []string{"foreign-release[2 4]"}, 0},
		"everything is flushed, and an old holder goes on": {[]string{
			"0 a:1 set lock x nx ex 9",
			"0 a:1 get source",
			"1 o:1 flushall",
			"2 b:1 set lock y nx ex 9",
			"3 a:1 set value v",
		}, []string{"overlapping-belief[2 4 5 6]"}, 0},
		"a value that is refreshed in turn": {[]string{
			"0 a:1 set lock x nx ex 5",
			"0 a:1 get source",
			"1 a:1 set value v1",
			"1 a:1 del lock",
			"9 b:1 set lock y nx ex 5",
			"9 b:1 get source",
			"10 b:1 set value v1",
			"10 b:1 del lock",
		}, []string{}, 0},
	} {
		r := audit(t, recording(c.commands...))
		if got := kinds(r); !slices.Equal(got, c.findings) {
			t.Errorf("%s: %v, want %v", name, got, c.findings)
		}
		if len(r.Doubts) != c.doubts {
			t.Errorf("%s: %d doubts, want %d: %+v", name, len(r.Doubts), c.doubts, r.Doubts)
		}
	}
}

// Each database has keys of its own.
func TestDatabasesAreApart(t *testing.T) {
	r := audit(t, recording("0 a:1 set lock x nx ex 9", "2 a:1 del lock")+
		strings.ReplaceAll(recording("1 b:1 set lock y nx ex 9", "3 b:1 del lock"), "[0 ", "[3 "))
	if len(r.Findings) != 0 || !slices.Equal(r.Locks, []string{"lock", "lock in database 3"}) {
		t.Errorf("%v %v", r.Findings, r.Locks)
	}
}

// Many attempts within a second are a storm, once.
func TestAStormIsToldOnce(t *testing.T) {
	commands := []string{"0 a:1 set lock x nx ex 60"}
	for i := range 500 {
		commands = append(commands, fmt.Sprintf("%.3f b:1 set lock y nx ex 60", 1+float64(i)/250))
	}
	if got := kinds(audit(t, recording(commands...))); !slices.Equal(got, []string{"retry-storm[102]"}) {
		t.Error(got)
	}
}

// The order of the lines counts where the clock of the server steps back: nothing expires
// twice, and nothing panics.
func TestAClockThatStepsBackIsCounted(t *testing.T) {
	r := audit(t, recording("10 a:1 set lock x nx ex 5", "3 b:1 set lock y nx ex 5", "11 a:1 del lock"))
	if r.Back != 1 || len(r.Findings) != 0 {
		t.Errorf("%d, %v", r.Back, r.Findings)
	}
}
