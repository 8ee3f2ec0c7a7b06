package cli

import (
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// defaultHunt is how long a hunt takes if nothing is said.
const defaultHunt = 30 * time.Second

// huntFlags are the flags of hunt that are not those of a scenario.
type huntFlags struct {
	*checkFlags
	hunt     scheduler.HuntOptions
	strategy string
}

func newHunt(code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "hunt PROTOCOL [flags]",
		Short: "look for violations at random, where there is too much to explore",
		Long: `Hunt takes runs at random of a scenario that is too large to be explored. It ends
with the first run that violates a property, which it shrinks: fewest nodes and
requests, then fewest faults, then fewest steps. What is left is small enough to be
explored by check, so the counterexample that is printed is minimal there.

Runs are drawn in two ways, in turn unless --strategy says which: walk picks each
time among all that can happen; pct gives processes priorities, which change at
--depth less one steps (probabilistic concurrency testing; Burckhardt et al.,
ASPLOS 2010). The same seed and the same number of runs give the same output.

That nothing is found proves nothing. For pct the output has the bound that it gives,
and for what.

Exit codes: 0 nothing was found; 1 a violation was found; 2 wrong usage or scenario;
3 stopped before the end, by ^C: what is known until then is printed; 4 protocol code
that breaks a rule, or an internal error.`,
		Example: `  lockstep hunt lease --nodes 6 --requests 3 --pause 2x12s --crash 1
  lockstep hunt lease --nodes 6 --pause 1x12s --property no-stale-overwrite --for 5m
  lockstep hunt fixedttl --nodes 8 --requests 2 --runs 10000 --seed 7 --strategy pct
  lockstep hunt -f scenario.yaml --trace trace.json`,
		RunE: func(_ *cobra.Command, args []string) error { return wantsProtocol("hunt", args) },
	}
	f := &huntFlags{checkFlags: &checkFlags{scenario: scheduler.NewScenario(nil), faults: newFaultFlags()}}
	f.register(root.Flags())
	for _, e := range protocols {
		root.AddCommand(newHuntProtocol(code, e))
	}
	acceptFile(root)
	return root
}

func newHuntProtocol(code *int, e catalogue.Entry) *cobra.Command {
	f := &huntFlags{checkFlags: newCheckFlags(e)}
	return forProtocol(e, "hunt", f.checkFlags, f.register, func(c *cobra.Command) error { return f.run(c, code) })
}

func (f *huntFlags) register(flags *pflag.FlagSet) {
	f.hunt = scheduler.HuntOptions{Seed: 1, Depth: 3, MaxSteps: 1000, MaxStates: 1_000_000}
	f.strategy = string(scheduler.BothStrategies)
	flags.SortFlags = false
	f.registerScenario(flags)
	flags.StringArrayVar(&f.properties, "property", nil, "property to look for a violation of, see lockstep properties; may be repeated (default those marked there that a single run can violate, but for rebuild-bound)")
	flags.Var((*durationFlag)(&f.hunt.MaxTime), "for", "how long to take runs; 0 for as many as --runs says, or 30s")
	flags.Var((*countFlag)(&f.hunt.Runs), "runs", "how many runs to take; 0 for as many as there is time for")
	flags.Uint64Var(&f.hunt.Seed, "seed", f.hunt.Seed, "what decides, with the number of a run, all that is drawn")
	flags.StringVar(&f.strategy, "strategy", f.strategy, "how runs are drawn: walk, pct, or both")
	flags.IntVar(&f.hunt.Depth, "depth", f.hunt.Depth, "depth of the violations that pct looks for, 1 to "+strconv.Itoa(scheduler.MaxDepth))
	flags.IntVar(&f.hunt.MaxSteps, "max-steps", f.hunt.MaxSteps, "how many steps a run has at most")
	flags.IntVar(&f.hunt.MaxStates, "max-states", f.hunt.MaxStates, "how many states of what is left of the scenario are explored at most")
	flags.Var((*countFlag)(&f.hunt.Workers), "workers", "how many goroutines take runs, which changes no result; 0 for one a processor")
	registerFile(flags, &f.trace, "trace", "", "", "write the counterexample to this file")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
}

func (f *huntFlags) run(c *cobra.Command, code *int) error {
	s, err := f.world()
	if err != nil {
		return err
	}
	properties, err := f.prey(s)
	if err != nil {
		return err
	}
	o := f.hunt
	o.Strategy, o.Budget = scheduler.Strategy(f.strategy), faults.WithBudget
	if o.Strategy == "" {
		return usage("--strategy is empty; it must be walk, pct or both").about("strategy", "")
	}
	// 0 stands for a default there, and has none here.
	for _, given := range []struct {
		flag  string
		value int
	}{{"depth", o.Depth}, {"max-steps", o.MaxSteps}, {"max-states", o.MaxStates}} {
		if given.value < 1 {
			return usage("--%s %d: it must be 1 or more", given.flag, given.value).about(given.flag, strconv.Itoa(given.value))
		}
	}
	if o.Runs == 0 && o.MaxTime == 0 {
		o.MaxTime = defaultHunt
	}
	p := newProgress(os.Stderr)
	o.Progress = p.showHunt
	r, err := scheduler.Hunt(c.Context(), s, properties, o)
	p.done()
	if err != nil {
		return err
	}
	switch {
	case r.Partial != "":
		*code = exitCutOff
	case r.Find != nil:
		*code = exitViolated
	}
	print := printHunt
	if f.json {
		print = huntJSON
	}
	// The result comes before a trace that cannot be written.
	if err := print(c.OutOrStdout(), r, f.commands(c, r)); err != nil || f.trace == "" || r.Find == nil {
		return asOutput(err)
	}
	return asOutput(writeTrace(f.trace, r.Find.Trace))
}

// prey returns the properties to look for a violation of: without names the usual ones that a
// single run can violate. A bound on rebuilds is not among them, since large scenarios exceed
// one at once, and nothing else would ever be found.
func (f *huntFlags) prey(s scheduler.Scenario) ([]model.Property, error) {
	if len(f.properties) > 0 {
		return selectProperties(f.properties, s)
	}
	return slices.DeleteFunc(checks.All(s.RebuildBound), func(p model.Property) bool {
		_, isMonitor := p.(model.Monitor)
		return !isMonitor || p.Name() == "rebuild-bound"
	}), nil
}
