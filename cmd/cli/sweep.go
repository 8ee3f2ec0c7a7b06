package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/checks/sweep"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// defaultSweepStates cuts the search of a point off: one large point is not to keep the others
// from being done.
const defaultSweepStates = 2_000_000

func newSweep(code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "sweep PROTOCOL --axis NAME=VALUES [flags]",
		Short: "check and simulate a protocol for many values of its parameters",
		Long: `Sweep checks every run of a protocol, and simulates many, at each point of a grid of
parameters, or at some of them: verdicts from searches, numbers from simulations.

An axis is a flag or a parameter with values: ttl=1s,2s,5s, or ttl=1s..30s/8 for 8 values at
equal distances, or pause=1x1s..1x12s/12. Several that vary together are joined with +:
pause+pause-for=1x1s+0s..1s,1x5s+0s..5s. --design random:40 takes 40 of the points, evenly.

A flag of lockstep check has its name here. One of lockstep simulate has its name, too, or
with sim- before it where check has it already (--sim-nodes). Of these sim-latency, sim-reply,
sim-value-ttl, sim-invalidate and sim-rebuild-bound are as for the check unless they are given.

Each point that is done is written to --out at once. The same command goes on where it was
stopped, by ^C or by kill -9. --shard 1/3 does every third point; lockstep sweep merge puts
the files of shards together, show prints a file, and plot draws it.

The exit code is 0 if all points are done and nothing is violated at any, 1 if something is,
in a check or in a simulation, 3 if it was stopped before, or if a check was cut off.`,
		Example: `  lockstep sweep fixedttl --axis ttl=5s..30s/6 --property mutual-exclusion
  lockstep sweep lease --axis ttl=5s..20s/4 --axis pause=1x1s..1x12s/12 --no-simulate \
      --property mutual-exclusion
  lockstep sweep setnx --axis ttl=5s..60s/12 --rebuild-time lognormal:2s..25s \
      --crash-every 1m --runs 20 --no-check --csv table.csv
  lockstep sweep show sweep.ndjson
  lockstep sweep plot sweep.ndjson --x ttl --map map.svg --waits waits.svg`,
		RunE: func(_ *cobra.Command, args []string) error { return wantsProtocol("sweep", args) },
	}
	for _, e := range protocols {
		root.AddCommand(newSweepProtocol(code, e))
	}
	acceptFile(root)
	root.AddCommand(newSweepShow(code), newSweepMerge(code), newSweepPlot())
	return root
}

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	*checkFlags
	output   sweepOutput
	simulate *simulateFlags
	// flags are all flags; both, of simulate, those that are as for check unless they are given.
	flags *pflag.FlagSet
	both  []sharedFlag
	// checkOnly and simulateOnly are flags that only one of the two heeds.
	checkOnly, simulateOnly map[string]bool

	axes                []string
	design, out         string
	designSeed          uint64
	noCheck, noSimulate bool
	shard               shardFlag
	workers             int
}

// sharedFlag is a flag of simulate whose value is that of a flag of check.
type sharedFlag struct{ from, to *pflag.Flag }

// inBoth are settings of the world: what is true of it in the check is true in the simulation.
var inBoth = map[string]bool{"latency": true, "reply": true, "value-ttl": true, "invalidate": true, "rebuild-bound": true}

// notSwept are flags of check and simulate that sweep does not have, or that are none of its
// settings.
var notSwept = map[string]bool{"workers": true, "json": true, "property": true, "trace": true}

func newSweepProtocol(code *int, e catalogue.Entry) *cobra.Command {
	f := &sweepFlags{checkFlags: newCheckFlags(e), shard: shardFlag(sweep.Whole)}
	f.options.MaxStates = defaultSweepStates
	f.simulate = newSimulateFlags(f.scenario.Protocol)
	f.simulate.simulation.Name, f.simulate.simulation.KeepZeros = e.Name, true
	f.simulate.simulation.Requests, f.simulate.simulation.Runs = 100, 20
	c := forProtocol(e, "sweep", f.checkFlags, f.registerSweep, func(c *cobra.Command) error { return f.run(c, code) })
	f.checkFlags.scenario.Name = e.Name
	return c
}

