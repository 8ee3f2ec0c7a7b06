package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/model/timeline"
)

func newIncident(code *int) *cobra.Command {
	c := &cobra.Command{
		Use:   "incident",
		Short: "what the recording of an incident proves, and how logs of it are read",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("command", args[0], []string{"import", "audit", "explain", "test"})
			}
			return usage("incident wants a command, for example lockstep incident audit monitor.log")
		},
	}
	c.AddCommand(newImport(), newAudit(code), newExplain(code), newIncidentTest(code))
	return c
}

// printBad tells of lines that could not be read, within the width of w.
func printBad(b *strings.Builder, bad *incident.Bad, w io.Writer) {
	if bad.Count == 0 {
		return
	}
	width, _, _ := terminal(w)
	fmt.Fprintf(b, "%s not be read:\n", model.Count(bad.Count, "line could", "lines could"))
	for _, l := range bad.First {
		text := fmt.Sprintf("line %d: %s", l.Line, l.Why)
		if l.File != "" {
			text = l.File + ", " + text
		}
		if l.Text != "" {
			text += ": " + l.Text
		}
		fmt.Fprintln(b, "  "+strings.ReplaceAll(wrap(timeline.Printable(text), width-2), "\n", "\n  "))
	}
}

// firstFew is the first of some names, and how many more there are.
func firstFew(names []string) []string {
	const few = 5
	if len(names) <= few {
		return names
	}
	return append(names[:few:few], fmt.Sprintf("%d more", len(names)-few))
}
