package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/protocol"
)

// usageError is a mistake on the command line, in a scenario file or in a variable.
type usageError struct {
	error
	// flag is the one whose value is wrong, if the error is about one.
	flag, value string
}

// Unwrap returns the mistake.
func (e *usageError) Unwrap() error { return e.error }

// about says which value of which flag is wrong, for the error to say where it is
// from if it does not stand on the command line.
func (e *usageError) about(flag, value string) *usageError {
	e.flag, e.value = flag, value
	return e
}

func usage(format string, args ...any) *usageError {
	return &usageError{error: fmt.Errorf(format, args...)}
}

func newRoot(code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "lockstep",
		Short: "a deterministic model checker for distributed locks and cache rebuilds",
		Long: `Lockstep explores every interleaving of the nodes that run a lock or cache-rebuild
protocol, in dense time, with injected faults (lockstep faults). It says that a property
holds, exhausted within the stated bounds, or prints a minimal counterexample.

Exit codes: 0 holds and exhausted; 1 violated; 2 wrong usage or scenario;
3 cut off, inconclusive; 4 protocol code that breaks a rule, or an internal error.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("command", args[0], []string{"check", "simulate", "hunt", "matrix", "sweep", "worst", "threshold", "replay", "diff", "export", "report", "init", "incident", "faults", "properties", "casebook", "list", "help", "completion"})
			}
			return nil
		},
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: settle,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if missing := missingCommand(c, err); missing != nil {
			return missing
		}
		return usage("%w\nSee %s --help.", err, c.CommandPath())
	})
	root.AddCommand(newCheck(code), newSimulate(code), newHunt(code), newMatrix(code), newSweep(code), newWorst(), newThreshold(), newReplay(code), newDiff(code), newExport(), newReport(code), newInit(), newIncident(code), newFaults(), newProperties(), newCasebook(code), newList())
	root.AddCommand(newScenarioTopic(), newEnvironmentTopic())
	root.SetUsageTemplate(root.UsageTemplate() + environmentNote)
	root.SetHelpFunc(help)
	root.SetHelpCommand(newHelp())
	return root
}

// unknown says that a name is not known and which are the nearest. If there is a
// flag that is called what, it is the value of that.
func unknown(what, name string, valid []string) *usageError {
	return usage("unknown %s %q; the nearest are %s", what, name, strings.Join(protocol.Nearest(name, valid), ", ")).about(what, name)
}

// missingCommand is the error of a command that lacks the one of its own to which an unknown
// flag belongs, nil if none has that.
func missingCommand(c *cobra.Command, err error) error {
	var notExist *pflag.NotExistError
	if !errors.As(err, &notExist) || !c.HasParent() {
		return nil
	}
	for _, sub := range c.Commands() {
		if sub.Flags().Lookup(notExist.GetSpecifiedName()) != nil {
			return c.RunE(c, nil)
		}
	}
	return nil
}
