package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"syscall"

	"github.com/spf13/cobra"

	"lockstep/checks/analysis"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// The exit codes.
const (
	exitHolds = iota
	exitViolated
	exitUsage
	exitCutOff
	exitInternal
)

// protocols are those that the commands know; Main sets them before anything else.
var protocols = catalogue.All()

// Main runs the command line in os.Args over the given protocols, or over the catalogue if
// there are none, and ends the program. Names must differ and consist of what a word of a
// command line may have: lower-case letters, digits and hyphens, a letter first. Fields are
// flags, and cannot be called as a flag of the commands is.
func Main(own ...catalogue.Entry) {
	if len(own) > 0 {
		if err := valid(own); err != nil {
			fmt.Fprintln(os.Stderr, "lockstep:", err)
			os.Exit(exitInternal)
		}
		protocols = own
	}
	os.Exit(run())
}

var protocolName = regexp.MustCompile("^[a-z][a-z0-9-]*$")

func valid(own []catalogue.Entry) error {
	known := map[string]bool{"help": true, "merge": true, "plot": true, "show": true}
	taken := takenFlags()
	for _, e := range own {
		switch {
		case !protocolName.MatchString(e.Name):
			return fmt.Errorf("a protocol cannot be called %q: use lower-case letters, digits and hyphens, a letter first", e.Name)
		case known[e.Name]:
			return fmt.Errorf("two protocols are called %q, or a command is", e.Name)
		case e.New == nil:
			return fmt.Errorf("the protocol %q has no New", e.Name)
		}
		if p := reflect.ValueOf(e.New()); p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().Kind() != reflect.Struct {
			return fmt.Errorf("the protocol %q: New returns no pointer to a struct", e.Name)
		}
		if err := validParameters(e, taken); err != nil {
			return err
		}
		known[e.Name] = true
	}
	return nil
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second ^C ends the program at once.
	context.AfterFunc(ctx, stop)
	code := exitHolds
	if err := execute(ctx, newRoot(&code), os.Args[1:]); err != nil {
		var placed *placedError
		if !errors.As(err, &placed) { // a place comes first, where editors look for it
			fmt.Fprint(os.Stderr, "lockstep: ")
		}
		fmt.Fprintln(os.Stderr, err)
		return exitCode(err)
	}
	return code
}

// execute runs a command line, to which the protocol of a scenario file is added first.
func execute(ctx context.Context, root *cobra.Command, args []string) error {
	args, err := withProtocol(root, args)
	if err != nil {
		return err
	}
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// outputError is trouble with a file that results go to.
type outputError struct{ error }

func exitCode(err error) int {
	var protocol *scheduler.ProtocolError
	var scenario *scheduler.ScenarioError
	var usage *usageError
	var output *outputError
	var cutOff *analysis.CutOffError
	switch {
	case errors.As(err, &cutOff), errors.Is(err, errInterrupted):
		return exitCutOff
	case errors.As(err, &usage), errors.As(err, &scenario):
		return exitUsage
	case errors.As(err, &protocol), errors.As(err, &output):
		return exitInternal
	}
	return exitInternal
}
