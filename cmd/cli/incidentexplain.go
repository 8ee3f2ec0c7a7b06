package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/checks/explain"
	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// explainFlags say what is known of an incident besides its logs.
type explainFlags struct {
	logs                    logFlags
	protocol                string
	parameters, keys, nodes []string
	lock, value, source     string
	tolerance               time.Duration
	maxFaults               int
	requests, updates       int
	valueTTL                time.Duration
	latency, reply          protocol.Range
	timeout                 time.Duration
	faults                  []*faultFlag
	options                 scheduler.Options
	json, minimise          bool
	out                     string
}

func newExplain(code *int) *cobra.Command {
	f := &explainFlags{}
	c := &cobra.Command{
		Use:   "explain LOG... --protocol PROTOCOL",
		Short: "how a log can have come about: a run of a protocol that agrees with it, and the faults that it does not show",
		Long: `Explain searches for a run of a protocol that agrees with a log of what its store did: the same
commands of the same nodes, in that order and, within a tolerance, at those times. It tries first
without faults, then with one, and so on, and says what the log does not show: which node stood
still, for how long, from when at the earliest and at the latest. If there is no such run it says
which line cannot happen, and what the protocol can do there instead: usually another protocol, or
another version of it, is deployed.

Logs are read as by lockstep incident import. The lock is the key that is set with NX, the value
what its owners set. Parameters that are not given are read from the log: the TTL of the lock,
the interval of its renewals, the wait of losers, the TTL of the value. How long a rebuild takes
is not known from it: unless it is given, any time is possible. Clients of one host are one
node, if there are several hosts, and so are those that use one token; others are nodes of
their own unless --node or the log of the application says more. The log must begin before the lock was taken: the store is taken to be empty then.

The run is a trace: --out writes it, and lockstep replay, export, report and diff read it. With
--minimise it is that of the smallest scenario in which the same property is violated.

Exit codes: 0 a run agrees with the log; 1 none does; 2 wrong usage; 3 the search was cut off.`,
		Example: `  lockstep incident explain monitor.log --protocol lease
  lockstep incident explain monitor.log app.ndjson --protocol setnx --param losers=poll --param rebuild=1s..3s
  lockstep incident explain monitor.log --protocol lease --minimise --out trace.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("explain wants one log or several, for example lockstep incident explain monitor.log --protocol lease; - is standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args, code) },
	}
	f.add(c)
	c.Flags().BoolVar(&f.minimise, "minimise", false, "search for the smallest scenario in which the first property is violated that the run violates")
	registerFile(c.Flags(), &f.out, "out", "", "", "write the trace to this file, of the smallest scenario with --minimise")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

// add adds the flags that say what is known.
func (f *explainFlags) add(c *cobra.Command) {
	f.latency, f.timeout, f.tolerance = protocol.Range{Max: 10 * time.Millisecond}, time.Second, explain.DefaultTolerance
	f.faults = newFaultFlags()
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.protocol, "protocol", "", "the protocol that was deployed, see lockstep list")
	flags.StringArrayVar(&f.parameters, "param", nil, "a parameter of it, as ttl=2s; may be repeated")
	flags.StringVar(&f.lock, "lock", "", "the key of the lock in the log")
	flags.StringVar(&f.value, "value", "", "the key of the cached value in the log")
	flags.StringVar(&f.source, "source", "", "the key of the version of the source in the log, none if it has none")
	flags.StringArrayVar(&f.keys, "key", nil, "a further key of the protocol and that of the log, as fence=fence:feed; may be repeated")
	flags.StringArrayVar(&f.nodes, "node", nil, "the clients that are one node, as n0=127.0.0.1:4711,127.0.0.1:4712; may be repeated")
	flags.Var((*durationFlag)(&f.tolerance), "tolerance", "by how much the times of the run may differ from those of the log")
	flags.IntVar(&f.maxFaults, "max-faults", 2, "how many faults are inferred at most")
	flags.IntVar(&f.requests, "requests", 0, "how many requests there can be at once on a node; 0 for what the log shows")
	flags.IntVar(&f.updates, "updates", 1, "how often the source changes at most, unless the log shows it")
	flags.Var((*durationFlag)(&f.valueTTL), "value-ttl", "TTL of cached values; 0 for none (default that of the log)")
	flags.Lookup("value-ttl").DefValue = ""
	flags.Var((*rangeFlag)(&f.latency), "latency", "time from the issue of an operation to its effect")
	flags.Var((*rangeFlag)(&f.reply), "reply", "time from the effect until the process observes it")
	flags.Var((*durationFlag)(&f.timeout), "timeout", "how long a process waits at most for a reply that is lost")
	registerFaults(flags, f.faults)
	flags.Var((*countFlag)(&f.options.MaxStates), "max-states", "stop after so many states; 0 for no limit")
	flags.Var((*durationFlag)(&f.options.MaxTime), "max-time", "stop after so long; 0 for no limit")
	flags.Var((*sizeFlag)(&f.options.MaxMemory), "max-memory", "stop at so much memory, as 2GB; 0 for no limit")
	f.logs.add(c)
}

// settings are what the flags say.
func (f *explainFlags) settings(c *cobra.Command) (explain.Settings, error) {
	s := explain.Settings{Given: map[string]bool{}, Keys: map[string]string{}, Lock: f.lock, Value: f.value, Source: f.source, Tolerance: f.tolerance, MaxFaults: f.maxFaults}
	if f.protocol == "" {
		return s, usage("say which protocol was deployed: add --protocol lease; lockstep list shows them all")
	}
	entry, err := findProtocol(f.protocol)
	if err != nil {
		return s, err
	}
	if f.maxFaults < 0 || f.maxFaults > 8 {
		return s, usage("--max-faults %d: it must be 0 to 8", f.maxFaults).about("max-faults", strconv.Itoa(f.maxFaults))
	}
	p, err := protocol.WithDefaults(entry.New())
	if err != nil {
		return s, err
	}
	for _, given := range f.parameters {
		name, value, ok := strings.Cut(given, "=")
		if !ok {
			return s, usage("--param %s: write it as ttl=2s", given)
		}
		if err := protocol.SetParameter(p, name, value); err != nil {
			return s, usage("--param %s: %w", given, err)
		}
		s.Given[name] = true
	}
	s.Given["updates"], s.Given["value-ttl"] = c.Flags().Changed("updates"), c.Flags().Changed("value-ttl")
	for _, given := range f.keys {
		name, key, ok := strings.Cut(given, "=")
		if !ok || name == "" || key == "" {
			return s, usage("--key %s: write the key of the protocol and that of the log, as fence=fence:feed", given)
		}
		s.Keys[name] = key
	}
	if s.Nodes, err = nodesOf(f.nodes); err != nil {
		return s, err
	}
	s.Scenario = scheduler.NewScenario(p.(protocol.Protocol))
	s.Scenario.Name, s.Scenario.Updates, s.Scenario.ValueTTL = entry.Name, f.updates, f.valueTTL
	if s.Given["requests"] = f.requests != 0; s.Given["requests"] {
		s.Scenario.Requests = f.requests
	}
	s.Scenario.Latency, s.Scenario.Reply, s.Scenario.Timeout = f.latency, f.reply, f.timeout
	for _, fault := range f.faults {
		if fault.times > 0 {
			s.Scenario.Faults = append(s.Scenario.Faults, fault.fault())
		}
	}
	return s, nil
}

// nodesOf reads which clients are which node.
func nodesOf(given []string) (map[string]int, error) {
	nodes := map[string]int{}
	for _, g := range given {
		name, clients, ok := strings.Cut(g, "=")
		n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
		if !ok || err != nil || n < 0 || n >= scheduler.MaxNodes {
			return nil, usage("--node %s: write it as n0=127.0.0.1:4711,127.0.0.1:4712, with n0 to n%d", g, scheduler.MaxNodes-1)
		}
		for client := range strings.SplitSeq(clients, ",") {
			nodes[client] = n
		}
	}
	return nodes, nil
}

// explain reads the logs and searches.
func (f *explainFlags) explain(c *cobra.Command, names []string) (*explain.Result, *openLogs, error) {
	s, err := f.settings(c)
	if err != nil {
		return nil, nil, err
	}
	o, err := f.logs.open(c, names)
	if err != nil {
		return nil, nil, err
	}
	defer o.close()
	reading, err := explain.Read(incident.Commands(incident.Merge(o.logs...)), s)
	if err := o.nothing(); err != nil {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	options, done := f.shown()
	defer done()
	r, err := reading.Explain(c.Context(), options)
	return r, o, err
}

// smallest searches for the smallest scenario with the first property that the run violates.
func (f *explainFlags) smallest(c *cobra.Command, r *explain.Result) (*explain.Minimised, error) {
	options, done := f.shown()
	defer done()
	return r.Minimise(c.Context(), r.Violations[0].Property, options)
}

// shown are the options of a search that shows how far it is. The caller calls done after it.
func (f *explainFlags) shown() (options scheduler.Options, done func()) {
	p := newProgress(os.Stderr)
	options = f.options
	options.Progress = p.show
	return options, p.done
}

func (f *explainFlags) run(c *cobra.Command, names []string, code *int) error {
	r, o, err := f.explain(c, names)
	if err != nil {
		return err
	}
	report := r.Report()
	switch {
	case r.Trace == nil && r.CutOff != "":
		*code = exitCutOff
	case r.Trace == nil:
		*code = exitViolated
	}
	var small *explain.Minimised
	if f.minimise && len(r.Violations) > 0 {
		if small, err = f.smallest(c, r); err != nil {
			return err
		}
	}
	if f.out != "" {
		t := r.Trace
		if f.minimise {
			t = nil
			if small != nil {
				t = small.Trace
			}
		}
		if t != nil {
			if err := writeTo(c, f.out, t.Write); err != nil {
				return err
			}
		}
	}
	if f.json {
		return asOutput(encode(c.OutOrStdout(), struct {
			*explain.Report
			Bad     *incident.Bad `json:"bad_lines"`
			Trace   *model.Trace  `json:"trace,omitempty"`
			Minimal *model.Trace  `json:"minimal,omitempty"`
		}{report, incident.BadOf(o.logs), r.Trace, small.TraceOf()}))
	}
	return asOutput(f.print(c.OutOrStdout(), report, o, small))
}

// print prints a report.
func (f *explainFlags) print(w io.Writer, r *explain.Report, o *openLogs, small *explain.Minimised) error {
	width, color, _ := terminal(w)
	var b strings.Builder
	line := func(indent, format string, args ...any) {
		text := wrap(timeline.Printable(fmt.Sprintf(format, args...)), width-len(indent)-2)
		fmt.Fprintln(&b, indent+strings.ReplaceAll(text, "\n", "\n"+indent+"  "))
	}
	printBad(&b, incident.BadOf(o.logs), w)
	line("", "%s: %s", r.Protocol, strings.Join(model.ParameterWords(r.Parameters), ", "))
	for _, p := range r.ReadFromLog {
		line("  ", "%s %s: %s", p.Name, p.Value, p.Why)
	}
	line("", "%s about %s", model.Count(r.Commands, "command", "commands"), strings.Join(present(r.Lock, r.Value, r.Source), ", "))
	for _, n := range r.Nodes {
		line("  ", "%s: %s, %s", n.Name, model.Count(n.Commands, "command", "commands"), strings.Join(firstFew(n.Clients), ", "))
	}
	for _, n := range r.LeftOut {
		line("  ", "left out: %s only looks at the lock, %s", n.Clients[0], model.Count(n.Commands, "time", "times"))
	}
	if r.Back > 0 {
		line("", "The clock of the server stepped back %s: times are shown as if it had not.", model.Count(r.Back, "time", "times"))
	}
	fmt.Fprintln(&b)
	f.printOutcome(line, &b, r)
	if small != nil {
		fmt.Fprintln(&b)
		proven := ""
		if !small.Minimal {
			proven = ", not proven to be the shortest"
		}
		line("", "The smallest scenario with %s%s:", small.Trace.Property, proven)
		line("", "%s", boundsText(small.Trace.Protocol, &small.Trace.Bounds))
		fmt.Fprintln(&b)
		if err := timeline.Write(&b, small.Trace, timeline.Options{Width: width, Color: color}); err != nil {
			return err
		}
	} else if f.minimise && len(r.Violations) > 0 {
		line("", "No smaller scenario with %s was found within the limits.", r.Violations[0].Property)
	}
	if f.out != "" && r.Explained && (!f.minimise || small != nil) {
		fmt.Fprintln(&b)
		line("", "Wrote %s.", f.out)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printOutcome prints what came out.
func (f *explainFlags) printOutcome(line func(indent, format string, args ...any), b *strings.Builder, r *explain.Report) {
	if !r.Explained {
		if r.CutOff != "" {
			line("", "Cut off: %s. Some run agrees with the first %d of %s; whether one agrees with all of them is not known.", r.CutOff, r.Agreed, model.Count(r.Commands, "command", "commands"))
			return
		}
		line("", "No run agrees with this log, with up to %s: %s.", model.Count(r.Tried, "fault", "faults"), strings.Join(faultNames(r), ", "))
		if r.Impossible != nil {
			fmt.Fprintln(b)
			for i, text := range r.Impossible.Words() {
				line([]string{"", "  "}[min(i, 1)], "%s", text)
			}
			if r.Impossible.Busy {
				line("", "All requests that %s can have at once are busy there, %d: perhaps it had more; say so with --requests.", r.Impossible.Node, r.Bounds.Requests)
			}
			fmt.Fprintln(b)
			line("", "Either another protocol or version is deployed, or a parameter, the latency or the tolerance is not what it was; or the log begins when the lock was already taken; or other faults have happened: lockstep faults shows which can be asked for.")
		}
		return
	}
	if len(r.Faults) == 0 {
		line("", "A run without faults agrees with this log, to within %s.", model.FormatDuration(r.Deviation))
	} else {
		line("", "A run agrees with this log, to within %s, only with %s that it does not show:", model.FormatDuration(r.Deviation), model.Count(len(r.Faults), "fault", "faults"))
	}
	for i := range r.Faults {
		line("  ", "%s", r.Faults[i].Words())
	}
	if r.Rough {
		line("", "These times may lie further apart: not everything was explored for that.")
	}
	for _, other := range r.Others {
		line("", "Or:")
		for i := range other {
			line("  ", "%s", other[i].Words())
		}
	}
	if r.More {
		line("", "There may be further explanations with as few faults.")
	}
	fmt.Fprintln(b)
	if len(r.Violations) == 0 {
		line("", "It violates no property.")
	}
	if len(r.Violations) > 0 {
		line("", "Violated (times in the texts are since %s):", r.Begin.UTC().Format("15:04:05.000"))
	}
	for _, v := range r.Violations {
		at := v.Time.UTC().Format("15:04:05.000")
		if v.Place != "" {
			at += ", " + v.Place
		}
		line("  ", "%s (%s): %s", v.Property, at, v.Text)
	}
}

func faultNames(r *explain.Report) []string {
	var names []string
	for _, f := range r.Bounds.Faults {
		names = append(names, f.Name+" "+f.Value)
	}
	return names
}

func present(names ...string) []string {
	var all []string
	for _, n := range names {
		if n != "" {
			all = append(all, n)
		}
	}
	return all
}
