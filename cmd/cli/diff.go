package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/protocol"
	"lockstep/scheduler"
)

type diffFlags struct {
	against string
	params  []string
	json    bool
}

func newDiff(code *int) *cobra.Command {
	f := &diffFlags{}
	c := &cobra.Command{
		Use:   "diff TRACE --against PROTOCOL",
		Short: "what another protocol, or other parameters, do under the schedule and the faults of a trace",
		Long: `Diff runs another protocol, or the same with other parameters, under the schedule and the
faults of a trace, and shows both runs side by side, the first step at which they part, and
whether the property is violated in the other one, too. This is how one sees what a fix does.

Parameters that both protocols have keep their values, unless --param gives another one. What
is due earlier than in the trace comes by itself; what cannot happen is left out.

Exit codes: 1 the property is violated in the other run, too; 0 it is not, which says nothing
of its other runs; 3 it is not decided whether there is a way out of where it ends.`,
		Example: `  lockstep check lease --pause 1x12s --property no-stale-overwrite --trace trace.json
  lockstep diff trace.json --against fenced
  lockstep diff trace.json --param ttl=30s`,
		Args: wantsTrace,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0], code) },
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.against, "against", "", "the other protocol (default that of the trace)")
	c.Flags().StringArrayVar(&f.params, "param", nil, "a parameter of the other run, as ttl=5s; may be repeated")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

func (f *diffFlags) run(c *cobra.Command, file string, code *int) error {
	if f.against == "" && len(f.params) == 0 {
		return usage("diff wants another protocol or other parameters: add --against PROTOCOL or --param ttl=5s")
	}
	k, err := load(c, file)
	if err != nil {
		return err
	}
	left, err := scheduler.Again(k.scenario, k.trace, k.property, -1)
	if err != nil {
		return err
	}
	if left.Departure != nil {
		return usage("%s does not replay any more: %w; lockstep check writes it anew", file, left.Departure)
	}
	other, err := f.other(k)
	if err != nil {
		return err
	}
	right, err := scheduler.Follow(other, k.trace, k.property)
	if err != nil {
		return err
	}
	switch {
	case right.Violated > 0:
		*code = exitViolated
	case right.Undecided != "":
		*code = exitCutOff
	}
	if f.json {
		return diffJSON(c.OutOrStdout(), left, right)
	}
	return asOutput(printDiff(c.OutOrStdout(), left, right))
}

// other returns the scenario of the other run.
func (f *diffFlags) other(k *kept) (scheduler.Scenario, error) {
	s := k.scenario
	if f.against == "" {
		f.against = k.trace.Protocol
	}
	p, err := newProtocol(f.against)
	if err != nil {
		return s, err
	}
	given, err := protocol.WithDefaults(p)
	if err != nil {
		return s, err
	}
	p = given.(protocol.Protocol)
	has := protocol.ParameterValues(p)
	for _, v := range k.trace.Parameters {
		if slices.ContainsFunc(has, func(w model.ParameterValue) bool { return w.Name == v.Name }) {
			// A parameter of the same name may take other values here.
			_ = protocol.SetParameter(p, v.Name, v.Value)
		}
	}
	for _, setting := range f.params {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return s, usage("--param %s is no parameter and its value; write it as ttl=5s", setting).about("param", setting)
		}
		if err := protocol.SetParameter(p, name, value); err != nil {
			return s, usage("--param %s: %w", setting, err).about("param", setting)
		}
	}
	s.Protocol, s.Name = p, f.against
	return s.Check()
}

// names tells the two runs apart.
func names(left, right *model.Trace) (string, string) {
	if left.Protocol != right.Protocol {
		return left.Protocol, right.Protocol
	}
	var a, b []string
	for i, v := range left.Parameters {
		if w := right.Parameters[i]; v.Value != w.Value {
			a, b = append(a, v.Name+" "+v.Value), append(b, w.Name+" "+w.Value)
		}
	}
	if len(a) == 0 {
		return left.Protocol, right.Protocol
	}
	return strings.Join(a, ", "), strings.Join(b, ", ")
}

func printDiff(w io.Writer, left, right *scheduler.Rerun) error {
	width, color, _ := terminal(w)
	var b strings.Builder
	a, c := names(left.Trace, right.Trace)
	fmt.Fprintln(&b, wrap(boundsText(left.Trace.Protocol, &left.Trace.Bounds), width))
	for _, t := range []*model.Trace{left.Trace, right.Trace} {
		fmt.Fprintln(&b, wrap(t.Protocol+": "+strings.TrimPrefix(parametersText(t.Parameters), "parameters: "), width))
	}
	fmt.Fprintln(&b)
	err := timeline.Compare(&b, timeline.Side{Name: a, Trace: left.Trace}, timeline.Side{Name: c, Trace: right.Trace}, right.Of, timeline.Options{Width: width, Color: color})
	if err != nil {
		return err
	}
	fmt.Fprintln(&b)
	for _, line := range diffWords(left, right) {
		fmt.Fprintln(&b, wrap(line, width))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// diffWords says where the runs part and what comes of each, a line each.
func diffWords(left, right *scheduler.Rerun) []string {
	property := left.Trace.Property
	var lines []string
	first, parting := right.Departure, right.Parting
	if first != nil && first != parting {
		lines = append(lines, fmt.Sprintf("The first difference is at step %d, at %s: %s on the left; on the right %s.", first.Step, model.FormatDuration(first.Time), first.Want, first.Got))
	}
	if parting == nil {
		matters := "does not matter in this run"
		if (left.Violated > 0) != (right.Violated > 0) {
			matters = "matters only for the verdict"
		}
		lines = append(lines, "The runs do not part: what is different "+matters+".")
	} else {
		lines = append(lines, fmt.Sprintf("They part at step %d, at %s: %s on the left; on the right %s.", parting.Step, model.FormatDuration(parting.Time), parting.Want, parting.Got))
	}
	if left.Trace.Explanation != "" {
		lines = append(lines, fmt.Sprintf("On the left %s is violated: %s.", property, left.Trace.Explanation))
	}
	if right.Violated > 0 {
		return append(lines, fmt.Sprintf("On the right it is violated, too: %s.", right.Trace.Explanation))
	}
	if right.Undecided != "" {
		return append(lines, "On the right it is not known: "+right.Undecided+".")
	}
	return append(lines, fmt.Sprintf("On the right it is not violated. Nothing is said of other runs: lockstep check %s explores them all.", right.Trace.Protocol))
}

func diffJSON(w io.Writer, left, right *scheduler.Rerun) error {
	type side struct {
		Protocol    string                 `json:"protocol"`
		Parameters  []model.ParameterValue `json:"parameters"`
		Violated    int                    `json:"violated_at"`
		Explanation string                 `json:"explanation,omitempty"`
		Steps       []model.TraceStep      `json:"steps"`
	}
	of := func(r *scheduler.Rerun) side {
		return side{r.Trace.Protocol, r.Trace.Parameters, r.Violated, r.Trace.Explanation, r.Trace.Steps}
	}
	out := struct {
		Property  string     `json:"property"`
		Departure *departure `json:"departure,omitempty"`
		Parting   *departure `json:"parting,omitempty"`
		Left      side       `json:"left"`
		Right     side       `json:"right"`
		// Of has for each step on the right that on the left, from 1, 0 for none.
		Of []int `json:"right_of_left"`
	}{left.Trace.Property, departureOf(right.Departure), departureOf(right.Parting), of(left), of(right), right.Of}
	return asOutput(encode(w, out))
}
