package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

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

func newAudit(code *int) *cobra.Command {
	f := &auditFlags{}
	c := &cobra.Command{
		Use:   "audit LOG",
		Short: "report what the output of MONITOR, or a history, proves, without any model of the protocol",
		Long: `Audit reads what MONITOR of a Redis server has printed, compressed by gzip or not, or from
standard input as -, and reconstructs what the server did: which SET NX was granted, which TTLs
ran out, whose lock a DEL removed. It reports what violates a rule of locks, with the numbers of
the lines that prove it, and what the recording leaves open, with what would decide it.

A history in EDN, as Jepsen and Knossos keep it, is checked for linearizability by porcupine:
--object says what it is about. An operation with :info may have taken effect, or not.

A lock is a key that is set with NX. Followed are SET, SETNX, SETEX, PSETEX, GETSET, EXPIRE and its
kin, PERSIST, DEL, UNLINK, FLUSHALL, FLUSHDB, and what scripts do of these; what another command
does to a lock is said to be open. A connection is taken to serve one request at a time: of a pool
the wrong holder may be named. The recording must begin before the locks that it is about.

Exit codes: 0 nothing is found; 1 something is; 3 it was not decided in time whether a history is
linearizable.`,
		Example: `  redis-cli MONITOR > monitor.log
  lockstep incident audit monitor.log
  lockstep incident audit history.edn --object mutex --html history.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("audit wants one file with the output of MONITOR, or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, args[0], code)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.object, "object", "", "what a history is about: "+strings.Join(incident.Objects, ", "))
	c.Flags().StringVar(&f.html, "html", "", "write porcupine's view of a history to this file")
	c.Flags().Var((*durationFlag)(&f.within), "max-time", "stop asking porcupine after so long; 0 for no limit")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

type auditFlags struct {
	object, html string
	within       time.Duration
	json         bool
}

func (f *auditFlags) run(c *cobra.Command, file string, code *int) error {
	from := c.InOrStdin()
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return usage("%w", err)
		}
		defer opened.Close()
		from = opened
	}
	text, history, err := incident.Open(from)
	if err != nil {
		return usage("%s: %w", file, err)
	}
	if history {
		return f.history(c, file, text, code)
	}
	if f.object != "" || f.html != "" {
		return usage("%s is no history in EDN: --object and --html are for those", file)
	}
	r, err := audit(file, text)
	if err != nil {
		return err
	}
	if len(r.Findings) > 0 {
		*code = exitViolated
	}
	if f.json {
		return asOutput(encode(c.OutOrStdout(), r))
	}
	return asOutput(printAudit(c.OutOrStdout(), r))
}

// history checks a history for linearizability.
func (f *auditFlags) history(c *cobra.Command, file string, text io.Reader, code *int) error {
	if f.object == "" {
		return usage("%s is a history in EDN: say with --object what it is about: %s", file, strings.Join(incident.Objects, ", "))
	}
	h, err := incident.ReadHistory(text)
	if err != nil {
		return usage("%s: %w", file, err)
	}
	v, err := h.Check(f.object, f.within)
	if err != nil {
		return usage("%s: %w", file, err)
	}
	if f.html != "" {
		if err := writeTo(c, f.html, v.Visualize); err != nil {
			return err
		}
	}
	verdict := "It is linearizable"
	switch {
	case v.Linearizable == nil:
		*code, verdict = exitCutOff, "It was not decided in time whether it is linearizable"
	case !*v.Linearizable:
		*code, verdict = exitViolated, "It is not linearizable"
	}
	if f.json {
		return asOutput(encode(c.OutOrStdout(), v))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of a %s, %d of unknown outcome; %d failed\n", model.Count(v.Operations, "operation", "operations"), f.object, v.Unknown, v.Failed)
	printBad(&b, &v.Bad, c.OutOrStdout())
	fmt.Fprintf(&b, "\n%s.\n", verdict)
	if f.html != "" {
		fmt.Fprintf(&b, "Wrote %s.\n", f.html)
	}
	_, err = io.WriteString(c.OutOrStdout(), timeline.Printable(b.String()))
	return asOutput(err)
}

func audit(file string, text io.Reader) (*incident.Result, error) {
	m, err := incident.NewMonitor(text)
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
	line("", "%s of %s in %s; %s: %s", model.Count(r.Commands, "command", "commands"), model.Count(r.Clients, "client", "clients"),
		r.Last.Sub(r.First).Round(time.Millisecond), model.Count(len(r.Locks), "lock", "locks"), strings.Join(firstFew(r.Locks), ", "))
	if r.Back > 0 {
		line("", "The clock of the server stepped back %s: there the order of the lines counts.", model.Count(r.Back, "time", "times"))
	}
	if r.Dropped > 0 {
		line("", "%s not followed, for lack of memory.", model.Count(r.Dropped, "key was", "keys were"))
	}
	printBad(&b, &r.Bad, w)
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
	// A terminal would obey what a token has in it.
	_, err := io.WriteString(w, timeline.Printable(b.String()))
	return err
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
		fmt.Fprintln(b, "  "+strings.ReplaceAll(wrap(text, width-2), "\n", "\n  "))
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
