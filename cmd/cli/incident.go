package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/checks/incident"
)

func newIncident(code *int) *cobra.Command {
	c := &cobra.Command{
		Use:   "incident",
		Short: "what the recording of an incident proves",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("command", args[0], []string{"audit"})
			}
			return usage("incident wants a command, for example lockstep incident audit monitor.log")
		},
	}
	c.AddCommand(newAudit(code))
	return c
}

func newAudit(code *int) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "audit LOG",
		Short: "report what the output of MONITOR proves, without any model of the protocol",
		Long: `Audit reads what MONITOR of a Redis server has printed, compressed by gzip or not, or from
standard input as -, and reconstructs what the server did: which SET NX was granted, which TTLs
ran out, whose lock a DEL removed. It reports what violates a rule of locks, with the numbers of
the lines that prove it, and what the recording leaves open, with what would decide it.

A connection is taken to serve one request at a time, and the value of a lock to be a token of
its holder. The recording must begin before the locks that it is about.

Exit codes: 0 nothing is found; 1 something is.`,
		Example: `  redis-cli MONITOR > monitor.log
  lockstep incident audit monitor.log`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("audit wants one file with the output of MONITOR, or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			r, err := audit(c, args[0])
			if err != nil {
				return err
			}
			if len(r.Findings) > 0 {
				*code = exitViolated
			}
			if asJSON {
				encoder := json.NewEncoder(c.OutOrStdout())
				encoder.SetIndent("", "  ")
				return asOutput(encoder.Encode(r))
			}
			return asOutput(printAudit(c.OutOrStdout(), r))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func audit(c *cobra.Command, file string) (*incident.Result, error) {
	from := c.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer f.Close()
		from = f
	}
	m, err := incident.NewMonitor(from)
	if err != nil {
		return nil, usage("%s: %w", file, err)
	}
	r, err := incident.Audit(m)
	if err != nil {
		return nil, usage("%s: %w", file, err)
	}
	if r.Commands == 0 {
		why := "it is empty"
		if len(r.Bad.First) > 0 {
			why = fmt.Sprintf("line %d: %s", r.Bad.First[0].Line, r.Bad.First[0].Why)
		}
		return nil, usage("%s has no line of MONITOR: %s", file, why)
	}
	return r, nil
}

func printAudit(w io.Writer, r *incident.Result) error {
	width, _, _ := terminal(w)
	var b strings.Builder
	line := func(indent, format string, args ...any) {
		text := wrap(fmt.Sprintf(format, args...), width-len(indent))
		fmt.Fprintln(&b, indent+strings.ReplaceAll(text, "\n", "\n"+indent))
	}
	line("", "%s of %s in %s; %s: %s", count(r.Commands, "command", "commands"), count(r.Clients, "client", "clients"),
		r.Last.Sub(r.First).Round(time.Millisecond), count(len(r.Locks), "lock", "locks"), strings.Join(firstFew(r.Locks), ", "))
	if r.Back > 0 {
		line("", "The clock of the server stepped back %s: there the order of the lines counts.", count(r.Back, "time", "times"))
	}
	if r.Dropped > 0 {
		line("", "%s not followed, for lack of memory.", count(r.Dropped, "key was", "keys were"))
	}
	if r.Bad.Count > 0 {
		line("", "%s not be read:", count(r.Bad.Count, "line could", "lines could"))
		for _, bad := range r.Bad.First {
			line("  ", "line %d: %s: %s", bad.Line, bad.Why, bad.Text)
		}
	}
	fmt.Fprintln(&b)
	if len(r.Findings) == 0 {
		line("", "Nothing in it violates a rule of locks.")
	}
	for _, f := range r.Findings {
		line("", "%s  %s  %s", f.Time.Format("15:04:05.000"), f.Kind, f.Key)
		line("  ", "%s.", f.Text)
	}
	if len(r.Doubts) > 0 {
		fmt.Fprintln(&b)
		line("", "What it does not decide:")
		for _, d := range r.Doubts {
			line("  ", "%s. It would take %s.", strings.ToUpper(d.Text[:1])+d.Text[1:], d.Wanted)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// firstFew is the first of some names, and how many more there are.
func firstFew(names []string) []string {
	const few = 5
	if len(names) <= few {
		return names
	}
	return append(names[:few:few], fmt.Sprintf("%d more", len(names)-few))
}
