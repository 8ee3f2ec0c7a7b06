package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"lockstep/model"
	"lockstep/scheduler"
)

// measure is a row of the table of a simulation.
type measure struct {
	name string
	of   func(*scheduler.RunResult) float64
	// duration: it is one, in nanoseconds. optional: it is shown only if it is ever more
	// than 0.
	duration, optional bool
}

// measures are what is measured of each run.
func measures() []measure {
	wait := func(name string, of func(scheduler.Waits) time.Duration) measure {
		return measure{name: "wait, " + name, duration: true, of: scheduler.OfAnswers(func(r *scheduler.RunResult) float64 { return float64(of(r.Waits)) })}
	}
	count := func(name string, optional bool, of func(*scheduler.RunResult) int) measure {
		return measure{name: name, optional: optional, of: func(r *scheduler.RunResult) float64 { return float64(of(r)) }}
	}
	return []measure{
		count("expiries", false, func(r *scheduler.RunResult) int { return len(r.RebuildsPerExpiry) }),
		count("rebuilds", false, func(r *scheduler.RunResult) int { return r.Rebuilds }),
		{name: "rebuilds per expiry", of: func(r *scheduler.RunResult) float64 { return float64(r.Rebuilds) / float64(len(r.RebuildsPerExpiry)) }},
		count("most for one expiry", false, (*scheduler.RunResult).MostRebuilds),
		count("concurrent rebuilds", false, func(r *scheduler.RunResult) int { return r.ConcurrentRebuilds }),
		{name: "store commands", of: func(r *scheduler.RunResult) float64 { return float64(r.Commands) }},
		wait("p50", func(w scheduler.Waits) time.Duration { return w.P50 }),
		wait("p99", func(w scheduler.Waits) time.Duration { return w.P99 }),
		wait("p99.9", func(w scheduler.Waits) time.Duration { return w.P999 }),
		wait("max", func(w scheduler.Waits) time.Duration { return w.Max }),
		count("fresh answers", false, func(r *scheduler.RunResult) int { return r.Answers.Fresh }),
		count("of these outdated", true, func(r *scheduler.RunResult) int { return r.Outdated }),
		count("stale answers", false, func(r *scheduler.RunResult) int { return r.Answers.Stale }),
		count("default answers", true, func(r *scheduler.RunResult) int { return r.Answers.Default }),
		count("empty answers", false, func(r *scheduler.RunResult) int { return r.Answers.Empty }),
		count("failed answers", true, func(r *scheduler.RunResult) int { return r.Answers.Failed }),
		count("lost in crashes", true, func(r *scheduler.RunResult) int { return r.Lost }),
		count("unanswered", true, func(r *scheduler.RunResult) int { return r.Unanswered }),
		count("not arrived yet", true, func(r *scheduler.RunResult) int { return r.NotArrived }),
	}
}

// strikes are how often each fault strikes.
func strikes(s *scheduler.Simulation) (all []measure) {
	for i, f := range s.Faults {
		if _, drifts := f.Fault.(model.Drifting); drifts {
			continue
		}
		all = append(all, measure{
			name: f.Fault.Name() + " strikes", of: func(r *scheduler.RunResult) float64 { return float64(r.Strikes[i]) },
		})
	}
	return all
}

