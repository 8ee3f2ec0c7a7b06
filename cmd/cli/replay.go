package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/scheduler"
)

type replayFlags struct {
	to     int
	byStep bool
	json   bool
	on     string
	prefix string
	scale  float64
}

func newReplay(code *int) *cobra.Command {
	f := &replayFlags{}
	c := &cobra.Command{
		Use:   "replay TRACE",
		Short: "run a trace again and confirm its verdict",
		Long: `Replay runs a trace again, step for step in concrete time, on the protocol as it is now,
and says whether the last step still violates the property. Where the run departs from the
trace, since the code of the protocol has changed, it says at which step and how.

Exit codes: 1 the property is violated again; 0 the whole run is possible, and it is not;
3 the run departs from the trace, which says nothing of other runs, or it is not decided whether
there is a way out of where it ends; with --to or --step 0
unless it departs.

With --on the store commands of the trace are executed on a server, and each reply and each
key is compared with what the trace says: exit code 0 if the server does the same, 1 if not. What
no command does is carried over. The server must be empty, unless the keys get a prefix; only
keys of the trace are set, and they are removed at the end.`,
		Example: `  lockstep check lease --pause 1x12s --trace trace.json
  lockstep replay trace.json
  lockstep replay trace.json --to 9
  lockstep replay trace.json --step
  lockstep replay trace.json --on miniredis
  lockstep replay trace.json --on redis://127.0.0.1:6379 --prefix lockstep: --scale 0.1`,
		Args: wantsTrace,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0], code) },
	}
	c.Flags().SortFlags = false
	c.Flags().IntVar(&f.to, "to", 0, "run so many steps; 0 for all")
	c.Flags().BoolVar(&f.byStep, "step", false, "run a step each time that Enter is pressed; q ends")
	c.Flags().StringVar(&f.on, "on", "", "execute the store commands on miniredis, in this process, or on a server, as redis://127.0.0.1:6379")
	c.Flags().StringVar(&f.prefix, "prefix", "", "what stands before each key on the server")
	c.Flags().Float64Var(&f.scale, "scale", 1, "multiply all times on the server by this, more than 0 and at most 1")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

func (f *replayFlags) run(c *cobra.Command, file string, code *int) error {
	if f.on != "" {
		return f.confirm(c, file, code)
	}
	if f.prefix != "" || c.Flags().Changed("scale") {
		return usage("--prefix and --scale are for a server: add --on miniredis or --on redis://127.0.0.1:6379")
	}
	if f.to < 0 {
		return usage("--to %d: it must be 0 or more", f.to).about("to", fmt.Sprint(f.to))
	}
	if f.byStep && (f.json || file == "-") {
		return usage("--step asks at the terminal: it goes neither with --json nor with a trace from standard input")
	}
	k, err := load(c, file)
	if err != nil {
		return err
	}
	steps := len(k.trace.Steps)
	if f.to > 0 {
		steps = min(steps, f.to)
	}
	r, err := scheduler.Again(k.scenario, k.trace, k.property, steps)
	if err != nil {
		return err
	}
	whole := len(r.Trace.Steps) == len(k.trace.Steps)
	switch {
	case r.Departure != nil, r.Undecided != "":
		*code = exitCutOff
	case f.to == 0 && !f.byStep && r.Violated > 0:
		*code = exitViolated
	}
	out := c.OutOrStdout()
	switch {
	case f.json:
		return replayJSON(out, k, r)
	case f.byStep:
		return asOutput(oneByOne(out, c.InOrStdin(), k.trace, r))
	}
	return asOutput(printReplay(out, k.trace, r, whole))
}

