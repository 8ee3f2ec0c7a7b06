package cli

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/checks"
	"lockstep/checks/explain"
	"lockstep/model"
)

type incidentTestFlags struct {
	explainFlags
	dir, pkg, name string
}

func newIncidentTest(code *int) *cobra.Command {
	f := &incidentTestFlags{}
	c := &cobra.Command{
		Use:   "test LOG... --protocol PROTOCOL",
		Short: "write a Go test that fails as long as what happened in a log can happen",
		Long: `Test explains a log as lockstep incident explain does, finds the smallest scenario in which the
first property is violated that the run violates, and writes a Go test of it, with the trace that
the test replays first. It fails on the protocol as it was deployed, and passes on one that is
right in every run of that scenario: change the code, or the protocol in the test.

Exit codes: 0 the files are written; 1 no run agrees with the log, or it violates nothing; 2 wrong
usage; 3 a search was cut off.`,
		Example: `  lockstep incident test monitor.log --protocol lease --dir mylock --package mylock
  lockstep incident test monitor.log --protocol fixedttl --name TestFeedIncident`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("test wants one log or several, for example lockstep incident test monitor.log --protocol lease")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args, code) },
	}
	f.add(c)
	c.Flags().StringVar(&f.dir, "dir", ".", "the directory of the package that gets the test")
	c.Flags().StringVar(&f.pkg, "package", "", "the name of the package (default that of the directory)")
	c.Flags().StringVar(&f.name, "name", "TestIncident", "the name of the test")
	return c
}

var testName = regexp.MustCompile(`^Test([^a-z]|$)`)

func (f *incidentTestFlags) run(c *cobra.Command, names []string, code *int) error {
	if !token.IsIdentifier(f.name) || !testName.MatchString(f.name) {
		return usage("%q is no name of a test: it begins with Test, as TestIncident", f.name)
	}
	pkg, err := f.packageName()
	if err != nil {
		return err
	}
	if err := f.vacant(f.file()); err != nil {
		return err
	}
	r, _, err := f.explain(c, names)
	if err != nil {
		return err
	}
	if len(r.Violations) == 0 {
		*code = exitViolated
		if r.CutOff != "" {
			*code = exitCutOff
		}
		why := "the run that agrees with the log violates nothing"
		if r.Trace == nil {
			why = "no run agrees with the log"
		}
		_, err := fmt.Fprintf(c.OutOrStdout(), "No test is written: %s. lockstep incident explain says more.\n", why)
		return asOutput(err)
	}
	violation := &r.Violations[0]
	small, err := f.smallest(c, r)
	if err != nil {
		return err
	}
	if small == nil {
		*code = exitCutOff
		_, err := fmt.Fprintf(c.OutOrStdout(), "No test is written: no small scenario with %s was found within the limits.\n", violation.Property.Name())
		return asOutput(err)
	}
	var files []string
	for _, name := range names {
		files = append(files, filepath.Base(name))
	}
	test := explain.GoTest{
		Package: pkg, Name: f.name, Log: strings.Join(files, ", "), Scenario: small.Scenario, Property: violation.Property, Text: small.Trace.Explanation,
	}
	source, err := test.Source()
	if err != nil {
		return err
	}
	return f.write(c, source, small.Trace, violation.Property.Name())
}

// file is that of the test.
func (f *incidentTestFlags) file() string {
	if f.name == "Test" {
		return filepath.Join(f.dir, "lockstep_test.go")
	}
	return filepath.Join(f.dir, strings.ToLower(strings.TrimPrefix(f.name, "Test"))+"_test.go")
}

// vacant reports that a file is there, or that none can be made.
func (f *incidentTestFlags) vacant(name string) error {
	if _, err := os.Stat(name); err == nil {
		return usage("%s is there already: give the test another name with --name, or remove it", name)
	}
	dir := filepath.Dir(name)
	for { // directories that are not there yet are made
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := takesFiles(dir); err != nil {
		return usage("%s cannot be written: %w", name, err).about("dir", f.dir)
	}
	return nil
}

// write writes the test and the trace.
func (f *incidentTestFlags) write(c *cobra.Command, source []byte, t *model.Trace, property string) error {
	file, trace := f.file(), filepath.Join(f.dir, checks.TraceFile(f.name, property))
	if err := f.vacant(trace); err != nil {
		return err
	}
	// The trace first: a test without it is not what was asked for.
	for _, one := range []struct {
		name  string
		write func(w io.Writer) error
	}{{trace, t.Write}, {file, func(w io.Writer) error { _, err := w.Write(source); return err }}} {
		if err := os.MkdirAll(filepath.Dir(one.name), 0o777); err != nil {
			return asOutput(err)
		}
		if err := writeFile(one.name, one.write); err != nil {
			return asOutput(err)
		}
	}
	width, _, _ := terminal(c.OutOrStdout())
	text := fmt.Sprintf("Wrote %s and %s. go test -run %s fails as long as %s can be violated so.", file, trace, f.name, property)
	_, err := fmt.Fprintln(c.OutOrStdout(), wrap(text, width))
	return asOutput(err)
}

// packageName is the name of the package that gets the test.
func (f *incidentTestFlags) packageName() (string, error) {
	name := f.pkg
	if name == "" {
		dir, err := filepath.Abs(f.dir)
		if err != nil {
			return "", usage("%w", err)
		}
		name = filepath.Base(dir)
	}
	if !token.IsIdentifier(name) {
		return "", usage("%q is no name of a package: add --package mylock", name)
	}
	return name, nil
}
