package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every flag for a file that is written is one that is looked at before the command begins.
func TestEveryFileThatIsWrittenIsLookedAtFirst(t *testing.T) {
	var code int
	found := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			if !strings.Contains(flag.Usage, "to this file") && !strings.HasPrefix(flag.Usage, "the file to w") {
				return
			}
			found++
			if _, ok := flag.Value.(*outFlag); !ok {
				t.Errorf("%s --%s: %s", c.CommandPath(), flag.Name, flag.Usage)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&code))
	if found < 50 {
		t.Errorf("there are %d of them", found)
	}
}

// A file that cannot be written is noticed before the search, which would take hours here, and
// nothing is written.
func TestAFileThatCannotBeWrittenIsNoticedBeforeTheSearch(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	recording, err := filepath.Abs("../../testdata/incidents/lease-pause.monitor.log")
	if err != nil {
		t.Fatal(err)
	}
	const large = " lease --nodes 10 --requests 4 --crash 4 --pause 4x12s"
	for _, c := range []struct{ command, flag string }{
		{"check" + large, "trace"},
		{"check" + large, "junit"},
		{"hunt" + large + " --for 1h --property no-foreign-release", "trace"},
		{"simulate lease --nodes 10 --requests 10 --runs 1000000", "trace"},
		{"threshold" + large + " --param ttl --property mutual-exclusion", "trace"},
		{"worst" + large + " --metric wait", "trace"},
		{"sweep" + large + " --axis ttl=1s..60s/60 --max-states 0", "out"},
		{"sweep" + large + " --axis ttl=1s..60s/60 --max-states 0", "csv"},
		{"sweep show sweep.ndjson", "csv"},
		{"sweep merge a.ndjson b.ndjson", "out"},
		{"sweep merge a.ndjson b.ndjson", "csv"},
		{"sweep plot sweep.ndjson --x ttl", "map"},
		{"sweep plot sweep.ndjson --x ttl", "rebuilds"},
		{"sweep plot sweep.ndjson --x ttl", "waits"},
		{"report check" + large, "out"},
		{"report matrix --nodes 5 --requests 3", "out"},
		{"report case L-03", "out"},
		{"report trace trace.json", "out"},
		{"export trace.json", "out"},
		{"incident audit history.edn --object register", "html"},
		{"incident explain " + recording + " --protocol lease", "out"},
		{"incident import " + recording, "out"},
	} {
		t.Run(strings.Join(strings.Fields(c.command)[:2], " ")+" --"+c.flag, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, self)
			command.Args = append([]string{"lockstep"}, append(strings.Fields(c.command), "--"+c.flag, "nowhere/x")...)
			command.Dir = t.TempDir()
			var printed, complaint bytes.Buffer
			command.Stdout, command.Stderr = &printed, &complaint
			err := command.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitUsage {
				t.Errorf("it ends with %v", err)
			}
			if want := "lockstep: --" + c.flag + " nowhere/x cannot be written: there is no directory nowhere\n"; complaint.String() != want || printed.Len() > 0 {
				t.Errorf("it says %s%s, want %s", &complaint, &printed, want)
			}
			if left := filesIn(t, command.Dir); left != "" {
				t.Errorf("it leaves %s", left)
			}
		})
	}
}
