package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What init writes is formatted, passes go vet, and its tests and its command run.
func TestInitWritesAModuleThatRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "My-Lock")
	if code := exitOf(t, []string{"init", dir}); code != 0 {
		t.Fatalf("init exits with %d", code)
	}
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{"gofmt", "-l", "."}, ""},
		{[]string{"go", "vet", "./..."}, ""},
		{[]string{"go", "test", "./..."}, "ok  \texample.org/my-lock"},
		{[]string{"go", "run", "./cmd/check", "list"}, "a lock around the rebuild of a cached value"},
	} {
		command := exec.Command(c.command[0], c.command[1:]...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) || c.want == "" && len(out) > 0 {
			t.Fatalf("%v: %v\n%s", c.command, err, out)
		}
	}
	if code := exitOf(t, []string{"init", dir}); code != exitUsage {
		t.Errorf("init into a directory that is not empty exits with %d", code)
	}
	other := filepath.Join(t.TempDir(), "x")
	for _, args := range [][]string{{"init"}, {"init", other, "--module", "no module"}, {"init", other, "--source", os.TempDir()}} {
		if code := exitOf(t, args); code != exitUsage {
			t.Errorf("%v exits with %d", args, code)
		}
		if _, err := os.Stat(other); err == nil {
			t.Errorf("%v has written something", args)
		}
	}
}
