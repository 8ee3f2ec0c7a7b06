package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// checkFlags are the flags of check that belong to no protocol.
type checkFlags struct {
	scenario   scheduler.Scenario
	faults     []*faultFlag
	properties []string
	// others is how many other nodes there are, other how they differ.
	others  int
	other   []string
	options scheduler.Options
	json    bool
	stats   bool
	trace   string
	// junit is the file for the verdicts, annotate whether to annotate lines.
	junit    string
	annotate bool
}

func newCheck(code *int) *cobra.Command {
	f := &checkFlags{scenario: scheduler.NewScenario(nil), faults: newFaultFlags()}
	root := &cobra.Command{
		Use:   "check PROTOCOL [flags]",
		Short: "explore every run of a protocol and check properties",
		Long: `Check explores every run of a protocol within bounds and says of each property
whether it holds, with a minimal counterexample if not. Each protocol has
parameters of its own: see lockstep check PROTOCOL --help.`,
		Example: `  lockstep check lease --nodes 3 --pause 1x12s
  lockstep check fixedttl --ttl 30s --property mutual-exclusion
  lockstep check nottl --crash 1 --json
  lockstep check -f scenario.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			return wantsProtocol("check", args)
		},
	}
	f.register(root.Flags())
	for _, e := range protocols {
		root.AddCommand(newCheckProtocol(code, e))
	}
	acceptFile(root)
	return root
}

// wantsProtocol is the error of a command that no protocol is given to.
func wantsProtocol(command string, args []string) error {
	if len(args) == 0 {
		return usage("%s wants a protocol, for example lockstep %s lease; lockstep list shows them all", command, command)
	}
	_, err := findProtocol(args[0])
	return err
}

// newCheckProtocol is check for one protocol: a command of its own, so that its
// parameters are flags with help.
func newCheckProtocol(code *int, e catalogue.Entry) *cobra.Command {
	f := newCheckFlags(e)
	return forProtocol(e, "check", f, f.register, func(c *cobra.Command) error { return f.run(c, code) })
}

// forProtocol is a command for one protocol, whose parameters are flags.
func forProtocol(e catalogue.Entry, command string, f *checkFlags, register func(*pflag.FlagSet), run func(*cobra.Command) error) *cobra.Command {
	c := &cobra.Command{
		Use:   e.Name,
		Short: e.Summary,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("%s takes one protocol; %q is too much", command, args[0])
			}
			return run(c)
		},
	}
	c.Flags().SortFlags = false
	register(c.Flags())
	f.registerParameters(c.Flags())
	c.SetFlagErrorFunc(flagError)
	return c
}

// flagError adds the nearest flags to the error of an unknown one.
func flagError(c *cobra.Command, err error) error {
	var notExist *pflag.NotExistError
	if !errors.As(err, &notExist) {
		return usage("%w\nSee %s --help.", err, c.CommandPath())
	}
	if letters := notExist.GetSpecifiedShortnames(); letters != "" {
		return usage("unknown flag -%s; flags are words, as --nodes\nSee %s --help.", letters, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	nearest := protocol.Nearest(notExist.GetSpecifiedName(), names)
	for i := range nearest {
		nearest[i] = "--" + nearest[i]
	}
	return usage("unknown flag or parameter --%s; the nearest are %s", notExist.GetSpecifiedName(), strings.Join(nearest, ", "))
}

func (f *checkFlags) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.registerSearch(flags)
	registerFile(flags, &f.trace, "trace", "", "", "write the counterexample of the first violated property to this file")
	registerOut(flags, &f.junit, "junit", "", "", "write the verdicts to this file, as XML for CI")
	flags.BoolVar(&f.annotate, "annotate", false, "print workflow commands of GitHub Actions that annotate the lines of the protocol, too")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.stats, "stats", false, "print measurements, too")
}

// registerSearch adds the flags that say what is explored, for what, and how far.
func (f *checkFlags) registerSearch(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.registerScenario(flags)
	flags.StringArrayVar(&f.properties, "property", nil, "property to check, see lockstep properties; may be repeated (default those marked there)")
	f.registerLimits(flags)
}

// registerScenario adds the flags that say what is explored.
func (f *checkFlags) registerScenario(flags *pflag.FlagSet) {
	s := &f.scenario
	flags.IntVar(&s.Nodes, "nodes", s.Nodes, fmt.Sprintf("number of nodes, 1 to %d", scheduler.MaxNodes))
	flags.IntVar(&s.Requests, "requests", s.Requests, "requests on each node")
	flags.BoolVar(&s.Endless, "endless", false, "another request comes after each one that has returned, without end; --requests is then how many there can be at once on each node")
	flags.IntVar(&s.Jobs, "jobs", s.Jobs, "runs of the job on each node, for a protocol that has one")
	flags.IntVar(&f.others, "other-nodes", 0, "number of further nodes that run the protocol with other parameters")
	flags.StringArrayVar(&f.other, "other", nil, "a parameter of the other nodes, as ttl=5s; may be repeated; the rest is as on the first nodes")
	f.registerWorld(flags)
	registerFaults(flags, f.faults)
	flags.Var((*durationFlag)(&s.Timeout), "timeout", "how long a process waits at most for a reply that is lost, until it gets an error")
	flags.IntVar(&s.Replicas, "replicas", s.Replicas, "how many replicas each store has, of which one may lag; for protocols that wait for them")
	flags.IntVar(&s.RebuildBound, "rebuild-bound", 0, "rebuilds allowed for each expiry or invalidation; 0 for what the protocol claims")
}

// registerWorld adds the flags for what requests meet when nothing goes wrong.
func (f *checkFlags) registerWorld(flags *pflag.FlagSet) {
	s := &f.scenario
	flags.Var(&windowFlag{&s.ArriveWithin}, "arrive-within", "how long after the beginning each request arrives at the latest; any for at any time, or never")
	flags.IntVar(&s.Updates, "updates", s.Updates, "updates of the source; each happens at any time, or never")
	flags.BoolVar(&s.Invalidate, "invalidate", false, "an update deletes the cached value after it has changed the source")
	flags.Var((*rangeFlag)(&s.Latency), "latency", "time from the issue of a store or source operation to its effect")
	flags.Var((*rangeFlag)(&s.Reply), "reply", "time from the effect until the process observes it")
	flags.Var((*durationFlag)(&s.ValueTTL), "value-ttl", "TTL of cached values; 0 for none")
}

// registerLimits adds the flags that cut a search off.
func (f *checkFlags) registerLimits(flags *pflag.FlagSet) {
	flags.Var((*countFlag)(&f.options.MaxStates), "max-states", "stop after so many states; 0 for no limit")
	flags.Var((*durationFlag)(&f.options.MaxTime), "max-time", "stop after so long; 0 for no limit")
	flags.Var((*sizeFlag)(&f.options.MaxMemory), "max-memory", "stop at so much memory, as 2GB; 0 for no limit")
	flags.Var((*countFlag)(&f.options.Workers), "workers", "how many goroutines search, which changes no result; 0 for one a processor")
}

// registerParameters adds a flag for each parameter of the protocol.
func (f *checkFlags) registerParameters(flags *pflag.FlagSet) {
	parameters, err := protocol.Parameters(f.scenario.Protocol)
	if err != nil {
		panic(err)
	}
	for _, parameter := range parameters {
		flag := flags.VarPF(&parameterFlag{f.scenario.Protocol, parameter}, parameter.Name, "", parameter.Help)
		if parameter.Kind == "bool" {
			flag.NoOptDefVal = "true"
		}
	}
}

// newCheckFlags returns the flags of a search of the protocol with its defaults.
func newCheckFlags(e catalogue.Entry) *checkFlags {
	p, err := protocol.WithDefaults(e.New())
	if err != nil {
		panic(err)
	}
	f := &checkFlags{scenario: scheduler.NewScenario(p.(protocol.Protocol)), faults: newFaultFlags()}
	f.scenario.KeepZeros = true
	f.scenario.Name = e.Name
	return f
}

// world returns the scenario that the flags describe.
func (f *checkFlags) world() (scheduler.Scenario, error) {
	s := f.scenario
	s.Faults = nil
	for _, fault := range f.faults {
		if fault.times != 0 {
			s.Faults = append(s.Faults, fault.fault())
		}
	}
	if err := f.addOthers(&s); err != nil {
		return s, err
	}
	return s.Check()
}

// addOthers adds the nodes that run the protocol with other parameters.
func (f *checkFlags) addOthers(s *scheduler.Scenario) error {
	s.Others = nil
	if f.others == 0 {
		if len(f.other) > 0 {
			return usage("--other %s says how other nodes differ, but there are none; add --other-nodes 1", f.other[0]).about("other", f.other[0])
		}
		return nil
	}
	changed, err := protocol.Copy(s.Protocol)
	if err != nil {
		return err
	}
	for _, setting := range f.other {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return usage("--other %s is no parameter and its value; write it as ttl=5s", setting).about("other", setting)
		}
		if err := protocol.SetParameter(changed, name, value); err != nil {
			return usage("--other %s: %w", setting, err).about("other", setting)
		}
	}
	s.Others = []scheduler.Other{{Protocol: changed.(protocol.Protocol), Nodes: f.others}}
	return nil
}

// search explores the scenario that the flags describe.
func (f *checkFlags) search(c *cobra.Command) (*scheduler.Report, error) {
	s, err := f.world()
	if err != nil {
		return nil, err
	}
	properties, err := selectProperties(f.properties, s)
	if err != nil {
		return nil, err
	}
	f.replayKept(c, s, properties)
	done := f.showProgress("")
	defer done()
	return scheduler.Check(c.Context(), s, properties, f.options)
}

func (f *checkFlags) run(c *cobra.Command, code *int) error {
	r, err := f.search(c)
	if err != nil {
		return err
	}
	if f.trace != "" {
		if err := writeFirst(f.trace, r); err != nil {
			return &outputError{err}
		}
	}
	if f.junit != "" {
		if err := writeTo(c, f.junit, func(w io.Writer) error { return junit(w, r) }); err != nil {
			return err
		}
	}
	if err := f.conclude(c, r, code); err != nil || !f.annotate {
		return err
	}
	for i := range r.Verdicts {
		if t := r.Verdicts[i].Trace; t != nil {
			if err := annotate(c.OutOrStdout(), t); err != nil {
				return asOutput(err)
			}
		}
	}
	return nil
}

// replayKept replays the trace that the file for the counterexample has from an earlier
// check, and says on standard error what comes of it: sooner than the search can.
func (f *checkFlags) replayKept(c *cobra.Command, s scheduler.Scenario, properties []model.Property) {
	if f.trace == "" {
		return
	}
	if _, err := os.Stat(f.trace); err != nil {
		return
	}
	say := func(format string, args ...any) {
		fmt.Fprintf(c.ErrOrStderr(), "%s: "+format+"\n", append([]any{f.trace}, args...)...)
	}
	t, err := readTrace(c, f.trace)
	if err != nil {
		say("what is there is no trace that can be read, and may be overwritten")
		return
	}
	for _, p := range properties {
		if !checks.IsOf(t, p) {
			continue
		}
		switch r, err := scheduler.Again(s, t, p, -1); {
		case err != nil:
			// The search meets it, too.
		case r.Departure != nil:
			say("the run that is kept does not happen any more: %v", r.Departure)
		case r.Undecided != "":
			say("the run that is kept happens again: %s", r.Undecided)
		case r.Violated == 0:
			say("the run that is kept does not violate %s any more", p.Name())
		default:
			say("%s is violated by the run that is kept; now all runs are explored", p.Name())
		}
	}
}

// showProgress lets a search show how far it is; what says which of many it is. The
// caller calls done after it.
func (f *checkFlags) showProgress(what string) (done func()) {
	p := newProgress(os.Stderr)
	p.what = what
	f.options.Progress = p.show
	return p.done
}

// conclude prints the report and sets the exit code.
func (f *checkFlags) conclude(c *cobra.Command, r *scheduler.Report, code *int) error {
	*code = codeOf(r)
	print := printReport
	if f.json {
		print = printJSON
	}
	if err := print(c.OutOrStdout(), r, f.stats); err != nil {
		return &outputError{err}
	}
	return nil
}

// codeOf is the exit code for a report.
func codeOf(r *scheduler.Report) int {
	switch r.Worse() {
	case scheduler.Violated:
		return exitViolated
	case scheduler.Inconclusive:
		return exitCutOff
	}
	return exitHolds
}

func writeFirst(file string, r *scheduler.Report) error {
	for _, v := range r.Verdicts {
		if v.Trace == nil {
			continue
		}
		return writeTrace(file, v.Trace)
	}
	return nil
}

func writeTrace(file string, t *model.Trace) error {
	return writeFile(file, t.Write)
}
