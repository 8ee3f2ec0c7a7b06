package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/checks/analysis"
	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

func newWorst() *cobra.Command {
	var help strings.Builder
	for _, m := range analysis.Metrics() {
		fmt.Fprintf(&help, "  %-20s %s\n", m.Name, m.Help)
	}
	root := &cobra.Command{
		Use:   "worst PROTOCOL --metric METRIC [flags]",
		Short: "how bad it can get: the maximum of a metric over every run",
		Long: `Worst finds the maximum of a metric over every run within the bounds: it proves that
nothing exceeds it and shows a shortest run that attains it. The metrics are

` + help.String() + `
The exit code is 0 if the maximum was found, whatever it is.`,
		Example: `  lockstep worst fixedttl --metric rebuilds
  lockstep worst lease --metric wait --pause 1x6s`,
		RunE: func(_ *cobra.Command, args []string) error { return wantsProtocol("worst", args) },
	}
	for _, e := range protocols {
		root.AddCommand(newWorstProtocol(e))
	}
	return root
}

func newWorstProtocol(e catalogue.Entry) *cobra.Command {
	f := newCheckFlags(e)
	metric := "rebuilds"
	register := func(flags *pflag.FlagSet) {
		flags.StringVar(&metric, "metric", metric, "what to maximise: "+strings.Join(metricNames(), ", "))
		f.registerScenario(flags)
		f.registerLimits(flags)
		registerFile(flags, &f.trace, "trace", "", "", "write the run that attains the maximum to this file")
		flags.BoolVar(&f.json, "json", false, "print one JSON object")
	}
	return forProtocol(e, "worst", f, register, func(c *cobra.Command) error {
		m, err := findMetric(metric)
		if err != nil {
			return err
		}
		s, err := f.world()
		if err != nil {
			return err
		}
		done := f.showProgress(metric)
		w, err := analysis.WorstCase(c.Context(), s, m, f.options)
		done()
		if err != nil {
			return err
		}
		if f.trace != "" && w.Trace != nil {
			if err := writeTrace(f.trace, w.Trace); err != nil {
				return &outputError{err}
			}
		}
		return printWorst(c.OutOrStdout(), s, w, f.json)
	})
}

func metricNames() []string {
	var names []string
	for _, m := range analysis.Metrics() {
		names = append(names, m.Name)
	}
	return names
}

func findMetric(name string) (analysis.Metric, error) {
	metrics := analysis.Metrics()
	i := slices.IndexFunc(metrics, func(m analysis.Metric) bool { return m.Name == name })
	if i < 0 {
		return analysis.Metric{}, unknown("metric", name, metricNames())
	}
	return metrics[i], nil
}

func printWorst(w io.Writer, s scheduler.Scenario, worst *analysis.Worst, asJSON bool) error {
	if asJSON {
		out := struct {
			Protocol   string                 `json:"protocol"`
			Parameters []model.ParameterValue `json:"parameters"`
			Bounds     model.Bounds           `json:"bounds"`
			Metric     string                 `json:"metric"`
			Count      *int                   `json:"count,omitempty"`
			Wait       *int64                 `json:"wait_ns,omitempty"`
			AtLeast    bool                   `json:"at_least"`
			Forever    bool                   `json:"forever,omitempty"`
			Claimed    int                    `json:"claimed,omitempty"`
			Trace      *model.Trace           `json:"trace"`
		}{
			Protocol: s.Name, Parameters: s.Parameters(), Bounds: worst.Bounds,
			Metric: worst.Metric, AtLeast: worst.AtLeast, Forever: worst.Forever, Trace: worst.Trace,
		}
		if worst.Metric == "wait" {
			wait := int64(worst.Wait)
			out.Wait = &wait
		} else {
			out.Count = &worst.Count
		}
		if worst.Metric == "rebuilds" {
			out.Claimed = s.RebuildBound
		}
		return encode(w, out)
	}
	width, color, _ := terminal(w)
	var b strings.Builder
	fmt.Fprintln(&b, wrap(boundsText(s.Name, &worst.Bounds), width))
	fmt.Fprintln(&b, wrap(parametersText(s.Parameters()), width))
	fmt.Fprintf(&b, "\n%s\n", wrap(worstText(s, worst), width))
	if worst.Trace != nil {
		fmt.Fprintln(&b)
		if err := timeline.Write(&b, worst.Trace, timeline.Options{Width: width, Color: color, Attains: worstValue(worst)}); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// worstValue is the maximum in words.
func worstValue(w *analysis.Worst) string {
	value := fmt.Sprintf("%d %s", w.Count, strings.ReplaceAll(w.Metric, "-", " "))
	switch {
	case w.Forever:
		return "a wait without end"
	case w.Metric == "wait":
		value = "a wait of " + model.FormatDuration(w.Wait)
	case w.Count == 1:
		value = strings.TrimSuffix(value, "s")
	}
	if w.AtLeast {
		return "at least " + value
	}
	return value
}

func worstText(s scheduler.Scenario, w *analysis.Worst) string {
	text := "Worst case: " + worstValue(w) + "."
	switch {
	case w.Forever:
		text += " After this run there is no way in which every request is answered."
	case w.AtLeast:
		text += " There is a run with as much, and none was found to be the last: the maximum is larger, or there is none."
	case w.Trace == nil:
		text += " Every run within these bounds was explored."
	default:
		text += " No run within these bounds has more; this one, among the shortest, has as much."
	}
	if w.Metric == "rebuilds" && s.RebuildBound > 0 {
		verdict := "confirmed"
		if w.Count > s.RebuildBound {
			verdict = "refuted"
		}
		text += fmt.Sprintf("\nThe protocol claims %d: %s.", s.RebuildBound, verdict)
	}
	return text
}
