package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// simulateFlags are the flags of simulate that belong to no protocol.
type simulateFlags struct {
	simulation             scheduler.Simulation
	pauseEvery, crashEvery time.Duration
	pauseFor               distribution.Distribution
	faults                 []scheduler.SimulatedFault
	properties             []string
	options                scheduler.SimulateOptions
	json                   bool
	trace                  string
}

func newSimulateFlags(p protocol.Protocol) *simulateFlags {
	return &simulateFlags{simulation: scheduler.NewSimulation(p), pauseFor: distribution.Uniform(model.Between(0, 12*time.Second))}
}

func newSimulate(code *int) *cobra.Command {
	f := newSimulateFlags(nil)
	all := false
	root := &cobra.Command{
		Use:   "simulate PROTOCOL [flags]",
		Short: "run a protocol with many requests, in concrete time",
		Long: `Simulate runs the code of a protocol with many requests on many nodes, in concrete time,
by the same rules as a check. Where a check says what can happen, a simulation says how
often, and what it costs. The same seed gives the same bytes, on every machine.

Besides pauses and crashes there are all other faults of lockstep faults: each with the mean
time until it strikes (again), a node, a node and a store, or the fleet, or with its share of
the operations that it can strike.

A distribution is written 2s, 2s..25s (any time within, each as likely as any other),
lognormal:2s..25s (the median and the 99th percentile) or file:PATH (one duration a
line). Each protocol has parameters of its own: see lockstep simulate PROTOCOL --help.

The exit code is 0 if no property that is followed was violated in any run, 1 if one was,
3 if the simulation was stopped before all runs were over. With --all it is 0 or 3.`,
		Example: `  lockstep simulate stacked --nodes 50 --requests 2000
  lockstep simulate fixedttl --runs 100 --rebuild-time lognormal:2s..25s \
      --arrivals poisson:500/s --value-ttl 30s
  lockstep simulate lease --runs 200 --pause-every 1m --pause-for 0s..15s --updates 3
  lockstep simulate lease --fault "store-pause every 1m for 0s..15s" --fault "lost-reply of 1%"
  lockstep simulate --all`,
		RunE: func(c *cobra.Command, args []string) error {
			if !all {
				return wantsProtocol("simulate", args)
			}
			if len(args) > 0 {
				return usage("simulate --all is about every protocol; %q is too much", args[0])
			}
			return f.runAll(c, code)
		},
	}
	root.Flags().BoolVar(&all, "all", false, "simulate every protocol with its default parameters and print one table")
	f.register(root.Flags())
	for _, e := range protocols {
		root.AddCommand(newSimulateProtocol(code, e))
	}
	acceptFile(root)
	return root
}

func newSimulateProtocol(code *int, e catalogue.Entry) *cobra.Command {
	parameters := newCheckFlags(e)
	f := newSimulateFlags(parameters.scenario.Protocol)
	f.simulation.KeepZeros, f.simulation.Name = true, e.Name
	register := func(flags *pflag.FlagSet) {
		f.register(flags)
		registerFile(flags, &f.trace, "trace", "", "", "write the first violation of the worst run to this file; for simulations that a check could explore")
	}
	return forProtocol(e, "simulate", parameters, register, func(c *cobra.Command) error { return f.run(c, code) })
}

