package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"

	"lockstep/checks/confirm"
	"lockstep/model"
)

// confirm executes the store commands of a trace on a server.
func (f *replayFlags) confirm(c *cobra.Command, file string, code *int) error {
	if f.to > 0 || f.byStep {
		return usage("--on executes the whole trace: it goes neither with --to nor with --step")
	}
	if f.scale <= 0 || f.scale > 1 {
		return usage("--scale %g: it must be more than 0 and at most 1", f.scale).about("scale", fmt.Sprint(f.scale))
	}
	t, err := readTrace(c, file)
	if err != nil {
		return err
	}
	var s confirm.Server
	if f.on == "miniredis" {
		s, err = confirm.Mini()
	} else {
		redis.SetLogger(silent{}) // the error says it
		s, err = confirm.Dial(c.Context(), f.on)
	}
	if err != nil {
		return usage("--on: %w", err).about("on", f.on)
	}
	defer s.Close()
	r, err := confirm.Run(c.Context(), s, t, confirm.Options{Prefix: f.prefix, Scale: f.scale})
	if errors.Is(err, confirm.ErrNotEmpty) {
		return usage("--on %s: %w with --prefix lockstep:", f.on, err)
	}
	if err != nil {
		return &outputError{err}
	}
	if r.Difference != nil {
		*code = exitViolated
	}
	out := c.OutOrStdout()
	if f.json {
		return asOutput(encode(out, r))
	}
	carried := ""
	if r.Carried > 0 {
		carried = fmt.Sprintf("; %s carried over, since no command does that", model.Count(r.Carried, "step was", "steps were"))
	}
	if r.Passed > 0 {
		carried += fmt.Sprintf("; %s not be compared", model.Count(r.Passed, "reply could", "replies could"))
	}
	if d := r.Difference; d != nil {
		_, err = fmt.Fprintf(out, "The server differs at step %d, %s\n%s: the trace has %s, the server %s\n", d.Step, d.Text, d.Of, d.Want, d.Got)
		return asOutput(err)
	}
	_, err = fmt.Fprintf(out, "Confirmed: %s of the server as in the trace%s.\n", model.Count(r.Compared, "reply", "replies"), carried)
	return asOutput(err)
}

// silent is a log that nobody reads.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