// printReplay prints what was run, and what came of it.
func printReplay(w io.Writer, t *model.Trace, r *scheduler.Rerun, whole bool) error {
	width, color, _ := terminal(w)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", wrap(boundsText(r.Trace.Protocol, &r.Trace.Bounds), width), wrap(parametersText(r.Trace.Parameters), width))
	if len(r.Trace.Steps) > 0 {
		confirmed := whole && r.Departure == nil && r.Violated > 0
		if err := timeline.Write(&b, r.Trace, timeline.Options{Width: width, Color: color, Open: !confirmed}); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	for _, line := range verdictOf(t, r, whole) {
		fmt.Fprintln(&b, wrap(line, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdictOf says in words what came of a replay, a line each.
func verdictOf(t *model.Trace, r *scheduler.Rerun, whole bool) []string {
	var lines []string
	if n := len(r.Moved); n > 0 {
		lines = append(lines, fmt.Sprintf("The code has moved: %s of the trace at another line now, the first is step %d.", model.Count(n, "step is", "steps are"), r.Moved[0]))
	}
	switch {
	case r.Departure != nil:
		lines = append(lines, "The run departs from the trace at "+r.Departure.Error()+".",
			"Nothing is said of other runs: lockstep check "+t.Protocol+" explores them all.")
	case !whole:
		lines = append(lines, fmt.Sprintf("These are the first %d of %d steps.", len(r.Trace.Steps), len(t.Steps)))
	case r.Undecided != "":
		lines = append(lines, fmt.Sprintf("Replayed, and whether %s is violated is not known: %s.", t.Property, r.Undecided))
	case r.Violated == len(t.Steps):
		lines = append(lines, fmt.Sprintf("Replayed: %s is violated again, by the last of %s.", t.Property, model.Count(len(t.Steps), "step", "steps")))
	case r.Violated > 0:
		lines = append(lines, fmt.Sprintf("Replayed: %s is violated, by step %d already.", t.Property, r.Violated))
	default:
		lines = append(lines, fmt.Sprintf("Replayed, and %s is not violated any more in this run.", t.Property),
			"Nothing is said of other runs: lockstep check "+t.Protocol+" explores them all.")
	}
	return lines
}

// oneByOne prints a step each time that a line is read.
func oneByOne(w io.Writer, in io.Reader, t *model.Trace, r *scheduler.Rerun) error {
	width, color, _ := terminal(w)
	lines := bufio.NewScanner(in)
	steps := r.Trace.Steps
	for n := range steps {
		part := *r.Trace
		part.Steps, part.History = steps[:n+1], nil
		last := n+1 == len(t.Steps) && r.Violated > 0
		if last {
			part.History = r.Trace.History
		}
		if _, err := fmt.Fprintf(w, "step %d of %d\n\n", n+1, len(t.Steps)); err != nil {
			return err
		}
		if err := timeline.Write(w, &part, timeline.Options{Width: width, Color: color, Open: !last}); err != nil {
			return err
		}
		if n+1 < len(steps) {
			fmt.Fprint(w, "\nEnter: the next step; q: end ")
			if !lines.Scan() || strings.TrimSpace(lines.Text()) == "q" {
				_, err := fmt.Fprintln(w)
				return err
			}
		}
		fmt.Fprintln(w)
	}
	for _, line := range verdictOf(t, r, len(steps) == len(t.Steps)) {
		fmt.Fprintln(w, wrap(line, width))
	}
	return lines.Err()
}

// replayJSON prints a rerun as one object.
func replayJSON(w io.Writer, k *kept, r *scheduler.Rerun) error {
	out := struct {
		Protocol  string            `json:"protocol"`
		Property  string            `json:"property"`
		Steps     int               `json:"steps"`
		Violated  int               `json:"violated_at"`
		Departure *departure        `json:"departure,omitempty"`
		Moved     []int             `json:"moved,omitempty"`
		Run       []model.TraceStep `json:"run"`
	}{k.trace.Protocol, k.trace.Property, len(k.trace.Steps), r.Violated, departureOf(r.Departure), r.Moved, r.Trace.Steps}
	return asOutput(encode(w, out))
}

type departure struct {
	Step int    `json:"step"`
	Time int64  `json:"time_ns"`
	Want string `json:"expected"`
	Got  string `json:"got"`
}

func departureOf(d *scheduler.Departure) *departure {
	if d == nil {
		return nil
	}
	return &departure{d.Step, int64(d.Time), d.Want, d.Got}
}

// asOutput makes an error of writing one of the output.
func asOutput(err error) error {
	if err == nil {
		return nil
	}
	return &outputError{err}
}