func (f *sweepFlags) registerSweep(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringArrayVar(&f.axes, "axis", nil, "a flag or parameter with its values, as ttl=1s,2s,5s or ttl=1s..30s/8; may be repeated")
	flags.StringVar(&f.design, "design", string(sweep.Grid), "which combinations are points: grid for all, random:N for N of them, a Latin hypercube")
	flags.Uint64Var(&f.designSeed, "design-seed", 1, "seed of a random design")
	registerFile(flags, &f.out, "out", "o", "sweep.ndjson", "the file to which each point is written, and from which the sweep goes on")
	flags.Var(&f.shard, "shard", "which share of the points to do, as 2/3")
	f.output.register(flags)
	flags.BoolVar(&f.noCheck, "no-check", false, "do not check, only simulate")
	flags.BoolVar(&f.noSimulate, "no-simulate", false, "do not simulate, only check")
	flags.Var((*countFlag)(&f.workers), "workers", "how many goroutines work, which changes no result; 0 for one a processor")
	flags.StringArrayVar(&f.properties, "property", nil, "property to check, see lockstep properties; may be repeated (default those marked there)")
	flags.Var((*countFlag)(&f.options.MaxStates), "max-states", "stop the search of a point after so many states; 0 for no limit")
	f.checkOnly, f.simulateOnly = map[string]bool{}, map[string]bool{}
	own := pflag.NewFlagSet("check", pflag.ContinueOnError)
	f.registerScenario(own)
	own.VisitAll(func(flag *pflag.Flag) {
		f.checkOnly[flag.Name] = !inBoth[flag.Name]
		flags.AddFlag(flag)
	})
	f.registerSimulation(flags)
}

// registerSimulation adds the flags of simulate, under another name where check has it.
func (f *sweepFlags) registerSimulation(flags *pflag.FlagSet) {
	simulated := pflag.NewFlagSet("simulate", pflag.ContinueOnError)
	simulated.SortFlags = false
	f.simulate.register(simulated)
	simulated.VisitAll(func(flag *pflag.Flag) {
		if notSwept[flag.Name] {
			return
		}
		if from := flags.Lookup(flag.Name); from != nil {
			if inBoth[flag.Name] {
				f.both = append(f.both, sharedFlag{from, flag})
				flag.DefValue = ""
			}
			flag.Name, flag.Usage = "sim-"+flag.Name, flag.Usage+", in simulations"
		}
		f.simulateOnly[flag.Name] = true
		flags.AddFlag(flag)
	})
}

func (f *sweepFlags) run(c *cobra.Command, code *int) error {
	if err := f.output.check(f.out); err != nil {
		return err
	}
	plan, err := f.plan()
	if err != nil {
		return err
	}
	tasks, err := f.tasks(plan)
	if err != nil {
		return err
	}
	p := newSweepProgress(newProgress(os.Stderr), plan.Axes, f.out)
	work := func(ctx context.Context, number, workers int, progress func(int64, float64)) (*sweep.Checked, *sweep.Simulated, error) {
		return tasks[number].Do(ctx, workers, progress)
	}
	s, err := sweep.Run(c.Context(), plan, sweep.Shard(f.shard), f.out, work, sweep.Options{Workers: f.workers, Progress: p.show})
	p.done()
	if err != nil {
		return sweepError(err)
	}
	return f.output.conclude(c, s, code)
}

// sweepOutput says what is printed of a sweep.
type sweepOutput struct {
	csv  string
	json bool
}

func (o *sweepOutput) register(flags *pflag.FlagSet) {
	registerOut(flags, &o.csv, "csv", "", "", "write all points to this file, as CSV; - for standard output, in the place of the table")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
}

// check refuses what would write two results to one place; files are those of sweeps.
func (o *sweepOutput) check(files ...string) error {
	if o.csv == "-" && o.json {
		return usage("--csv - and --json both print to standard output; write one of them to a file")
	}
	for _, file := range files {
		if sameFile(o.csv, file) {
			return usage("--csv %s would overwrite the file of the sweep; write to another", o.csv).about("csv", o.csv)
		}
	}
	return nil
}

