package incident_test

import (
	"slices"
	"strings"
	"testing"

	"lockstep/checks/incident"
)

// What is a lock, which request a command is of, and which lock a write is under, is told from
// the log alone, and nothing is found where it does not tell.
func TestAuditKnowsWhatBelongsToALock(t *testing.T) {
	for name, c := range map[string]struct {
		commands []string
		findings []string
		locks    []string
		doubts   int
	}{
		"a connection that goes on with another request after its lock ran out": {[]string{
			"0 a:1 get feed",
			"0 a:1 set lock x nx ex 1",
			"0 a:1 get source",
			"5 a:1 get feed",
			"5 a:1 set feed v2",
		}, []string{}, []string{"lock"}, 0},
		"it reads something else after its lock ran out": {[]string{
			"0 a:1 set lock x nx ex 1",
			"0 a:1 get source",
			"5 a:1 get session",
			"5 a:1 set session 7",
		}, []string{}, []string{"lock"}, 0},
		"it was stopped before it had read anything": {[]string{
			"0 a:1 get feed",
			"0 a:1 set lock x nx ex 1",
			"5 a:1 get source",
			"5 a:1 set feed v2",
		}, []string{"write-after-loss[3 5]"}, []string{"lock"}, 0},
		"it asks for the lock anew": {[]string{
			"0 a:1 set lock x nx ex 1",
			"0 a:1 get source",
			"2 b:1 set lock y nx ex 9",
			"3 a:1 set lock z nx ex 9",
			"4 a:1 set feed v1",
		}, []string{}, []string{"lock"}, 1},
		"another connection has the address": {[]string{
			"0 a:1 set lock x nx ex 1",
			"0 a:1 get source",
			"5 a:1 hello 3",
			"5 a:1 set feed v1",
		}, []string{}, []string{"lock"}, 0},
		"what follows a release on another connection is another request": {[]string{
			"0 p:1 set lock x nx ex 60",
			"0 p:1 get source",
			"1 u:1 set source 2",
			"1 p:2 eval release 1 lock x",
			"1 lua del lock",
			"2 b:1 set lock y nx ex 60",
			"2 b:1 get source",
			"3 b:1 set feed v2",
			"4 p:1 set feed v1",
		}, []string{}, []string{"lock"}, 0},
		"a cache that is filled with NX": {[]string{
			"0 a:1 get feed",
			"0 b:1 get feed",
			"1 a:1 set feed v1 nx",
			"1 b:1 set feed v1 nx",
			"1 c:1 set feed v1 nx",
			"1 c:1 set feed v1 nx",
			"2 b:1 del feed",
			"9 b:1 get other",
		}, []string{}, []string{}, 0},
		"a cache that is filled with NX and read later": {[]string{
			"0 a:1 set feed v1 nx",
			"1 b:1 set feed v2 nx",
			"2 b:1 get feed",
			"3 b:1 del feed",
		}, []string{}, []string{}, 0},
		"a cache that is filled with NX under a lock": {[]string{
			"0 a:1 get feed",
			"0 a:1 set lock:feed x nx ex 1",
			"0 a:1 get source",
			"3 b:1 set lock:feed y nx ex 9",
			"4 a:1 set feed v1 nx ex 60",
		}, []string{"overlapping-belief[3 5 6]"}, []string{"lock:feed"}, 0},
		"a lock that waiters poll": {[]string{
			"0 a:1 set L x nx ex 1",
			"0.5 b:1 get L",
			"2 b:1 set L y nx ex 9",
			"3 a:1 eval release 1 L x",
			"3 lua get L",
		}, []string{"overlapping-belief[2 4 5]"}, []string{"L"}, 0},
		"the outer of two locks is lost": {[]string{
			"0 a:1 set outer x nx ex 1",
			"0 a:1 get source",
			"0 a:1 set inner y nx ex 60",
			"0.5 a:1 eval release 1 inner y",
			"0.5 lua del inner",
			"2 b:1 set outer z nx ex 60",
			"3 a:1 set feed v1",
		}, []string{"overlapping-belief[2 7 8]"}, []string{"inner", "outer"}, 0},
		"a release of the outer lock does not end the inner one": {[]string{
			"0 a:1 set outer x nx ex 60",
			"0 a:1 set inner y nx ex 1",
			"0 a:1 get source",
			"0.5 a:1 del outer",
			"3 a:1 set feed v1",
		}, []string{"write-after-loss[3 6]"}, []string{"inner", "outer"}, 0},
		"older data in a hash over newer data": {[]string{
			"0 a:1 set lock x nx ex 1",
			"0 a:1 hget source v",
			"1 u:1 hset source v 2",
			"3 b:1 set lock y nx ex 1",
			"3 b:1 hget source v",
			"3.5 b:1 hset feed v 2",
			"3.6 b:1 del lock",
			"5 a:1 hset feed v 1",
		}, []string{"overlapping-belief[2 5 9]", "repeated-rebuild[7 9]", "stale-overwrite[3 6 7 9]"}, []string{"lock"}, 0},
		"MSET of older data, and a counter as the source": {[]string{
			"0 a:1 set lock x nx ex 1",
			"0 a:1 get source",
			"1 u:1 incr source",
			"3 b:1 set lock y nx ex 1",
			"3 b:1 get source",
			"3.5 b:1 mset feed v2 other 1",
			"3.6 b:1 del lock",
			"5 a:1 mset feed v1",
		}, []string{"overlapping-belief[2 5 9]", "repeated-rebuild[7 9]", "stale-overwrite[3 6 7 9]"}, []string{"lock"}, 0},
		"a counter is no computed value": {[]string{
			"0 a:1 set lock x nx ex 60",
			"0 a:1 get source",
			"1 u:1 incr source",
			"2 b:1 incr hits",
			"2 a:1 incr hits",
		}, []string{}, []string{"lock"}, 0},
	} {
		r := audit(t, recording(c.commands...))
		if got := kinds(r); !slices.Equal(got, c.findings) {
			t.Errorf("%s: %v, want %v", name, got, c.findings)
		}
		if len(r.Doubts) != c.doubts || !slices.Equal(r.Locks, c.locks) {
			t.Errorf("%s: locks %v, %d doubts: %+v", name, r.Locks, len(r.Doubts), r.Doubts)
		}
	}
}

