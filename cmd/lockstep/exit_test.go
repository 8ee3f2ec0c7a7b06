package main

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"lockstep/scheduler"
)

// The exit codes are documented: scripts rely on them.
func TestExitCodes(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"check", "fixedttl", "--ttl", "30s", "--property", "mutual-exclusion"}, exitHolds},
		{[]string{"check", "fixedttl"}, exitViolated},
		{[]string{"check", "nothing"}, exitUsage},
		{[]string{"check", "lease", "--nodes", "0"}, exitUsage},
		{[]string{"check", "lease", "--no-such-flag"}, exitUsage},
		{[]string{"check", "lease", "--max-states", "100"}, exitCutOff},
		{[]string{"check", "fixedttl", "--trace", "/nowhere/at/all.json"}, exitInternal},
		{[]string{"check", "-f", "no-such-file.yaml"}, exitUsage},
		{[]string{"check", "-f", "testdata/script/list.txtar"}, exitUsage},
		{[]string{"check", "-f", example, "--nodes", "0"}, exitUsage},
		{[]string{"check", "-f", example, "--pause", "0"}, exitHolds},
		{[]string{"list"}, exitHolds},
		{[]string{"--help"}, exitHolds},
		{[]string{"check", "lease", "--help"}, exitHolds},
	} {
		command := exec.Command(self)
		command.Args = append([]string{"lockstep"}, c.args...)
		err := command.Run()
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != c.code {
			t.Errorf("lockstep %v exits with %d, want %d", c.args, code, c.code)
		}
	}
}

func TestProtocolErrorsHaveTheExitCodeOfTheirOwn(t *testing.T) {
	if got := exitCode(&scheduler.ProtocolError{Err: errors.New("x")}); got != exitInternal {
		t.Errorf("%d", got)
	}
}