// number prints a measurement.
func (m *measure) number(v float64) string {
	if m.duration {
		return shortDuration(v)
	}
	if v == math.Trunc(v) || v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// shortDuration prints a duration in nanoseconds with four digits or so.
func shortDuration(ns float64) string {
	d := time.Duration(math.Round(ns))
	for unit := time.Second; unit > 1; unit /= 10 {
		if d >= 10*unit {
			return model.FormatDuration(d.Round(unit / 100))
		}
	}
	return model.FormatDuration(d)
}

// simulationText says what was simulated, but not which protocol.
func simulationText(s *scheduler.Simulation, runs int) string {
	parts := []string{model.Count(s.Nodes, "node", "nodes"), fmt.Sprintf("%s each", model.Count(s.Requests, "request", "requests"))}
	if strings.HasPrefix(s.Arrivals.String(), "file:") {
		parts = parts[:1]
	}
	parts = append(parts, "arrivals "+s.Arrivals.String())
	if s.Updates > 0 {
		updates := model.Count(s.Updates, "update", "updates")
		if s.Invalidate {
			updates += " with invalidation"
		}
		parts = append(parts, updates+" within "+model.FormatDuration(s.UpdateWithin))
	}
	parts = append(parts, "latency "+(&latencyFlag{s}).String(), "reply "+s.Reply.String())
	if s.Rebuild != nil {
		parts = append(parts, "rebuild time "+s.Rebuild.String())
	}
	if s.ValueTTL > 0 {
		parts = append(parts, "values live "+model.FormatDuration(s.ValueTTL))
	}
	if len(s.Faults) == 0 {
		parts = append(parts, "no faults")
	}
	for _, f := range s.Faults {
		parts = append(parts, simulatedFaultText(f))
	}
	last := s.Seed + uint64(max(runs-1, 0))
	seeds := fmt.Sprintf("%s, seed %d", model.Count(runs, "run", "runs"), s.Seed)
	if last != s.Seed {
		seeds = fmt.Sprintf("%d runs, seeds %d to %d", runs, s.Seed, last)
	}
	return strings.Join(append(parts, seeds), ", ")
}

func printSimulated(w io.Writer, s scheduler.Simulation, r *scheduler.Simulated) error {
	width, color, _ := terminal(w)
	var b strings.Builder
	fmt.Fprintln(&b, wrap(s.Name+": "+simulationText(&s, len(r.Runs)), min(width, 80)))
	fmt.Fprintln(&b, wrap(parametersText(r.Parameters), min(width, 80)))
	if r.Partial {
		fmt.Fprintf(&b, "\n%s\n", wrap(partialText(r), min(width, 80)))
	}
	if len(r.Runs) > 0 {
		fmt.Fprintf(&b, "\n%s\n\n", measuresTable(&s, r))
		for _, p := range r.Violations {
			fmt.Fprintln(&b, wrap(violationText(p, r, color), min(width, 80)))
		}
		if len(r.Runs) > 1 && len(r.Violations) > 0 {
			fmt.Fprintf(&b, "%s\n", wrap("In brackets: the 95 % confidence interval of the share of runs that violate it.", min(width, 80)))
		}
		if r.Worst != nil && len(r.Runs) > 1 {
			fmt.Fprintf(&b, "\n%s\n", wrap(worstRunText(r), min(width, 80)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// partialText says how far a simulation came that was stopped.
func partialText(r *scheduler.Simulated) string {
	if len(r.Runs) > 0 && r.Runs[0].Stopped {
		run := r.Runs[0]
		return fmt.Sprintf("PARTIAL: stopped in the first run, of which %s are simulated, %d of %s answered.",
			shortDuration(float64(run.Lasted)), run.Answered, model.Count(run.Requests, "request", "requests"))
	}
	return fmt.Sprintf("PARTIAL: stopped after %d of %s.", len(r.Runs), model.Count(r.Wanted, "run", "runs"))
}

// measuresTable shows the measures over all runs, of one run its values alone.
func measuresTable(s *scheduler.Simulation, r *scheduler.Simulated) string {
	t := newTable()
	t.Style().Format.Header = text.FormatDefault
	single := len(r.Runs) == 1
	header := table.Row{"in a run", "mean", "95 %", "least", "median", "most"}
	if single {
		header = table.Row{"in the run", ""}
	}
	t.AppendHeader(header)
	for _, m := range append(measures(), strikes(s)...) {
		sum, ok := r.Summarize(m.of)
		switch {
		case !ok && single:
			t.AppendRow(table.Row{m.name, "-"})
		case !ok:
			t.AppendRow(table.Row{m.name, "-", "", "-", "-", "-"})
		case m.optional && sum.Most == 0:
		case single:
			t.AppendRow(table.Row{m.name, m.number(sum.Most)})
		default:
			t.AppendRow(table.Row{m.name, m.number(sum.Mean), "± " + m.number(sum.Margin), m.number(sum.Least), m.number(sum.Median), m.number(sum.Most)})
		}
	}
	var configs []table.ColumnConfig
	for i := range header[1:] {
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	return wrap(t.Render(), 1<<10)
}

// violationText says in how many runs a property was violated.
func violationText(p scheduler.PropertyCount, r *scheduler.Simulated, color bool) string {
	name := p.Property
	if name == "rebuild-bound" {
		name += fmt.Sprintf(" (%d)", r.RebuildBound)
	}
	if p.Runs == 0 {
		text := name + " was not violated in " + model.Count(len(r.Runs), "run", "runs")
		if len(r.Runs) > 1 {
			text += " " + intervalText(p)
		}
		return text
	}
	verdict := "violated"
	if color {
		verdict = text.Colors{text.FgRed}.Sprint(verdict)
	}
	if len(r.Runs) == 1 {
		return name + " was " + verdict
	}
	return fmt.Sprintf("%s was %s in %d of %d runs %s, first with seed %d", name, verdict, p.Runs, len(r.Runs), intervalText(p), p.Seed)
}

// intervalText is the confidence interval of the share of runs that violate a property, in
// percent.
func intervalText(p scheduler.PropertyCount) string {
	percent := func(share float64) string {
		digits := 0
		if share > 0 && share < 0.1 || share > 0.99 && share < 1 {
			digits = 1
		}
		return strconv.FormatFloat(100*share, 'f', digits, 64)
	}
	return fmt.Sprintf("(%s..%s %%)", percent(p.Low), percent(p.High))
}

// worstRunText describes the run that went worst.
func worstRunText(r *scheduler.Simulated) string {
	worst := r.Worst
	wait := "nobody answered"
	if worst.Answered > 0 {
		wait = "a wait of " + shortDuration(float64(worst.Waits.Max))
	}
	text := fmt.Sprintf("The worst run has seed %d: %s for one expiry, %s", worst.Seed, model.Count(worst.MostRebuilds(), "rebuild", "rebuilds"), wait)
	for _, v := range worst.Violations {
		text += fmt.Sprintf("; %s violated at %s", v.Property, shortDuration(float64(v.At)))
	}
	return text + fmt.Sprintf(". Run it alone with --seed %d --runs 1.", worst.Seed)
}
