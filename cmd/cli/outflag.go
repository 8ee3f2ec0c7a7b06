package cli

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// outFlag is a file that a command writes, "" for none and "-" for standard output. Whether it
// can be written is known before the command does anything.
type outFlag struct {
	path *string
	// reported: standard output has the report already.
	reported bool
}

// registerOut adds a flag for a file to write, or standard output as -.
func registerOut(flags *pflag.FlagSet, path *string, name, short, value, help string) {
	*path = value
	flags.VarP(&outFlag{path: path}, name, short, help)
}

// registerFile adds a flag for a file to write besides the report on standard output.
func registerFile(flags *pflag.FlagSet, path *string, name, short, value, help string) {
	*path = value
	flags.VarP(&outFlag{path, true}, name, short, help)
}

func (f *outFlag) String() string {
	if f.path == nil {
		return ""
	}
	return *f.path
}
func (f *outFlag) Type() string { return "FILE" }
func (f *outFlag) Set(path string) error {
	if path == "-" && f.reported {
		return errors.New("standard output has the report; write to a file")
	}
	*f.path = path
	return nil
}

// checkOutputs reports the first file that the command is to write and cannot, or is to write
// twice.
func checkOutputs(c *cobra.Command) error {
	var wrong error
	flags := map[string]string{}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		f, ok := flag.Value.(*outFlag)
		if wrong != nil || !ok || *f.path == "" {
			return
		}
		path := filepath.Clean(*f.path)
		other, twice := flags[path]
		flags[path] = flag.Name
		if twice {
			wrong = usage("--%s and --%s both write %s; name two files", other, flag.Name, *f.path).about(flag.Name, *f.path)
		} else if err := writable(*f.path); err != nil && path != "-" {
			wrong = usage("--%s %s cannot be written: %w", flag.Name, *f.path, err).about(flag.Name, *f.path)
		}
	})
	return wrong
}
