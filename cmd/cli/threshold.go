package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/checks/analysis"
	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

func newThreshold() *cobra.Command {
	root := &cobra.Command{
		Use:   "threshold PROTOCOL --param PARAM --property PROPERTY [flags]",
		Short: "the exact value of a duration or count at which a property breaks",
		Long: `Threshold varies one flag or parameter, a duration or a count, and finds where the
verdict on a property changes: it checks values evenly spread over a range, and
narrows the first change down by bisection. Each check is exhaustive, so there is a
proof on one side of the border and a counterexample on the other. If the verdict
changes more than once on the values that were checked, it says so and lists them.

Of a range (latency, rebuild) the upper end varies, or the lower one with
--param latency.min. The exit code is 0 if there is an answer, whatever it is.`,
		Example: `  lockstep threshold lease --param pause --property mutual-exclusion
  lockstep threshold fixedttl --param ttl --property mutual-exclusion --resolution 1s
  lockstep threshold direct --param nodes --property rebuild-bound --rebuild-bound 3`,
		RunE: func(_ *cobra.Command, args []string) error { return wantsProtocol("threshold", args) },
	}
	for _, e := range protocols {
		root.AddCommand(newThresholdProtocol(e))
	}
	return root
}

// thresholdFlags are the flags of threshold that are not those of a search.
type thresholdFlags struct {
	*checkFlags
	param, property string
	from, to        string
	resolution      durationFlag
	flags           *pflag.FlagSet
}

func newThresholdProtocol(e catalogue.Entry) *cobra.Command {
	f := &thresholdFlags{checkFlags: newCheckFlags(e), resolution: durationFlag(time.Millisecond)}
	register := func(flags *pflag.FlagSet) {
		f.flags = flags
		flags.StringVar(&f.param, "param", "", "the flag or parameter that varies")
		flags.StringVar(&f.property, "property", "", "the property whose verdict changes")
		flags.Var(&f.resolution, "resolution", "the distance of two durations between which the border is")
		flags.StringVar(&f.from, "from", "", "the smallest value (default the resolution, or 1)")
		flags.StringVar(&f.to, "to", "", "the largest value (default twice the longest duration of the scenario, or twice the count and 2)")
		f.registerScenario(flags)
		f.registerLimits(flags)
		registerFile(flags, &f.trace, "trace", "", "", "write the counterexample to this file")
		flags.BoolVar(&f.json, "json", false, "print one JSON object")
	}
	return forProtocol(e, "threshold", f.checkFlags, register, f.run)
}

func (f *thresholdFlags) run(c *cobra.Command) error {
	q, err := f.quantity()
	if err != nil {
		return err
	}
	axis, err := f.axis(q)
	if err != nil {
		return err
	}
	if f.property == "" {
		return usage("threshold wants --property, for example --property mutual-exclusion")
	}
	property := func(s scheduler.Scenario) (model.Property, error) {
		selected, err := selectProperties([]string{f.property}, s)
		if err != nil {
			return nil, err
		}
		return selected[0], nil
	}
	done := f.showProgress(f.param)
	t, err := analysis.FindThreshold(c.Context(), axis, property, f.options)
	done()
	if err != nil {
		return err
	}
	if f.trace != "" && t.Breaks != nil {
		if err := writeTrace(f.trace, t.Breaks.Verdicts[0].Trace); err != nil {
			return &outputError{err}
		}
	}
	if f.json {
		err = f.printJSON(c.OutOrStdout(), q, t)
	} else {
		err = f.print(c.OutOrStdout(), q, t)
	}
	if err != nil {
		return &outputError{err}
	}
	return nil
}

// quantity is what varies: a flag, and of a range one end.
type quantity struct {
	name  string
	flag  *pflag.Flag
	count bool
	// text writes a value as the flag wants it.
	text func(value int64) string
}

// show writes a value for people.
func (q *quantity) show(value int64) string {
	if q.count {
		return strconv.FormatInt(value, 10)
	}
	return model.FormatDuration(time.Duration(value))
}

// parse reads what a person writes.
func (q *quantity) parse(text string) (int64, error) {
	if q.count {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%q is not a count", text)
		}
		return n, nil
	}
	d, err := model.ParseDuration(text)
	return int64(d), err
}

