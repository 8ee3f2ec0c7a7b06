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
	checkTraceOfOnesOwn(t, dir)
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

// What is made of a kept trace knows the code of the module: its path and its text.
func checkTraceOfOnesOwn(t *testing.T, dir string) {
	t.Helper()
	for _, c := range []struct{ command, want string }{
		{"check rebuild --pause 1x12s --property no-stale-overwrite --trace trace.json", "no-stale-overwrite violated"},
		{"export trace.json --format annotation", "::error file=rebuild.go,"},
		{"report trace trace.json -o -", "Handle is one request."},
	} {
		command := exec.Command("go", append([]string{"run", "./cmd/check"}, strings.Fields(c.command)...)...)
		command.Dir = dir
		if out, _ := command.CombinedOutput(); !strings.Contains(string(out), c.want) {
			t.Errorf("%s lacks %q", c.command, c.want)
		}
	}
}
