// Package golden is what the tests of the drawings of a trace share. Nothing but tests imports it.
package golden

import (
	"flag"
	"os"
	"testing"

	"lockstep/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Trace reads the trace that is in a file.
func Trace(t testing.TB, file string) *model.Trace {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, err := model.ReadTrace(f)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// Compare fails the test if a text is not that of the file. With -update it writes it there
// first.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("this is not the text of %s (go test -update writes it anew):\n%s", file, got)
	}
}
