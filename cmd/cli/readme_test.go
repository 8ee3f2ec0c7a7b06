package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// shown is what the README shows of a command: the block that follows the comment
// with its arguments.
var shown = regexp.MustCompile("(?s)<!-- output of: lockstep ([^\n]*) -->\n(.*?)<!-- end -->\n")

// What the README shows is what the commands print. go test -update writes it anew.
func TestWhatTheReadmeShowsIsWhatIsPrinted(t *testing.T) {
	const file = "../../README.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	want := shown.ReplaceAllStringFunc(string(text), func(block string) string {
		blocks++
		arguments := shown.FindStringSubmatch(block)[1]
		var printed bytes.Buffer
		code := 0
		command := newRoot(&code)
		command.SetArgs(strings.Fields(arguments))
		command.SetOut(&printed)
		if err := command.Execute(); err != nil {
			t.Fatal(err)
		}
		body := "\n" + printed.String() + "\n"
		if !strings.Contains(arguments, "--markdown") {
			body = "```text\n" + printed.String() + "```\n"
		}
		return "<!-- output of: lockstep " + arguments + " -->\n" + body + "<!-- end -->\n"
	})
	if blocks != 2 {
		t.Errorf("the README shows the output of %d commands", blocks)
	}
	if want == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("the README does not show what the commands print; go test ./cmd/cli -update writes it anew")
}