// A lock may be in one database and what it guards in another.
func TestValuesInAnotherDatabaseAreFollowed(t *testing.T) {
	text := recording("0 a:1 set lock x nx ex 1")
	other := func(commands ...string) string { return strings.ReplaceAll(recording(commands...), "[0 ", "[1 ") }
	text += other("0 a:1 get source", "1 u:1 set source 2") + recording("3 b:1 set lock y nx ex 1") +
		other("3 b:1 get source", "3.5 b:1 set feed v2") + recording("3.6 b:1 del lock") + other("5 a:1 set feed v1")
	r := audit(t, text)
	var got []string
	for _, f := range r.Findings {
		got = append(got, string(f.Kind)+" "+f.Key)
	}
	if !slices.Equal(got, []string{"overlapping-belief lock", "repeated-rebuild feed in database 1", "stale-overwrite feed in database 1"}) {
		t.Errorf("%v", got)
	}
}

// Who waits in vain is told: since when, and how often it has asked.
func TestWaitersAreNamed(t *testing.T) {
	r := audit(t, recording("0 a:1 set lock x nx", "0 a:1 get source", "1 b:1 set lock y nx", "2 c:1 set lock z nx", "3 b:1 set lock y nx"))
	if len(r.Findings) != 1 || r.Findings[0].Kind != incident.LockWithoutTTL {
		t.Fatalf("%+v", r.Findings)
	}
	w := r.Findings[0].Waiters
	if len(w) != 2 || w[0].Name != "b:1" || w[0].Tries != 2 || w[0].Line.Line != 4 || w[0].Last.Line != 6 || w[1].Name != "c:1" || w[1].Tries != 1 || w[0].Since.Unix() != 1700000001 {
		t.Errorf("%+v", w)
	}
	if !strings.Contains(r.Findings[0].Text, "b:1 since line 4 (22:13:21.000), 2 times, to line 6; c:1 since line 5") {
		t.Error(r.Findings[0].Text)
	}
}
