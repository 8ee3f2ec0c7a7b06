package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func filesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// A file is written as a whole or not at all: what fails in the middle leaves what was there,
// and nothing where nothing was.
func TestAFileIsWrittenAsAWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "trace.json")
	fails := func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return errors.New("no more") }
	if err := writeFile(file, fails); err == nil || filesIn(t, dir) != "" {
		t.Errorf("%v; there is %s", err, filesIn(t, dir))
	}
	if err := writeFile(file, writes("whole")); err != nil || content(t, file) != "whole" {
		t.Errorf("%v; it has %s", err, content(t, file))
	}
	if err := writeFile(file, fails); err == nil || filesIn(t, dir) != "trace.json" || content(t, file) != "whole" {
		t.Errorf("%v; there is %s, with %s", err, filesIn(t, dir), content(t, file))
	}
}

// A file keeps its mode, a link what it points to.
func TestAFileKeepsItsModeAndItsLinks(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "trace.json"), filepath.Join(dir, "latest.json")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("trace.json", link); err != nil {
		t.Skip(err)
	}
	if err := writeFile(link, writes("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode() != 0o640 || content(t, file) != "new" {
		t.Errorf("%v: %v, with %s", err, info.Mode(), content(t, file))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v: the link is replaced", err)
	}
}

// Whether a file can be written is found out without touching anything.
func TestWhetherAFileCanBeWrittenLeavesAllAsItIs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "old")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		file:                              "",
		filepath.Join(dir, "new"):         "",
		os.DevNull:                        "",
		dir:                               "is a directory",
		filepath.Join(dir, "no", "new"):   "there is no directory",
		filepath.Join(file, "new"):        "not a directory",
		filepath.Join(dir, "new") + "/":   "there is no directory",
		filepath.Join(dir, longName(300)): "name too long",
	} {
		err := writable(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if filesIn(t, dir) != "old" || content(t, file) != "old" {
		t.Errorf("there is %s", filesIn(t, dir))
	}
	if os.Getuid() == 0 {
		return // root may write everywhere
	}
	if err := errors.Join(os.Chmod(file, 0o444), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(dir, "new")} {
		if err := writable(name); err == nil {
			t.Errorf("%s can be written", name)
		}
	}
}

func longName(n int) string { return strings.Repeat("x", n) }