// notVaried are flags that are durations or counts and not part of the scenario.
var notVaried = map[string]bool{"resolution": true, "max-states": true, "max-time": true, "workers": true}

// quantity finds what --param names.
func (f *thresholdFlags) quantity() (*quantity, error) {
	name, end, _ := strings.Cut(f.param, ".")
	q := &quantity{name: f.param, flag: f.flags.Lookup(name)}
	if q.flag == nil || notVaried[name] || !q.understand(end) {
		var valid []string
		f.flags.VisitAll(func(flag *pflag.Flag) {
			if !notVaried[flag.Name] && (&quantity{flag: flag}).understand("") {
				valid = append(valid, flag.Name)
			}
		})
		if f.param == "" {
			return nil, usage("threshold wants --param, one of %s", strings.Join(valid, ", "))
		}
		return nil, usage("%q is not a duration or count of the scenario; the nearest are %s", f.param, strings.Join(protocol.Nearest(f.param, valid), ", ")).about("param", f.param)
	}
	return q, nil
}

// understand fills in how values of the flag are written, and reports whether it
// is a duration or a count.
func (q *quantity) understand(end string) bool {
	value := q.flag.Value
	duration := func(n int64) string { return model.FormatDuration(time.Duration(n)) }
	switch kind, isEnd := value.Type(), end == "" || end == "max" || end == "min"; {
	case kind == "range" && isEnd:
		now, err := model.ParseRange(value.String())
		if err != nil {
			return false
		}
		q.text = func(n int64) string { return withEnd(now, end, time.Duration(n)).String() }
	case kind == typeCountRange && isEnd:
		f := value.(*faultFlag)
		times, now := max(f.times, 1), f.took
		q.text = func(n int64) string { return fmt.Sprintf("%dx%s", times, withEnd(now, end, time.Duration(n))) }
	case end != "":
		return false
	case kind == "duration":
		q.text = duration
	case kind == typeCountLongest, kind == typeCountAmount:
		times := max(value.(*faultFlag).times, 1)
		q.text = func(n int64) string {
			if n == 0 {
				return "0"
			}
			return fmt.Sprintf("%dx%s", times, duration(n))
		}
	case kind == "int" || kind == typeCount:
		q.count = true
		q.text = func(n int64) string { return strconv.FormatInt(n, 10) }
	default:
		return false
	}
	return true
}

// withEnd returns the range with another end, the upper one unless end is min; the
// other end gives way.
func withEnd(r model.Range, end string, d time.Duration) model.Range {
	if end == "min" {
		return model.Range{Min: d, Max: max(r.Max, d)}
	}
	return model.Range{Min: min(r.Min, d), Max: d}
}

// axis is the range of values to look at.
func (f *thresholdFlags) axis(q *quantity) (analysis.Axis, error) {
	a := analysis.Axis{Resolution: int64(f.resolution), From: int64(f.resolution)}
	if a.Resolution <= 0 {
		return a, usage("the resolution must be positive").about("resolution", f.resolution.String())
	}
	s, err := f.world()
	if err != nil {
		return a, err
	}
	a.To = 2 * int64(s.LongestDuration()) / a.Resolution * a.Resolution
	if q.count {
		a.Resolution, a.From = 1, 1
		now, err := strconv.ParseInt(q.flag.Value.String(), 10, 32)
		if err != nil {
			return a, err
		}
		a.To = 2*now + 2
	}
	for _, end := range []struct {
		flag, text string
		to         *int64
	}{{"from", f.from, &a.From}, {"to", f.to, &a.To}} {
		if end.text == "" {
			continue
		}
		if *end.to, err = q.parse(end.text); err != nil {
			return a, usage("%w", err).about(end.flag, end.text)
		}
	}
	if a.From >= a.To {
		return a, usage("there is nothing between %s and %s; set --from and --to", q.show(a.From), q.show(a.To))
	}
	a.Scenario = func(value int64) (scheduler.Scenario, error) {
		if err := q.flag.Value.Set(q.text(value)); err != nil {
			return scheduler.Scenario{}, usage("%s %s: %w", q.name, q.show(value), err)
		}
		return f.world()
	}
	return a, nil
}

