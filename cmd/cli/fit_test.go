package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol/casebook"
)

// widths are those of terminals that people have.
var widths = []int{60, 80, 100, 120, 200}

// checkFits reports lines that are wider than the width, unless they are one word.
func checkFits(t *testing.T, what, text string, width int) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > width && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("%s at %d columns: %q", what, width, line)
		}
	}
}

// The help of every command is as wide as the terminal.
func TestHelpFitsTheTerminal(t *testing.T) {
	var code int
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, width := range widths {
			checkFits(t, c.CommandPath()+" --help", helpText(c, width), width)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&code))
}

// So is what lists things.
func TestListsFitTheTerminal(t *testing.T) {
	for _, width := range widths {
		for what, print := range map[string]func(b *strings.Builder) error{
			"list":          func(b *strings.Builder) error { return list(b, width, protocols, true) },
			"faults":        func(b *strings.Builder) error { return listFaults(b, width, faults.Kinds()) },
			"properties":    func(b *strings.Builder) error { return listProperties(b, width, checks.Kinds()) },
			"casebook list": func(b *strings.Builder) error { return listCases(b, width, casebook.All()) },
		} {
			var b strings.Builder
			if err := print(&b); err != nil {
				t.Fatal(err)
			}
			checkFits(t, what, b.String(), width)
		}
	}
}

// What fits stays as it is; what does not is broken as its kind wants it.
func TestFit(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"what fits", "a b\nc d\n\n  e  f\n", "a b\nc d\n\n  e  f\n"},
		{
			"running text is filled anew",
			"this text is a little wider than the terminal\nis.\n\nThe end.",
			"this text is a little wider than the\nterminal is.\n\nThe end.",
		},
		{
			"the last column is broken below where it begins",
			"  --ttl  30s  how long it lives, if nobody renews it",
			"  --ttl  30s  how long it lives, if\n              nobody renews it",
		},
		{
			"a column without room beside the others is put below them",
			"  --a-long-name  arrivals  how long it lives, if nobody renews it",
			"  --a-long-name  arrivals\n        how long it lives, if nobody\n        renews it",
		},
		{
			"a command is continued",
			"  lockstep check lease --crash 1 --pause 1x12s",
			"  lockstep check lease --crash 1 \\\n    --pause 1x12s",
		},
		{
			"indented text is broken below its beginning",
			"  a lock that a heartbeat renews, and that is released",
			"  a lock that a heartbeat renews, and\n  that is released",
		},
	} {
		if got := fit(c.text, 38); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