func (f *simulateFlags) register(flags *pflag.FlagSet) {
	s := &f.simulation
	flags.SortFlags = false
	flags.IntVar(&s.Nodes, "nodes", s.Nodes, "number of nodes")
	flags.IntVar(&s.Requests, "requests", s.Requests, "requests on each node")
	flags.Var(&arrivalsFlag{&s.Arrivals}, "arrivals", "when requests arrive: at-once, poisson:1000/s for all nodes together, or file:PATH with one time a line")
	flags.IntVar(&s.Jobs, "jobs", s.Jobs, "runs of the job on each node, which begin with it, for a protocol that has one")
	flags.IntVar(&s.Updates, "updates", s.Updates, "updates of the source, each at any time within --update-within")
	flags.Var((*durationFlag)(&s.UpdateWithin), "update-within", "how long after the beginning the last update begins at the latest")
	flags.BoolVar(&s.Invalidate, "invalidate", false, "an update deletes the cached value after it has changed the source")
	flags.Var(&latencyFlag{s}, "latency", "time from the issue of a store or source operation to its effect, a distribution")
	flags.Var((*rangeFlag)(&s.Reply), "reply", "time from the effect until the process observes it")
	flags.Var(&distributionFlag{&s.Rebuild, "as the protocol says"}, "rebuild-time", "how long computing a value takes, a distribution, in the place of what the protocol says")
	flags.Var((*durationFlag)(&s.ValueTTL), "value-ttl", "TTL of cached values; 0 for none")
	flags.Var((*durationFlag)(&f.pauseEvery), "pause-every", "mean time until a node is paused (again); 0 for no pauses")
	flags.Var(&distributionFlag{&f.pauseFor, ""}, "pause-for", "how long a pause lasts, a distribution")
	flags.Var((*durationFlag)(&f.crashEvery), "crash-every", "mean time until a node crashes; 0 for no crashes")
	flags.Var(&faultsFlag{&f.faults}, "fault", "another fault, as \"store-pause every 1m for 0s..2s\", \"evict every 10s\" or \"lost-reply of 0.1%\"; may be repeated")
	flags.IntVar(&s.Replicas, "replicas", s.Replicas, "replicas of a store, for those who wait for them")
	flags.Var((*durationFlag)(&s.Timeout), "timeout", "how long a process waits for a reply that never comes, at most")
	flags.IntVar(&s.RebuildBound, "rebuild-bound", 0, "rebuilds allowed for each expiry or invalidation; 0 for what the protocol claims")
	flags.Var((*durationFlag)(&s.Duration), "duration", "when a run ends, whatever is under way; 0 for an hour after the last request arrives")
	flags.StringArrayVar(&f.properties, "property", nil, "property to follow; may be repeated (default all that a simulation can follow)")
	flags.Uint64Var(&s.Seed, "seed", s.Seed, "seed of the first run; each other has the next one")
	flags.IntVar(&s.Runs, "runs", s.Runs, "number of runs")
	flags.Var((*countFlag)(&f.options.Workers), "workers", "how many runs go on at once, which changes no result; 0 for one a processor")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
}

// prepare returns the simulation of a protocol that the flags describe.
func (f *simulateFlags) prepare(s scheduler.Simulation) (scheduler.Simulation, error) {
	s.Faults, s.Properties = f.faults, nil
	if f.pauseEvery != 0 {
		longest := f.pauseFor.Range().Max
		if longest == 0 {
			return s, usage("--pause-for %s: no pause would last; write a longer one, or leave --pause-every out", f.pauseFor).about("pause-for", f.pauseFor.String())
		}
		s.Faults = withFault(s.Faults, scheduler.SimulatedFault{Fault: faults.Pause(faults.MaxBudget, longest), Every: f.pauseEvery, Lasts: f.pauseFor})
	}
	if f.crashEvery != 0 {
		s.Faults = withFault(s.Faults, scheduler.SimulatedFault{Fault: faults.Crash(faults.MaxBudget), Every: f.crashEvery})
	}
	s, err := s.Check()
	if err != nil {
		return s, err
	}
	s.Properties, err = f.followed(s)
	return s, err
}

// followed are the properties that are followed.
func (f *simulateFlags) followed(s scheduler.Simulation) ([]model.Property, error) {
	var all []model.Property
	var names []string
	for _, k := range checks.Kinds() {
		if !scheduler.Followed(k.Name) || k.Name == "rebuild-bound" && s.RebuildBound == 0 {
			continue
		}
		names = append(names, k.Name)
		if len(f.properties) == 0 || slices.Contains(f.properties, k.Name) {
			all = append(all, k.New(min(s.RebuildBound, checks.MaxBound), 0))
		}
	}
	for _, name := range f.properties {
		if slices.Contains(names, name) {
			continue
		}
		for _, k := range checks.Kinds() {
			switch {
			case k.Name != name:
			case scheduler.Followed(name):
				return nil, usage("the protocol claims no number of rebuilds; say how many are allowed with --rebuild-bound").about("property", name)
			default:
				return nil, usage("a simulation does not follow the property %s: lockstep check does; a simulation follows %s", name, strings.Join(names, ", ")).about("property", name)
			}
		}
		return nil, unknown("property", name, names)
	}
	return all, nil
}