// sameFile reports whether two names are of one file, which need not be there yet.
func sameFile(a, b string) bool {
	if a == "" || a == "-" || b == "" || b == "-" {
		return false
	}
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return filepath.Clean(a) == filepath.Clean(b) || err1 == nil && err2 == nil && os.SameFile(first, second)
}

// conclude prints a sweep and sets the exit code.
func (o *sweepOutput) conclude(c *cobra.Command, s *sweep.Sweep, code *int) error {
	*code = sweepCode(s)
	if o.csv != "" {
		if err := writeTo(c, o.csv, s.WriteCSV); err != nil || o.csv == "-" {
			return err
		}
	}
	if o.json {
		return asOutput(encode(c.OutOrStdout(), s))
	}
	return asOutput(printSweep(c.OutOrStdout(), s))
}

// sweepCode is the exit code for a sweep.
func sweepCode(s *sweep.Sweep) int {
	switch worst := s.Worse(); {
	case s.Partial:
		return exitCutOff
	case worst == scheduler.Violated:
		return exitViolated
	case worst == scheduler.Inconclusive:
		return exitCutOff
	}
	return exitHolds
}

func newSweepShow(code *int) *cobra.Command {
	o := &sweepOutput{}
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "print what the file of a sweep has, which need not be complete",
		Example: `  lockstep sweep show sweep.ndjson
  lockstep sweep show sweep.ndjson --csv table.csv`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("sweep show wants one file of a sweep, as in: lockstep sweep show sweep.ndjson")
			}
			if err := o.check(args[0]); err != nil {
				return err
			}
			s, err := readSweep(args[0])
			if err != nil {
				return err
			}
			return o.conclude(c, s, code)
		},
	}
	c.Flags().SortFlags = false
	o.register(c.Flags())
	return c
}

func newSweepMerge(code *int) *cobra.Command {
	o, out := &sweepOutput{}, ""
	c := &cobra.Command{
		Use:   "merge FILE ...",
		Short: "put the files of all shards of a sweep together",
		Long: `Merge puts the files that lockstep sweep --shard wrote together. The result has the bytes
of a sweep that was not divided. It is an error if the files are of different sweeps, if a
point is missing or is there twice, or if --out has anything but results of the same sweep.`,
		Example: `  lockstep sweep merge a.ndjson b.ndjson c.ndjson --out all.ndjson`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("sweep merge wants the files of all shards, as in: lockstep sweep merge a.ndjson b.ndjson")
			}
			if err := o.check(append(args, out)...); err != nil {
				return err
			}
			s, err := sweep.Merge(args, out)
			if err != nil {
				return usage("%w", err)
			}
			return o.conclude(c, s, code)
		},
	}
	c.Flags().SortFlags = false
	registerFile(c.Flags(), &out, "out", "o", "sweep.ndjson", "the file to write")
	o.register(c.Flags())
	return c
}

// readSweep reads the file of a sweep.
func readSweep(file string) (*sweep.Sweep, error) {
	s, err := sweep.Read(file)
	if err != nil {
		return nil, usage("%w", err)
	}
	return s, nil
}

// shardFlag is a share of the points.
type shardFlag sweep.Shard

func (f *shardFlag) String() string { return sweep.Shard(*f).String() }
func (f *shardFlag) Type() string   { return "I/N" }
func (f *shardFlag) Set(text string) error {
	s, err := sweep.ParseShard(text)
	if err == nil {
		*f = shardFlag(s)
	}
	return err
}

// pointsText says how many points there are of how many.
func pointsText(s *sweep.Sweep) string {
	text := model.Count(len(s.Points), "point", "points")
	if s.Partial {
		text = fmt.Sprintf("%d of %s", len(s.Points), model.Count(s.Wanted, "point", "points"))
	}
	if s.Shard != sweep.Whole {
		text += fmt.Sprintf(" of shard %s", s.Shard)
	}
	return text
}
