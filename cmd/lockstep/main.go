// Command lockstep checks protocols for distributed locks and cache rebuilds.
//
//	lockstep check lease --nodes 3 --pause 1x12s
//	lockstep list
//
// Results go to standard output, progress to standard error. The exit code is 0 if
// every property holds and the search was exhausted, 1 if one is violated, 2 for
// wrong usage or a wrong scenario, 3 if the search was cut off without a
// violation, 4 for protocol code that breaks a rule and for errors of Lockstep.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"lockstep/checks/analysis"
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

func main() { os.Exit(run()) }

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
	case errors.As(err, &cutOff):
		return exitCutOff
	case errors.As(err, &usage), errors.As(err, &scenario):
		return exitUsage
	case errors.As(err, &protocol), errors.As(err, &output):
		return exitInternal
	}
	return exitInternal
}