func (f *thresholdFlags) print(w io.Writer, q *quantity, t *analysis.Threshold) error {
	width, color, _ := terminal(w)
	var b strings.Builder
	var line string
	switch {
	case len(t.Changes) == 0:
		first, last := t.Probes[0], t.Probes[len(t.Probes)-1]
		verdict := "holds"
		if first.Breaks {
			verdict = "is violated"
		}
		line = fmt.Sprintf("%s %s at every %s that was checked, from %s to %s.", f.property, verdict, q.name, q.show(first.Value), q.show(last.Value))
	case t.Changes[0][0].Breaks:
		line = fmt.Sprintf("%s is violated at every %s up to %s; from %s on it holds.", f.property, q.name, q.show(t.Changes[0][0].Value), q.show(t.Changes[0][1].Value))
	default:
		line = fmt.Sprintf("%s holds for every %s up to %s; at %s it breaks.", f.property, q.name, q.show(t.Changes[0][0].Value), q.show(t.Changes[0][1].Value))
	}
	if r := t.Holds; r != nil {
		line = boundsText(r.Protocol, &r.Bounds) + "\n" + parametersText(r.Parameters) + "\n\n" + line
	}
	fmt.Fprintln(&b, wrap(line, width))
	if len(t.Changes) > 1 {
		fmt.Fprintln(&b, wrap(fmt.Sprintf("The verdict is not monotone: it changes %d times on the values that were checked, so there are more borders than this one.", len(t.Changes)), width))
	}
	if isParameter(q.flag) {
		fmt.Fprintln(&b, wrap("What is between two values that were checked is not known: more of a parameter need not be worse.", width))
	}
	fmt.Fprintln(&b, wrap("Checked: "+probes(q, t)+".", width))
	if t.Breaks != nil {
		v := &t.Breaks.Verdicts[0]
		fmt.Fprintf(&b, "\nAt %s: %s\n\n", q.show(brokenSide(t)), cost(v))
		if err := timeline.Write(&b, v.Trace, timeline.Options{Width: width, Color: color}); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func brokenSide(t *analysis.Threshold) int64 {
	if t.Changes[0][0].Breaks {
		return t.Changes[0][0].Value
	}
	return t.Changes[0][1].Value
}

// probes lists the values with their verdicts, runs of the same together.
func probes(q *quantity, t *analysis.Threshold) string {
	var parts []string
	for i := 0; i < len(t.Probes); {
		k := i
		for k < len(t.Probes) && t.Probes[k].Breaks == t.Probes[i].Breaks {
			k++
		}
		verdict := "holds at "
		if t.Probes[i].Breaks {
			verdict = "breaks at "
		}
		var values []string
		for _, p := range t.Probes[i:k] {
			values = append(values, q.show(p.Value))
		}
		parts = append(parts, verdict+strings.Join(values, ", "))
		i = k
	}
	return strings.Join(parts, "; ")
}

func (f *thresholdFlags) printJSON(w io.Writer, q *quantity, t *analysis.Threshold) error {
	type probe struct {
		Value  string `json:"value"`
		Breaks bool   `json:"breaks"`
	}
	out := struct {
		Protocol string       `json:"protocol"`
		Param    string       `json:"param"`
		Property string       `json:"property"`
		Monotone bool         `json:"monotone"`
		Holds    string       `json:"holds_at,omitempty"`
		Breaks   string       `json:"breaks_at,omitempty"`
		Probes   []probe      `json:"probes"`
		Trace    *model.Trace `json:"trace"`
	}{Protocol: f.scenario.Name, Param: q.name, Property: f.property, Monotone: len(t.Changes) <= 1}
	for _, p := range t.Probes {
		out.Probes = append(out.Probes, probe{q.show(p.Value), p.Breaks})
	}
	if len(t.Changes) > 0 {
		for _, side := range t.Changes[0] {
			if side.Breaks {
				out.Breaks = q.show(side.Value)
			} else {
				out.Holds = q.show(side.Value)
			}
		}
		out.Trace = t.Breaks.Verdicts[0].Trace
	}
	return encode(w, out)
}
