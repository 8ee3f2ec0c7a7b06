package cli

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

const example = "../../testdata/scenario/lease.yaml"

// printed runs a command line and returns what it prints and the exit code.
func printed(t *testing.T, arguments string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	code := 0
	root := newRoot(&code)
	root.SetOut(&out)
	if err := execute(context.Background(), root, strings.Fields(arguments)); err != nil {
		t.Fatal(err)
	}
	return out.String(), code
}

func TestTheExampleFileSaysWhatFlagsSay(t *testing.T) {
	file, code := printed(t, "check -f "+example)
	flags, _ := printed(t, "check lease --nodes 3 --pause 1x12s --property mutual-exclusion --property no-stale-overwrite")
	if file != flags {
		t.Errorf("the file gives\n%s\nthe flags give\n%s", file, flags)
	}
	if code != exitViolated {
		t.Errorf("exit code %d", code)
	}
}

// The example is complete: a flag that is added to check must be added to it.
func TestTheExampleFileShowsEveryKey(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	lease, _, err := newRoot(&code).Find([]string{"check", "lease"})
	if err != nil {
		t.Fatal(err)
	}
	lease.Flags().VisitAll(func(flag *pflag.Flag) {
		if !isGeneral(flag) && !isParameter(flag) {
			return
		}
		if key := keyOfFlag(flag); !regexp.MustCompile(`(?m)^ *(# )?` + key + `:`).Match(text) {
			t.Errorf("%s does not show the key %s", example, key)
		}
	})
}

func TestTheDocumentationShowsTheExampleFile(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	documentation, err := os.ReadFile("../../docs/scenario.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(documentation, []byte("```yaml\n"+string(text)+"```\n")) {
		t.Errorf("docs/scenario.md does not show %s as it is", example)
	}
}
