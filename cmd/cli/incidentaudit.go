package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/model/timeline"
)

func newAudit(code *int) *cobra.Command {
	f := &auditFlags{skew: incident.DefaultSkew}
	c := &cobra.Command{
		Use:   "audit LOG...",
		Short: "report what logs of an incident, or a history, prove, without any model of the protocol",
		Long: `Audit reads logs of one incident, in any format that lockstep incident import
reads, compressed by gzip or not, or from standard input as -. It reports what
violates a rule of locks, with the lines that prove it, and what the logs leave
open, with what would decide it.

From what MONITOR of a Redis server has printed it reconstructs what the server
did: which SET NX was granted, which TTLs ran out, whose lock a DEL removed. From
what an application has logged it takes what its requests believed: when they
acquired a lock, renewed and released it, and which versions they stored. Both
together name the request instead of an address, where they share the token. A
history in EDN, as Jepsen and Knossos keep it, is checked for linearizability by
porcupine: --object says what it is about.

A lock is a key that is set with NX, unless it is read as a value and nobody acts
as its holder. docs/incident.md has the rules. It is taken for granted that

  - all output of MONITOR is of one server, begins before the locks that it is
    about, and that the server evicts no lock: MONITOR does not tell;
  - a connection serves one request at a time: of a pool the wrong holder may
    be named;
  - the clocks of two nodes differ by at most --skew;
  - an application's log that names no key is about one lock and one value.

Exit codes: 0 nothing is found; 1 something is; 2 a log cannot be read; 3 it was
not decided in time whether a history is linearizable.`,
		Example: `  redis-cli MONITOR > monitor.log
  lockstep incident audit monitor.log
  lockstep incident audit monitor.log app.ndjson.gz
  lockstep incident audit app.log --mapping fields.yaml --skew 20ms
  lockstep incident audit history.edn --object mutex --html history.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("audit wants one log or several, for example lockstep incident audit monitor.log; - is standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, args, code)
		},
	}
	c.Flags().SortFlags = false
	f.logs.add(c)
	c.Flags().Var((*durationFlag)(&f.skew), "skew", "by how much the clocks of two nodes may differ")
	c.Flags().StringVar(&f.object, "object", "", "what a history is about: "+strings.Join(incident.Objects, ", "))
	registerOut(c.Flags(), &f.html, "html", "", "", "write porcupine's view of a history to this file")
	c.Flags().Var((*durationFlag)(&f.within), "max-time", "stop asking porcupine after so long; 0 for no limit")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

type auditFlags struct {
	logs         logFlags
	object, html string
	skew, within time.Duration
	json         bool
}

func (f *auditFlags) run(c *cobra.Command, names []string, code *int) error {
	if f.skew < 0 {
		return usage("--skew %s: it is 0 or more", f.skew).about("skew", fmt.Sprint(f.skew))
	}
	o, err := f.logs.open(c, names)
	if err != nil {
		return err
	}
	defer o.close()
	if slices.ContainsFunc(o.logs, func(l *incident.Log) bool { return l.History }) {
		return f.history(c, o, code)
	}
	if f.object != "" || f.html != "" {
		return usage("%s is no history in EDN: --object and --html are for those", o.logs[0].Name)
	}
	options := incident.AuditOptions{Skew: f.skew}
	if !slices.ContainsFunc(o.logs, func(l *incident.Log) bool { return l.Of != incident.TraceFormat }) {
		// The clock of a trace is that of the world.
		options = incident.AuditOptions{Steps: true}
	}
	r, err := incident.AuditLogs(options, o.logs...)
	if err != nil {
		return usage("%w", err)
	}
	if err := o.nothing(); err != nil {
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
func (f *auditFlags) history(c *cobra.Command, o *openLogs, code *int) error {
	log := o.logs[0]
	if len(o.logs) > 1 {
		return usage("a history is checked for itself: leave out the other logs")
	}
	if f.object == "" {
		return usage("%s is a history in EDN: say with --object what it is about: %s", log.Name, strings.Join(incident.Objects, ", "))
	}
	h, err := incident.HistoryOf(log)
	if err != nil {
		return usage("%s: %w", log.Name, err)
	}
	h.Bad = *joined(log.Bad(), &h.Bad)
	v, err := h.Check(f.object, f.within)
	if err != nil {
		return usage("%s: %w", log.Name, err)
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

func printAudit(w io.Writer, r *incident.Result) error {
	width, _, _ := terminal(w)
	var b strings.Builder
	line := func(indent, format string, args ...any) {
		text := wrap(fmt.Sprintf(format, args...), width-len(indent))
		fmt.Fprintln(&b, indent+strings.ReplaceAll(text, "\n", "\n"+indent))
	}
	printRead(r, line)
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
			line("  ", "%s. It would take %s.", sentence(d.Text), d.Wanted)
		}
	}
	if r.Left > 0 {
		fmt.Fprintln(&b)
		line("", "Further findings or open questions are not shown: %d of them.", r.Left)
	}
	// A terminal would obey what a token has in it.
	_, err := io.WriteString(w, timeline.Printable(b.String()))
	return err
}

// printRead says what was read.
func printRead(r *incident.Result, line func(indent, format string, args ...any)) {
	took := r.Last.Sub(r.First).Round(time.Millisecond)
	if r.Commands > 0 {
		clients := model.Count(r.Clients, "client", "clients")
		if r.ClientsAtLeast {
			clients += " or more"
		}
		line("", "%s of %s in %s; %s: %s", model.Count(r.Commands, "command", "commands"), clients,
			took, model.Count(len(r.Locks), "lock", "locks"), strings.Join(firstFew(r.Locks), ", "))
	}
	if r.Events > 0 {
		a, answers := r.Answers, []string{}
		for _, some := range []struct {
			n    int
			what string
		}{{a.Hit, "from the cache"}, {a.Other, "otherwise"}, {a.Stale, "with old data"}, {a.Failed, "with an error"}} {
			if some.n > 0 {
				answers = append(answers, fmt.Sprintf("%d %s", some.n, some.what))
			}
		}
		text := fmt.Sprintf("%s of an application in %s: %s, %s", model.Count(r.Events, "event", "events"), took, model.Count(r.Nodes, "node", "nodes"), model.Count(r.Requests, "request", "requests"))
		if len(answers) > 0 {
			text += "; answered " + strings.Join(answers, ", ")
		}
		line("", "%s", text)
	}
	if r.Unkeyed {
		line("", "The log names no lock: all of its lines are taken to be about one lock and one value.")
	}
	if r.Others > 0 {
		line("", "%s that the mapping does not know: %s", model.Count(r.Others, "event", "events"), strings.Join(r.OthersFirst, ", "))
	}
	if r.Back > 0 {
		line("", "The clock stepped back %s: there the order of the lines counts.", model.Count(r.Back, "time", "times"))
	}
	if r.Dropped > 0 {
		line("", "%s not followed, for lack of memory.", model.Count(r.Dropped, "key was", "keys were"))
	}
	if r.Forgotten > 0 {
		line("", "%s forgotten, the oldest first, for lack of memory: what they did later is not told of them.", model.Count(r.Forgotten, "client, lock, token or request was", "clients, locks, tokens and requests were"))
	}
}

// joined are bad lines in the order of their numbers.
func joined(one, other *incident.Bad) *incident.Bad {
	all := &incident.Bad{Count: one.Count + other.Count, First: slices.Concat(one.First, other.First)}
	slices.SortStableFunc(all.First, func(a, b incident.BadLine) int { return a.Line - b.Line })
	all.First = all.First[:min(len(all.First), 5)]
	return all
}

// sentence begins a text with a capital, unless it begins with a name.
func sentence(text string) string {
	for _, word := range []string{"the ", "what ", "line ", "step "} {
		if strings.HasPrefix(text, word) {
			return strings.ToUpper(text[:1]) + text[1:]
		}
	}
	return text
}
