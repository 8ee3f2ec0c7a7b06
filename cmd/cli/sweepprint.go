package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"lockstep/checks/sweep"
	"lockstep/model"
	"lockstep/scheduler"
)

// sweepWidth is how wide the table of a sweep is at most.
const sweepWidth = 80

// printSweep prints a table with a line for each point.
func printSweep(w io.Writer, s *sweep.Sweep) error {
	var b strings.Builder
	fmt.Fprintln(&b, wrap(sweepText(s), sweepWidth))
	if s.Partial {
		fmt.Fprintf(&b, "\n%s\n", wrap(fmt.Sprintf("PARTIAL: %d of %s are done. The same command goes on with the others.", len(s.Points), model.Count(s.Wanted, "point", "points")), sweepWidth))
	}
	if len(s.Points) > 0 {
		fmt.Fprintf(&b, "\n%s\n\n", wrap(sweepTable(s), 1<<10))
		for _, line := range sweepLegend(s) {
			fmt.Fprintln(&b, wrap(line, sweepWidth))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sweepText says what was swept.
func sweepText(s *sweep.Sweep) string {
	p := s.Plan
	text := fmt.Sprintf("%s: %s", p.Protocol, pointsText(s))
	if p.Design != sweep.Grid {
		text += fmt.Sprintf(", design %s with seed %d", p.Design, p.Seed)
	}
	for _, a := range p.Axes {
		if n := len(a.Values); n > 8 {
			text += fmt.Sprintf(", %s %s to %s (%d values)", a.Name, a.Values[0], a.Values[n-1], n)
			continue
		}
		text += ", " + a.Name + " " + strings.Join(a.Values, ", ")
	}
	if p.Check && len(p.Properties) > 0 {
		text += "; checked: " + strings.Join(p.Properties, ", ")
	}
	return text
}

// sweepTable is the table, with columns as narrow as they have to be for its width.
func sweepTable(s *sweep.Sweep) string {
	var table string
	for _, widths := range [][2]int{{16, 12}, {11, 12}, {7, 12}, {7, 7}} {
		table = sweepTableOf(s, widths[0], widths[1])
		if text.LongestLineLen(table) <= sweepWidth {
			break
		}
	}
	return table
}

// sweepTableOf is the table with so wide columns for what the check and the simulation say.
func sweepTableOf(s *sweep.Sweep, check, seen int) string {
	t := newTable()
	t.Style().Format.Header = text.FormatDefault
	header := table.Row{}
	var configs []table.ColumnConfig
	column := func(name string, right bool, width int) {
		header = append(header, name)
		c := table.ColumnConfig{Number: len(header)}
		if right {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		if width > 0 {
			c.WidthMax, c.WidthMaxEnforcer = width, text.WrapSoft
		}
		configs = append(configs, c)
	}
	for _, a := range s.Plan.Axes {
		column(a.Name, false, max(60/len(s.Plan.Axes)-8, 8))
	}
	if s.Plan.Check {
		column("check", false, check)
	}
	if s.Plan.Simulate {
		for _, name := range []string{"rebuilds", "p50", "p99", "max", "stale"} {
			column(name, true, 0)
		}
		column("seen", false, seen)
	}
	t.AppendHeader(header)
	for _, p := range s.Points {
		t.AppendRow(sweepRow(p))
	}
	t.SetColumnConfigs(configs)
	return t.Render()
}

func sweepRow(p *sweep.Point) table.Row {
	row := table.Row{}
	for _, v := range p.Values {
		row = append(row, v)
	}
	if p.Check != nil {
		row = append(row, checkedText(p.Check))
	}
	if s := p.Simulation; s != nil {
		rebuilds, _ := s.Measure(sweep.MostRebuilds)
		row = append(row, strconv.FormatFloat(rebuilds.Mean, 'f', 2, 64))
		for _, name := range []string{sweep.WaitP50, sweep.WaitP99, sweep.WaitMax} {
			cell := "-"
			if wait, ok := s.Measure(name); ok {
				cell = shortDuration(wait.Mean * float64(time.Second))
			}
			row = append(row, cell)
		}
		stale := "-"
		if sum, ok := s.Measure(sweep.StaleShare); ok {
			stale = fmt.Sprintf("%.0f %%", sum.Mean)
		}
		row = append(row, stale, seenText(s))
	}
	return row
}

// checkedText is what breaks, or that nothing does.
func checkedText(c *sweep.Checked) string {
	var parts []string
	doubt := false
	for _, v := range c.Verdicts {
		switch v.Verdict {
		case scheduler.Violated:
			parts = append(parts, shortName(v.Property))
		case scheduler.Inconclusive:
			doubt = true
		}
	}
	switch {
	case doubt:
		parts = append(parts, "?")
	case len(parts) == 0:
		return "holds"
	}
	return strings.Join(parts, " ")
}

// seenText is what was violated in runs of the simulation, and in how many percent of them.
func seenText(s *sweep.Simulated) string {
	var parts []string
	for _, v := range s.Violations {
		if v.Runs > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f%%", shortName(v.Property), 100*float64(v.Runs)/float64(s.Runs)))
		}
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, " ")
}

// shortName is what a property is called in a table.
func shortName(property string) string {
	if property == "rebuild-bound" {
		return shortBound
	}
	if short, ok := shortNames[property]; ok {
		return short
	}
	return property
}

// sweepLegend explains the table, as far as it needs that.
func sweepLegend(s *sweep.Sweep) []string {
	var lines []string
	if s.Plan.Check {
		lines = append(lines, "check: what some run within the bounds breaks, or that all properties hold; ? if a search was cut off or is inconclusive.")
	}
	if s.Plan.Simulate {
		over := model.Count(s.Points[0].Simulation.Runs, "run", "runs")
		if _, vary := s.Plan.Axis("runs"); vary {
			over = "all runs of a point"
		}
		lines = append(lines, fmt.Sprintf("In simulations, means over %s: rebuilds, the most for one expiry; p50, p99, max: waits of requests; stale: answers with a stale value. seen: what was violated, in how many percent of the runs.", over))
	}
	return append(lines, "mutex: mutual-exclusion; stale: no-stale-overwrite; release: no-foreign-release; orphan: no-orphaned-lock; stuck: answered; bound: rebuild-bound.")
}
