package cli

import (
	"context"
	"testing"

	"github.com/spf13/cobra"

	"lockstep/protocol/casebook"
)

// A case that ^C cuts off is no internal error.
func TestAnInterruptedCaseIsCutOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &cobra.Command{}
	c.SetContext(ctx)
	one, ok := casebook.Find("L-03")
	if !ok {
		t.Fatal("there is no such case")
	}
	if _, err := verifyCase(c, &one, &one.Checks[0]); err == nil || exitCode(err) != exitCutOff {
		t.Errorf("%v", err)
	}
}
