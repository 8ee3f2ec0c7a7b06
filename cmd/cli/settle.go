package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// settle gives the flags that the command line leaves alone the values that the
// scenario file has for them, and those that it leaves alone the values of their
// variables. From then on errors of the command say where a value is from. A file that
// cannot be written is one, before the command does anything.
func settle(c *cobra.Command, _ []string) error {
	warnOfUnknownVariables(c)
	p := newPlaces()
	if err := readFile(c, p); err != nil {
		return err
	}
	if err := readEnvironment(c.Flags(), p); err != nil {
		return err
	}
	if err := checkOutputs(c); err != nil {
		return p.locate(err)
	}
	run := c.RunE
	if run != nil {
		c.RunE = func(c *cobra.Command, args []string) error { return p.locate(run(c, args)) }
	}
	return nil
}

// readFile applies the scenario file, if there is one.
func readFile(c *cobra.Command, p *places) error {
	file, ok := fileOf(c.Flags())
	if !ok || c.HasSubCommands() {
		return nil
	}
	if flag := c.Flags().Lookup("file"); !flag.Changed {
		if err := readVariable(flag, p); err != nil {
			return err
		}
	}
	if file.path == "" {
		return nil
	}
	f, err := file.load(c, file.path)
	if err != nil {
		return err
	}
	return f.apply(c, p)
}

// setFlag sets a flag to a text from elsewhere than the command line.
func setFlag(name string, value pflag.Value, text string) error {
	err := value.Set(text)
	if err == nil {
		return nil
	}
	if _, ok := value.(*parameterFlag); ok {
		return usage("%w", err) // it says the name already
	}
	return usage("%s: %w", name, err)
}

// settable reports whether the flag can have a value from elsewhere than the
// command line.
func settable(flag *pflag.Flag) bool { return flag.Name != "help" }

// isParameter reports whether the flag is a parameter of a protocol.
func isParameter(flag *pflag.Flag) bool {
	_, ok := flag.Value.(*parameterFlag)
	return ok
}

// isRepeatable reports whether the flag may be given several times.
func isRepeatable(flag *pflag.Flag) bool {
	_, ok := flag.Value.(pflag.SliceValue)
	return ok
}
