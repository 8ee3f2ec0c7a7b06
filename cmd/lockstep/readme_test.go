package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// What the README shows is what the command prints.
func TestTheCounterexampleOfTheReadmeIsWhatIsPrinted(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```text\n")
	shown, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("the README has no block of text")
	}
	var printed bytes.Buffer
	code := 0
	command := newRoot(&code)
	command.SetArgs([]string{"check", "lease", "--nodes", "3", "--pause", "1x12s", "--property", "mutual-exclusion", "--property", "no-stale-overwrite"})
	command.SetOut(&printed)
	if err := command.Execute(); err != nil {
		t.Fatal(err)
	}
	if printed.String() != shown {
		t.Errorf("the README shows\n%s\nand the command prints\n%s", shown, printed.String())
	}
	if code != exitViolated {
		t.Errorf("exit code %d", code)
	}
}
