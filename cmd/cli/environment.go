package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/protocol"
)

const variablePrefix = "LOCKSTEP_"

// variable returns the name of the variable that is the twin of a flag.
func variable(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// newEnvironmentTopic is a topic of the help.
func newEnvironmentTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "variables that stand for flags",
		Long: `Each flag of each command has a twin among the environment variables: its name in
capitals, with _ for -, after LOCKSTEP_. That is true of the parameters of protocols,
too.

  --nodes 3                     LOCKSTEP_NODES=3
  --value-ttl 1m                LOCKSTEP_VALUE_TTL=1m
  --json                        LOCKSTEP_JSON=true
  --ttl 30s                     LOCKSTEP_TTL=30s
  --property A --property B     LOCKSTEP_PROPERTY=A,B
  --file lease.yaml             LOCKSTEP_FILE=lease.yaml

A value is written as on the command line; those of a flag that may be repeated are
separated by commas. A variable that is empty counts as one that is not set.

The command line wins over the scenario file, that over the environment, and that
over the default. A variable whose flag the command does not have is ignored. There
is a warning of each variable that begins with LOCKSTEP_ and is no flag's of any
command.`,
	}
}

// environmentNote ends the help of every command.
const environmentNote = `
Each flag can be set by a variable, too, as --value-ttl by LOCKSTEP_VALUE_TTL: see
"lockstep help environment".
`

// readEnvironment sets the flags that have no value yet from their variables.
func readEnvironment(flags *pflag.FlagSet, p *places) error {
	var err error
	flags.VisitAll(func(flag *pflag.Flag) {
		if err == nil && settable(flag) && !flag.Changed {
			err = readVariable(flag, p)
		}
	})
	return err
}

// readVariable sets the flag from its variable, if that is set.
func readVariable(flag *pflag.Flag, p *places) error {
	place := variable(flag.Name)
	value := os.Getenv(place)
	if value == "" {
		return nil
	}
	texts := []string{value}
	if isRepeatable(flag) {
		texts = strings.Split(value, ",")
	}
	for _, text := range texts {
		if err := setFlag(flag.Name, flag.Value, text); err != nil {
			return &placedError{place, err}
		}
		p.values[flagValue{flag.Name, text}] = place
	}
	p.flags[flag.Name] = place
	flag.Changed = true
	return nil
}

// warnOfUnknownVariables names the variables that look like twins of flags and are
// none, each with the nearest that is one.
func warnOfUnknownVariables(c *cobra.Command) {
	known := map[string]bool{}
	addVariables(c.Root(), known)
	var valid []string
	for name := range known {
		valid = append(valid, name)
	}
	var unknown []string
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, variablePrefix) && !known[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		fmt.Fprintf(c.ErrOrStderr(), "lockstep: warning: no flag has the variable %s; the nearest are %s\n", name, strings.Join(protocol.Nearest(name, valid), ", "))
	}
}

// addVariables adds the variables of the command and all below it.
func addVariables(c *cobra.Command, known map[string]bool) {
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if settable(flag) {
			known[variable(flag.Name)] = true
		}
	})
	for _, c := range c.Commands() {
		addVariables(c, known)
	}
}
