package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test that is written of an incident fails on the protocol as it was deployed, and passes
// once the protocol is one that does no harm in that scenario.
func TestAnIncidentsTestFailsUntilTheProtocolIsFixed(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module")
	}
	dir := filepath.Join(t.TempDir(), "fixed")
	recording := filepath.Join("..", "..", "testdata", "incidents", "lease-pause.monitor.log")
	for _, args := range [][]string{
		{"init", dir},
		{"incident", "test", recording, "--protocol", "lease", "--dir", dir, "--package", "fixed", "--name", "TestFeed"},
	} {
		if code := exitOf(t, args); code != 0 {
			t.Fatalf("%v exits with %d", args, code)
		}
	}
	run := func() (string, bool) {
		c := exec.Command("go", "test", "-run", "TestFeed", ".")
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err == nil
	}
	if out, ok := run(); ok || !strings.Contains(out, "replayed from testdata/lockstep/TestFeed-no-stale-overwrite.json") {
		t.Fatalf("on the protocol as it was deployed it passes: %t\n%s", ok, out)
	}
	file := filepath.Join(dir, "feed_test.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fixed := bytes.ReplaceAll(text, []byte("catalogue.Lease{"), []byte("catalogue.Versioned{"))
	if bytes.Equal(fixed, text) {
		t.Fatalf("the test names no protocol:\n%s", text)
	}
	if err := os.WriteFile(file, fixed, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, ok := run(); !ok {
		t.Errorf("on one that is right it fails:\n%s", out)
	}
}