// unheeded refuses flags of the command line that would change nothing.
func (f *simulateFlags) unheeded(given *pflag.FlagSet) error {
	var err error
	given.Visit(func(flag *pflag.Flag) {
		recording, recorded := f.simulation.Arrivals.(distribution.Recording)
		switch {
		case flag.Name == "pause-for" && f.pauseEvery == 0 && !given.Changed("pause-every"):
			err = usage("--pause-for says how long pauses last, and there are none; say how often there is one, as in --pause-every 1m").about(flag.Name, flag.Value.String())
		case flag.Name == "requests" && recorded:
			err = usage("--requests %s, and --arrivals %s says when %s arrive; leave one out", flag.Value, recording, model.Count(recording.Len(), "request", "requests")).about(flag.Name, flag.Value.String())
		}
	})
	return err
}

func (f *simulateFlags) run(c *cobra.Command, code *int) error {
	if err := f.unheeded(c.Flags()); err != nil {
		return err
	}
	s, err := f.prepare(f.simulation)
	if err != nil {
		return err
	}
	if f.trace != "" {
		if err := s.Replayable(); err != nil {
			return err
		}
	}
	r, err := f.simulate(c, s, "")
	if err != nil {
		return err
	}
	*code = simulatedCode(r)
	print := printSimulated
	if f.json {
		print = printSimulatedJSON
	}
	// Results come before a trace that cannot be written.
	if err := print(c.OutOrStdout(), s, r); err != nil || f.trace == "" {
		return asOutput(err)
	}
	return f.writeWorst(c, s, r)
}

// simulate runs the simulation and shows how far it is; what says which of many it is.
func (f *simulateFlags) simulate(c *cobra.Command, s scheduler.Simulation, what string) (*scheduler.Simulated, error) {
	p := newSimulateProgress(newProgress(os.Stderr), s.Runs, what)
	options := f.options
	options.Progress = p.show
	defer p.done()
	return scheduler.Simulate(c.Context(), s, options)
}

// simulatedCode is the exit code for a simulation.
func simulatedCode(r *scheduler.Simulated) int {
	switch {
	case r.Partial:
		return exitCutOff
	case slices.ContainsFunc(r.Violations, func(p scheduler.PropertyCount) bool { return p.Runs > 0 }):
		return exitViolated
	}
	return exitHolds
}

// writeWorst writes the first violation of the worst run as a trace, if there is one.
func (f *simulateFlags) writeWorst(c *cobra.Command, s scheduler.Simulation, r *scheduler.Simulated) error {
	if why := whyNoTrace(r); why != "" {
		fmt.Fprintf(c.ErrOrStderr(), "%s is not written: %s\n", f.trace, why)
		return nil
	}
	i := slices.IndexFunc(s.Properties, func(p model.Property) bool { return p.Name() == r.Worst.Violations[0].Property })
	t, _, err := scheduler.SimulatedTrace(s, int(r.Worst.Seed-s.Seed), s.Properties[i])
	if err != nil {
		return err
	}
	if err := writeTrace(f.trace, t); err != nil {
		return &outputError{err}
	}
	return nil
}

// whyNoTrace says why the worst run has no trace, empty if it has one.
func whyNoTrace(r *scheduler.Simulated) string {
	switch {
	case r.Worst.Stopped:
		return "the run was stopped"
	case len(r.Worst.Violations) == 0:
		return "no property was violated"
	}
	return ""
}

// runAll simulates every protocol.
func (f *simulateFlags) runAll(c *cobra.Command, code *int) error {
	if err := f.unheeded(c.Flags()); err != nil {
		return err
	}
	var rows []simulatedRow
	for _, e := range protocols {
		s := f.simulation
		s.Protocol, s.KeepZeros, s.Name = newCheckFlags(e).scenario.Protocol, true, e.Name
		s, err := f.prepare(s)
		if err != nil {
			return err
		}
		r, err := f.simulate(c, s, e.Name)
		if err != nil {
			return err
		}
		rows = append(rows, simulatedRow{s, r})
		if r.Partial {
			*code = exitCutOff
			break
		}
	}
	print := printAllSimulated
	if f.json {
		print = printAllSimulatedJSON
	}
	if err := print(c.OutOrStdout(), rows); err != nil {
		return &outputError{err}
	}
	return nil
}
