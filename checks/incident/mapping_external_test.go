package incident_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"lockstep/checks/incident"
)

const otherMapping = `lockstep-mapping: 1
time: {field: [meta.at, at], unit: ms}
node: {value: api-1}
request: trace
event: what
key: {field: mutex, value: lock:feed}
token: [owner, tok]
ttl: {field: lease, unit: s}
version: rev
events:
  acquired: lock taken
  renewed: {what: lock, outcome: kept}
  lost:
    - {what: lock, outcome: gone}
    - lock lost
  stored: "put {key} at {version}"
`

// A mapping says which fields mean what: names, lists of names, constants, units, conditions on
// several fields, and texts that have fields in them.
func TestAMappingIsApplied(t *testing.T) {
	m, err := incident.ReadMapping(strings.NewReader(otherMapping))
	if err != nil {
		t.Fatal(err)
	}
	l := openLog(t, "app", `{"meta":{"at":1700000000123},"trace":7,"what":"lock taken","tok":"x","lease":1.5}
{"at":1700000000124.25,"trace":7,"what":"lock","outcome":"kept","mutex":"other","lease":"90s"}
{"at":"1700000000125","what":"lock","outcome":"gone"}
{"at":1700000000126,"what":"put feed at v3","rev":1}
{"at":1700000000127,"what":"lock","outcome":"?"}
{"at":1700000000128,"what":"release","deleted":true}
`, incident.Options{Mapping: m})
	var got []string
	for {
		e, err := l.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		got = append(got, fmt.Sprintf("%s %s %s %s %s %s %s %s%s", e.Time.Format("05.00000"), e.Node, e.Request, e.Kind, e.Key, e.Token, e.TTL, e.Version, e.Name))
	}
	want := []string{
		"20.12300 api-1 7 acquired lock:feed x 1.5s ",
		"20.12425 api-1 7 renewed other  1m30s ",
		"20.12500 api-1  lost lock:feed  0s ",
		"20.12600 api-1  stored feed  0s v3",
		"20.12700 api-1  other lock:feed  0s lock",
		"20.12800 api-1  release lock:feed  0s ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || l.Bad().Count > 0 {
		t.Errorf("got\n%s\nwant\n%s\n%+v", strings.Join(got, "\n"), strings.Join(want, "\n"), l.Bad())
	}
}

// What is wrong with a mapping is said with its place, and with what to write instead.
func TestWhatIsWrongWithAMappingIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "1:1: the mapping is empty; it says at least lockstep-mapping: 1",
		"time: ts":                              "1:1: the mapping does not say its version; write lockstep-mapping: 1 at its top",
		"lockstep-mapping: 2":                   `1:19: the version of the mapping is "2"; this reads lockstep-mapping: 1`,
		"- a":                                   "1:1: a mapping has keys with values, as in time: ts, not a list",
		"lockstep-mapping: 1\ntokn: a":          "2:1: tokn is no key of a mapping; the nearest are token",
		"lockstep-mapping: 1\ntoken:":           "2:7: token is the name of a field, or a list of names, not nothing",
		"lockstep-mapping: 1\ntoken: []":        "2:8: token is an empty list; leave it out for the default",
		"lockstep-mapping: 1\ntoken: {unit: s}": "2:9: token has no part unit; the nearest are",
		"lockstep-mapping: 1\ntoken: {}":        "2:8: token has neither field nor value; write for example token: {value: name}",
		"lockstep-mapping: 1\ntime: {field: t, unit: min}":      `2:24: "min" is no unit of time; it is one of rfc3339, s, ms, us, ns`,
		"lockstep-mapping: 1\nttl: {unit: rfc3339}":             `2:13: "rfc3339" is no unit of ttl; it is one of s, ms, us, ns`,
		"lockstep-mapping: 1\nevents: [a]":                      "2:9: events says by what each event is known, as in acquired: lock-taken, not a list",
		"lockstep-mapping: 1\nevents: {aquired: a}":             "2:10: aquired is no event; the nearest are acquired",
		"lockstep-mapping: 1\nevents: {acquired: {}}":           "2:20: acquired has no condition; write for example {event: renew, ok: 1}",
		"lockstep-mapping: 1\nevents: {acquired: [[a]]}":        "2:21: acquired is known by a text, not by a list",
		"lockstep-mapping: 1\nevents: {acquired: '{tokn}'}":     `2:20: "{tokn}" keeps what is not known; it can keep {version}`,
		"lockstep-mapping: 1\nevents: {acquired: '{key}{key}'}": `2:20: "{key}{key}" keeps the same twice`,
		"lockstep-mapping: 1\nnode: a\nnode: b":                 "3:1: the key node is given twice, first in line 2",
		"lockstep-mapping: 1\n---\na: b":                        "a second document begins here",
		"lockstep-mapping: 1\n\tnode: a":                        "this cannot be read as YAML",
		"lockstep-mapping: 1\nnode: {value: [a]}":               "2:15: value takes one value, not a list",
		"lockstep-mapping: 1\n? [a]\n: b":                       "2:3: a key is a name, not a list",
		strings.Repeat("#", 2<<20):                              "1:1: a mapping has at most 1048576 bytes",
	} {
		_, err := incident.ReadMapping(strings.NewReader(text))
		var wrong *incident.MappingError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// Whatever the input, a mapping is read or refused with a place, and what is read can be used.
func FuzzMapping(f *testing.F) {
	f.Add([]byte(otherMapping))
	f.Add([]byte("lockstep-mapping: 1\nevents: {acquired: &a {b: c}, lost: *a}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := incident.ReadMapping(bytes.NewReader(text))
		var wrong *incident.MappingError
		if err != nil && (!errors.As(err, &wrong) || wrong.Line < 1 || wrong.Column < 1) {
			t.Fatalf("%v", err)
		}
		if err != nil {
			return
		}
		l, err := incident.OpenLog("app", strings.NewReader(appLines("0 n0 acquired token=x")), incident.Options{Mapping: m})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = l.Next()
		}
	})
}
