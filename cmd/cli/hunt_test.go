package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A hunt that is stopped by ^C prints what it has, says that it is partial, and exits with 3.
func TestAHuntThatIsStoppedPrintsWhatItHas(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for _, args := range [][]string{
		{"hunt", "lease", "--nodes", "6", "--for", "1h"},
		{"hunt", "lease", "--nodes", "6", "--for", "1h", "--json"},
	} {
		var printed bytes.Buffer
		code := 0
		command := newRoot(&code)
		command.SetOut(&printed)
		if err := execute(ctx, command, args); err != nil {
			t.Fatal(err)
		}
		if code != exitCutOff {
			t.Errorf("%v exits with %d, want %d", args, code, exitCutOff)
		}
		if out := printed.String(); !strings.Contains(out, "Partial: it was stopped") && !strings.Contains(out, `"partial": "it was stopped"`) {
			t.Errorf("%v prints\n%s", args, out)
		}
	}
}

// Commands are folded where a flag begins, and within the width.
func TestCommandsAreFoldedBetweenFlags(t *testing.T) {
	const line = "lockstep check lease --nodes 2 --requests 1 --property mutual-exclusion --pause 1x12s --endless"
	got := folded(line, 40)
	for _, l := range strings.Split(got, "\n") {
		if len(l) > 40 {
			t.Errorf("%q is longer than 40", l)
		}
	}
	if whole := strings.Join(strings.Fields(strings.ReplaceAll(got, "\\\n", "")), " "); whole != line {
		t.Errorf("folded and unfolded: %q", whole)
	}
}
