package cli

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// readTrace reads a trace from a file, from standard input if it is called "-".
func readTrace(c *cobra.Command, file string) (*model.Trace, error) {
	from, name := c.InOrStdin(), "standard input"
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer f.Close()
		from, name = f, file
	}
	t, err := model.ReadTrace(from)
	var wrong *model.TraceError
	if errors.As(err, &wrong) {
		place, what := fmt.Sprintf("%s:%d:%d", name, wrong.Line, wrong.Column), wrong.Err
		if wrong.Path != "" {
			what = fmt.Errorf("%s: %w", wrong.Path, wrong.Err)
		}
		return nil, &placedError{place, usage("%w", what)}
	}
	if err != nil {
		return nil, usage("%s: %w", name, err)
	}
	return t, nil
}

// kept is a trace with what is needed to run it again.
type kept struct {
	trace    *model.Trace
	scenario scheduler.Scenario
	property model.Property
}

// load reads a trace and finds its protocol and its property.
func load(c *cobra.Command, file string) (*kept, error) {
	t, err := readTrace(c, file)
	if err != nil {
		return nil, err
	}
	k := &kept{trace: t}
	if k.scenario, err = checks.ScenarioOf(t, newProtocol); err != nil {
		var unknown *usageError
		if errors.As(err, &unknown) {
			return nil, usage("%s: %w; a protocol of one's own is replayed by a command of its own, as lockstep init writes it", file, err)
		}
		return nil, usage("%s: %w", file, err)
	}
	if k.property, err = checks.Named(t.Property, t.Argument); err != nil {
		return nil, usage("%s: %w; a property that is defined in a test is replayed by that test", file, err)
	}
	return k, nil
}

// newProtocol returns a variant of the protocol of the name, or whose Go type has that.
func newProtocol(name string) (protocol.Protocol, error) {
	for _, e := range protocols {
		p := e.New()
		if e.Name == name || reflect.TypeOf(p).Elem().Name() == name {
			return p, nil
		}
	}
	_, err := findProtocol(name)
	return nil, err
}

// wantsTrace is the error of a command that takes one trace.
func wantsTrace(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usage("%s wants the file of a trace; lockstep check --trace FILE writes one, and - stands for standard input", c.Name())
	case len(args) > 1:
		return usage("%s takes one trace; %q is too much", c.Name(), args[1])
	}
	return nil
}

// runCode runs a trace on the code of its protocol, if this command has that: where its files are
// is known from then on (see [protocol.PathOf]). Whether the run is still possible does not matter.
// What is built into this command need not be run for that.
func runCode(t *model.Trace) {
	if !slices.ContainsFunc(t.Steps, func(s model.TraceStep) bool {
		if s.Source == nil {
			return false
		}
		_, ok := builtIn(s.Source.File)
		return !ok
	}) {
		return
	}
	s, err := checks.ScenarioOf(t, newProtocol)
	if err != nil {
		return
	}
	p, err := checks.Named(t.Property, t.Argument)
	if err != nil {
		p = checks.MutualExclusion() // that of a test is not at hand, and any other will do
	}
	_, _ = scheduler.Again(s, t, p, -1)
}
