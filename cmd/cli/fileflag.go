package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/protocol"
)

// fileFlag is the scenario file of a command, "" for none and "-" for standard
// input.
type fileFlag struct {
	path string
	// read is the file at the path readPath, if any was read: standard input can be
	// read only once.
	read     *scenarioFile
	readPath string
}

func (f *fileFlag) String() string        { return f.path }
func (f *fileFlag) Type() string          { return "FILE" }
func (f *fileFlag) Set(path string) error { f.path = path; return nil }

// acceptFile lets a command, and its variants for each protocol, read a scenario
// file. They share the flag.
func acceptFile(c *cobra.Command) {
	f := &fileFlag{}
	for _, c := range append(c.Commands(), c) {
		c.Flags().VarP(f, "file", "f", "scenario file with values for flags, - for standard input; see lockstep help scenario")
	}
}

// fileOf returns the flag for the scenario file, if the command has one.
func fileOf(flags *pflag.FlagSet) (*fileFlag, bool) {
	flag := flags.Lookup("file")
	if flag == nil {
		return nil, false
	}
	f, ok := flag.Value.(*fileFlag)
	return f, ok
}

// load reads the scenario file at the path.
func (f *fileFlag) load(c *cobra.Command, path string) (*scenarioFile, error) {
	if f.read != nil && f.readPath == path {
		return f.read, nil
	}
	name := path
	var text []byte
	var err error
	if path == "-" {
		name = "<standard input>"
		text, err = io.ReadAll(c.InOrStdin())
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, (&scenarioFile{name: name}).unreadable(err)
	}
	f.read, err = parseScenarioFile(name, text)
	f.readPath = path
	return f.read, err
}

// unreadable is the error for a file that cannot be read. If there is none it
// names the nearest in the directory.
func (f *scenarioFile) unreadable(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return f.wrong(nil, "the file cannot be read: %w", err)
	}
	entries, _ := os.ReadDir(filepath.Dir(f.name))
	var names []string
	for _, e := range entries {
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return f.wrong(nil, "there is no such file, nor another scenario file beside it")
	}
	return f.wrong(nil, "there is no such file; the nearest beside it are %s", strings.Join(protocol.Nearest(filepath.Base(f.name), names), ", "))
}

// protocol returns the protocol that the file names, and where; ok is false if it
// names none.
func (f *scenarioFile) protocol() (name, place string, ok bool, err error) {
	i := slices.IndexFunc(f.entries, func(e scenarioEntry) bool { return e.key.Value == "protocol" })
	if i < 0 {
		return "", "", false, nil
	}
	e := f.entries[i]
	if name, err = f.text(e.key, e.value); err != nil {
		return "", "", false, err
	}
	place = f.place(e.value)
	if _, err := findProtocol(name); err != nil {
		return "", "", false, &placedError{place, err}
	}
	return name, place, true, nil
}

// withProtocol adds to the arguments of a command line that names no protocol the
// one that its scenario file names, so that the parameters of the protocol are
// flags of the command.
func withProtocol(root *cobra.Command, args []string) ([]string, error) {
	c, rest, err := root.Find(args)
	if err != nil || !c.HasSubCommands() {
		return args, nil
	}
	file, ok := fileOf(c.Flags())
	if !ok {
		return args, nil
	}
	path := os.Getenv(variable("file"))
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddFlagSet(c.Flags())
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	err = flags.ParseAll(rest, func(flag *pflag.Flag, value string) error {
		if flag.Value == file {
			path = value
		}
		return nil
	})
	if err != nil || flags.NArg() > 0 || path == "" {
		return args, nil // nothing to add: the command says what is wrong, or shows its help
	}
	f, err := file.load(c, path)
	if err != nil {
		return nil, err
	}
	name, _, ok, err := f.protocol()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, f.wrong(f.top, "the file names no protocol; add one, as in protocol: lease, or write %s lease on the command line; lockstep list shows them all", c.CommandPath())
	}
	words := strings.Fields(c.CommandPath())[1:]
	return slices.Concat(words, []string{name}, rest), nil
}
