package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"lockstep/model"
	"lockstep/scheduler"
)

// simulatedRow is a protocol as a row of the table of all.
type simulatedRow struct {
	simulation scheduler.Simulation
	result     *scheduler.Simulated
}

// shortBound is what the rebuild bound is called in the table.
const shortBound = "bound"

func printAllSimulated(w io.Writer, rows []simulatedRow) error {
	wide, _, _ := terminal(w)
	width := min(wide, 80)
	var b strings.Builder
	first := &rows[0].simulation
	fmt.Fprintln(&b, wrap(simulationText(first, first.Runs), width))
	table := allTable(rows, 2, 12)
	if !fits(strings.Split(table, "\n"), wide) {
		table = allTable(rows, 1, len("violated"))
	}
	fmt.Fprintf(&b, "\n%s\n\n", table)
	for _, line := range allLegend(rows) {
		fmt.Fprintln(&b, wrap(line, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// allTable is the table of all, with so many blanks between its columns and so much room for
// what is violated.
func allTable(rows []simulatedRow, blanks, room int) string {
	t := newTable()
	t.Style().Format.Header = text.FormatDefault
	t.Style().Box.PaddingRight = strings.Repeat(" ", blanks)
	t.AppendHeader(table.Row{"protocol", "rebuilds", "claim", "commands", "p50", "p99", "max", "stale", "violated"})
	for _, row := range rows {
		t.AppendRow(row.cells())
	}
	configs := []table.ColumnConfig{{Number: 9, WidthMax: room, WidthMaxEnforcer: text.WrapSoft}}
	for n := 2; n <= 8; n++ {
		configs = append(configs, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	return wrap(t.Render(), 1<<10)
}

// cells are the medians over all runs.
func (row *simulatedRow) cells() table.Row {
	r := row.result
	cells := table.Row{row.simulation.Name}
	of := map[string]string{}
	for _, m := range measures() {
		if sum, ok := r.Summarize(m.of); ok {
			of[m.name] = m.number(sum.Median)
		} else {
			of[m.name] = "-"
		}
	}
	stale := "-"
	if sum, ok := r.Summarize(scheduler.OfAnswers(func(r *scheduler.RunResult) float64 {
		return 100 * float64(r.Answers.Stale) / float64(r.Answered)
	})); ok {
		stale = fmt.Sprintf("%.0f %%", sum.Median)
	}
	var violated []string
	for _, p := range r.Violations {
		if p.Runs > 0 {
			short, ok := shortNames[p.Property]
			if !ok {
				short = shortBound
			}
			violated = append(violated, short)
		}
	}
	if r.Partial {
		violated = append(violated, "?")
	}
	if len(violated) == 0 {
		violated = []string{"-"}
	}
	rebuilds := of["most for one expiry"]
	return append(cells, rebuilds, claimText(r.RebuildBound), of["store commands"], of["wait, p50"], of["wait, p99"], of["wait, max"], stale, strings.Join(violated, " "))
}

// allLegend explains the table.
func allLegend(rows []simulatedRow) []string {
	lines := []string{"Medians over all runs. rebuilds: the most for one expiry; claim: how many the protocol claims, - for none; p50, p99 and max: waits of requests; violated, in any run: mutex (mutual-exclusion), stale (no-stale-overwrite), release (no-foreign-release), orphan (no-orphaned-lock), bound (rebuild-bound)."}
	for _, row := range rows {
		r := row.result
		for _, p := range r.Violations {
			if p.Property == "rebuild-bound" && p.Runs > 0 {
				lines = append(lines, fmt.Sprintf("%s started up to %s for one expiry where it claims %d, in %d of %s: lockstep check %s --property rebuild-bound shows how.",
					row.simulation.Name, model.Count(mostRebuilds(r), "rebuild", "rebuilds"), r.RebuildBound, p.Runs, model.Count(len(r.Runs), "run", "runs"), row.simulation.Name))
			}
		}
		if r.Partial {
			lines = append(lines, row.simulation.Name+" "+partialText(r))
		}
	}
	return lines
}

func mostRebuilds(r *scheduler.Simulated) int {
	most := 0
	for _, run := range r.Runs {
		most = max(most, run.MostRebuilds())
	}
	return most
}

// simulationJSON says what was simulated.
type simulationJSON struct {
	Nodes        int            `json:"nodes"`
	Requests     int            `json:"requests"`
	Arrivals     string         `json:"arrivals"`
	Updates      int            `json:"updates"`
	UpdateWithin int64          `json:"update_within_ns"`
	Invalidate   bool           `json:"invalidate"`
	Latency      string         `json:"latency"`
	Reply        string         `json:"reply"`
	Rebuild      string         `json:"rebuild_time,omitempty"`
	ValueTTL     int64          `json:"value_ttl_ns"`
	Duration     int64          `json:"duration_ns"`
	Faults       []nodeFaultRow `json:"faults"`
	Seed         uint64         `json:"seed"`
}

type nodeFaultRow struct {
	Name  string `json:"name"`
	Every int64  `json:"every_ns"`
	Lasts string `json:"lasts,omitempty"`
}

// measureJSON is a measure over all runs.
type measureJSON struct {
	Name string `json:"name"`
	// Unit is ns for a duration.
	Unit string `json:"unit,omitempty"`
	scheduler.Summary
}

type simulatedJSON struct {
	Simulation simulationJSON `json:"simulation"`
	*scheduler.Simulated
	Measures []measureJSON `json:"measures"`
}

func newSimulatedJSON(s *scheduler.Simulation, r *scheduler.Simulated) simulatedJSON {
	out := simulatedJSON{Simulated: r, Measures: []measureJSON{}, Simulation: simulationJSON{
		Nodes: s.Nodes, Requests: s.Requests, Arrivals: s.Arrivals.String(), Updates: s.Updates, UpdateWithin: int64(s.UpdateWithin),
		Invalidate: s.Invalidate, Latency: (&latencyFlag{s}).String(), Reply: s.Reply.String(), ValueTTL: int64(s.ValueTTL),
		Duration: int64(s.Duration), Faults: []nodeFaultRow{}, Seed: s.Seed,
	}}
	if s.Rebuild != nil {
		out.Simulation.Rebuild = s.Rebuild.String()
	}
	for _, f := range s.Faults {
		row := nodeFaultRow{Name: f.Fault.Name(), Every: int64(f.Every)}
		if f.Lasts != nil {
			row.Lasts = f.Lasts.String()
		}
		out.Simulation.Faults = append(out.Simulation.Faults, row)
	}
	for _, m := range measures() {
		unit := ""
		if m.duration {
			unit = "ns"
		}
		if sum, ok := r.Summarize(m.of); ok {
			out.Measures = append(out.Measures, measureJSON{m.name, unit, sum})
		}
	}
	return out
}

func printSimulatedJSON(w io.Writer, s scheduler.Simulation, r *scheduler.Simulated) error {
	return encode(w, newSimulatedJSON(&s, r))
}

func printAllSimulatedJSON(w io.Writer, rows []simulatedRow) error {
	out := struct {
		Protocols []simulatedJSON `json:"protocols"`
	}{[]simulatedJSON{}}
	for _, row := range rows {
		out.Protocols = append(out.Protocols, newSimulatedJSON(&row.simulation, row.result))
	}
	return encode(w, out)
}
