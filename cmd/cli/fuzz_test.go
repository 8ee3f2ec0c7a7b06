package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"lockstep/faults"
)

// FuzzScenarioFile: whatever a scenario file contains, it is applied to a command, or
// refused with the place.
func FuzzScenarioFile(f *testing.F) {
	text, err := os.ReadFile(example)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for _, s := range []string{
		"", "---", "...", "# nothing", "null", "[]", "a", "{", "protocol: lease\n---\nprotocol: lease", "? [a]\n: b", "*a", "&a {a: *a}",
		"protocol: lease\nparameters: {ttl: 10s}\npause: {times: 1, max: 12s}", "pause: 1x12s", "properties: [mutual-exclusion, answered]",
		"nodes: 3\nnodes: 4", "node: 3", "protocol: &p lease\nnodes: *p", "\ufeffnodes: 1", "nodes: !!binary aGk=", "<<: {nodes: 1}", "\x00", "\xff", "%YAML 9.9\n---\na: b",
		"parameters: {ttl: }", "other-nodes: 1", "pause: {times: 1, max: 12s, min: 1s}", "nodes: \"3\\n\"",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parseScenarioFile("f.yaml", text)
		if err == nil {
			code := 0
			lease, _, findErr := newRoot(&code).Find([]string{"check", "lease"})
			if findErr != nil {
				t.Fatal(findErr)
			}
			err = file.apply(lease, newPlaces())
		}
		if err == nil {
			return
		}
		var placed *placedError
		if !errors.As(err, &placed) || !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Fatalf("the error has no place: %v", err)
		}
	})
}

// FuzzFaultFlags: a budget of faults that is accepted is accepted again as it is printed,
// and means the same.
func FuzzFaultFlags(f *testing.F) {
	for _, s := range []string{"0", "1", "1x12s", "1x1s..5s", "2x1%", "1x200ppm", "x", "1x", "x1s", "-1", "-1x1s", "99999999999999999999", "1x1s..", "0x1s", "1x0s", "2x8888888888888%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, k := range faults.Kinds() {
			flag := &faultFlag{kind: k}
			if flag.Set(s) != nil {
				continue
			}
			again := &faultFlag{kind: k}
			if err := again.Set(flag.String()); err != nil || flag.times >= 0 && !bytes.Equal([]byte(again.String()), []byte(flag.String())) {
				t.Errorf("--%s %q is printed as %q, which is %q, %v", k.Name, s, flag, again, err)
			}
		}
	})
}
