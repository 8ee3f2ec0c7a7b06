package cli

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"lockstep/scheduler"
)

// exitOf runs lockstep with the arguments and returns its exit code.
func exitOf(t *testing.T, args []string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Args = append([]string{"lockstep"}, args...)
	err = command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

// The exit codes are documented: scripts rely on them.
func TestExitCodes(t *testing.T) {
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
		{[]string{"check", "fixedttl", "--trace", "/nowhere/at/all.json"}, exitUsage},
		{[]string{"check", "-f", "no-such-file.yaml"}, exitUsage},
		{[]string{"check", "-f", "testdata/script/list.txtar"}, exitUsage},
		{[]string{"check", "-f", example, "--nodes", "0"}, exitUsage},
		{[]string{"check", "-f", example, "--pause", "0"}, exitHolds},
		{[]string{"hunt", "lease", "--runs", "100"}, exitHolds},
		{[]string{"hunt", "fixedttl", "--runs", "5000"}, exitViolated},
		{[]string{"hunt", "lease", "--strategy", "luck"}, exitUsage},
		{[]string{"list"}, exitHolds},
		{[]string{"--help"}, exitHolds},
		{[]string{"check", "lease", "--help"}, exitHolds},
	} {
		code := exitOf(t, c.args)
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
