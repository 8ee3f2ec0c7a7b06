package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
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

// FuzzProperties: a property that is accepted has an argument with which it is accepted
// again, as the same; the error for any other is one of usage.
func FuzzProperties(f *testing.F) {
	for _, s := range []string{
		"", "mutual-exclusion", "mutual-exclusion=1", "answered-within", "answered-within=10s", "answered-within=-1s", "answered-within=",
		"rebuild-window=2/10s", "rebuild-window=2", "rebuild-window=/", "concurrent-rebuilds=1", "concurrent-rebuilds=-1", "concurrent-rebuilds=1e3",
		"concurrent-rebuilds=99999999999999999999", "rebuild-bound", "rebuild-bound=2", "mutual-exclusoin", "=", "\xff",
	} {
		f.Add(s)
	}
	s := scheduler.NewScenario(catalogue.Lease{})
	f.Fuzz(func(t *testing.T, given string) {
		p, err := property(given, s)
		if err != nil {
			var wrong *usageError
			if !errors.As(err, &wrong) {
				t.Fatalf("%q: this is no error of usage: %v", given, err)
			}
			return
		}
		argued, ok := p.(model.Argued)
		if !ok || argued.Argument() == "" {
			return
		}
		again, err := property(p.Name()+"="+argued.Argument(), s)
		if err != nil || again.(model.Argued).Argument() != argued.Argument() {
			t.Errorf("%q has the argument %q, which is read as %v, %v", given, argued.Argument(), again, err)
		}
	})
}

// FuzzParameters: a parameter that is accepted is accepted again as it is printed, and
// printed as the same.
func FuzzParameters(f *testing.F) {
	for _, s := range []string{"", "1", "-1", "10s", "2s..25s", "25s..2s", "true", "maybe", "recheck", "2562047h", "0", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"lease", "setnx", "nottl"} {
			code := 0
			c, _, err := newRoot(&code).Find([]string{"check", name})
			if err != nil {
				t.Fatal(err)
			}
			c.Flags().VisitAll(func(flag *pflag.Flag) {
				if !isParameter(flag) || flag.Value.Set(s) != nil {
					return
				}
				printed := flag.Value.String()
				if err := flag.Value.Set(printed); err != nil || flag.Value.String() != printed {
					t.Errorf("--%s %q is printed as %q, which is read as %q, %v", flag.Name, s, printed, flag.Value, err)
				}
			})
		}
	})
}
