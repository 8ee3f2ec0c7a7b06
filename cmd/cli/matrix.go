package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/checks/analysis"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// matrixFlags are the flags of matrix.
type matrixFlags struct {
	checkFlags
	requests       int
	full, markdown bool
	explain        string
}

func newMatrixFlags() *matrixFlags {
	return &matrixFlags{checkFlags: checkFlags{scenario: scheduler.NewScenario(nil)}}
}

// registerCells adds the flags that say what each cell is about.
func (f *matrixFlags) registerCells(flags *pflag.FlagSet) {
	s := &f.scenario
	flags.IntVar(&s.Nodes, "nodes", s.Nodes, fmt.Sprintf("number of nodes, 1 to %d", scheduler.MaxNodes))
	flags.IntVar(&f.requests, "requests", 0, "requests on each node; 0 for 2 where requests of a node share work, 1 elsewhere")
	f.registerWorld(flags)
	f.registerLimits(flags)
}

func newMatrix(code *int) *cobra.Command {
	f := newMatrixFlags()
	c := &cobra.Command{
		Use:   "matrix [PROTOCOL[:PARAM=VALUE,...] ...]",
		Short: "which protocol withstands which faults",
		Long: `Matrix checks every protocol, or those given, with every class of faults. A cell
lists the properties that break, and the worst-case number of rebuilds for one
expiry against the number that the protocol claims. Each cell is exhaustive.

The exit code is 0 if every cell was exhausted, whatever it says, and 3 if not;
with --explain it is that of check.`,
		Example: `  lockstep matrix
  lockstep matrix lease lease:look-again=true fenced --full
  lockstep matrix --explain fixedttl/none`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.explain != "" {
				if len(args) > 0 {
					return usage("--explain names the protocol itself; %q is too much", args[0])
				}
				return f.explainCell(c, code)
			}
			return f.run(c, args, code)
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.full, "full", false, "add crash and pause together")
	flags.StringVar(&f.explain, "explain", "", "print the counterexamples of a cell, as fixedttl/none")
	flags.BoolVar(&f.markdown, "markdown", false, "print a Markdown table")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	f.registerCells(flags)
	c.SetFlagErrorFunc(flagError)
	return c
}

// matrixRow is a protocol, perhaps with parameters, as a row of the matrix.
type matrixRow struct {
	name  string
	cells []*analysis.Cell
}

// scenarioOf returns the scenario of a row: a protocol, and after a colon values of
// its parameters.
func (f *matrixFlags) scenarioOf(row string) (scheduler.Scenario, error) {
	name, settings, given := strings.Cut(row, ":")
	e, err := findProtocol(name)
	if err != nil {
		return scheduler.Scenario{}, err
	}
	if given && settings == "" {
		return scheduler.Scenario{}, usage("%s has no parameter after the colon; write it as %s:look-again=true", row, name)
	}
	defaults := newCheckFlags(e).scenario
	s := f.scenario
	s.Protocol, s.KeepZeros, s.Name = defaults.Protocol, true, row
	if s.Requests = f.requests; f.requests == 0 {
		s.Requests = defaults.Requests
	}
	for setting := range strings.SplitSeq(settings, ",") {
		if setting == "" {
			continue
		}
		parameter, value, ok := strings.Cut(setting, "=")
		if !ok {
			return s, usage("%q is not a parameter with a value; write it as %s:look-again=true", setting, name)
		}
		if err := protocol.SetParameter(s.Protocol, parameter, value); err != nil {
			return s, usage("%w", err)
		}
	}
	return s, nil
}

// check checks all cells, of all protocols if none is given.
func (f *matrixFlags) check(c *cobra.Command, args []string, code *int) ([]analysis.Column, []matrixRow, error) {
	if len(args) == 0 {
		for _, e := range protocols {
			args = append(args, e.Name)
		}
	}
	columns := analysis.Columns(f.full)
	var scenarios []scheduler.Scenario
	for _, row := range args {
		s, err := f.scenarioOf(row)
		if err != nil {
			return nil, nil, err
		}
		scenarios = append(scenarios, s)
	}
	var rows []matrixRow
	for i, s := range scenarios {
		row := matrixRow{name: args[i]}
		for _, column := range columns {
			done := f.showProgress(row.name + "/" + column.Name)
			cell, err := analysis.CheckCell(c.Context(), s, column, f.options)
			done()
			if err != nil {
				return nil, nil, err
			}
			if !cell.Report.Exhausted {
				*code = exitCutOff
			}
			row.cells = append(row.cells, cell)
		}
		rows = append(rows, row)
	}
	return columns, rows, nil
}

func (f *matrixFlags) run(c *cobra.Command, args []string, code *int) error {
	if f.json && f.markdown {
		return usage("--json and --markdown exclude each other")
	}
	columns, rows, err := f.check(c, args, code)
	if err != nil {
		return err
	}
	print := printMatrix
	switch {
	case f.json:
		print = printMatrixJSON
	case f.markdown:
		print = printMatrixMarkdown
	}
	if err := print(c.OutOrStdout(), columns, rows); err != nil {
		return &outputError{err}
	}
	return nil
}

// explainCell prints the report of a cell, with the traces of what is broken.
func (f *matrixFlags) explainCell(c *cobra.Command, code *int) error {
	at := strings.LastIndex(f.explain, "/")
	if at < 0 {
		return usage("--explain wants a protocol and a column, as fixedttl/none").about("explain", f.explain)
	}
	row, name := f.explain[:at], f.explain[at+1:]
	columns := analysis.Columns(true)
	i := slices.IndexFunc(columns, func(c analysis.Column) bool { return c.Name == name })
	if i < 0 {
		var names []string
		for _, column := range columns {
			names = append(names, column.Name)
		}
		return unknown("column", name, names).about("explain", f.explain)
	}
	s, err := f.scenarioOf(row)
	if err != nil {
		return err
	}
	done := f.showProgress("")
	r, err := analysis.ExplainCell(c.Context(), s, columns[i], f.options)
	done()
	if err != nil {
		return err
	}
	return f.conclude(c, r, code)
}

// shortNames are what properties are called in a cell.
var shortNames = map[string]string{
	"mutual-exclusion":   "mutex",
	"no-stale-overwrite": "stale",
	"no-foreign-release": "release",
	"no-orphaned-lock":   "orphan",
	"answered":           "stuck",
}

// cellText is what breaks, and the rebuilds against the claim.
func cellText(c *analysis.Cell) string {
	var parts []string
	for _, name := range c.Broken() {
		if short, ok := shortNames[name]; ok {
			parts = append(parts, short)
		}
	}
	if !c.Report.Exhausted {
		parts = append(parts, "?")
	}
	more := ""
	if c.AtLeast {
		more = "+"
	}
	return strings.Join(append(parts, fmt.Sprintf("%d%s/%s", c.Rebuilds, more, claimText(c.Claimed))), " ")
}

// claimText is how many rebuilds a protocol claims.
func claimText(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// legend explains the table.
func legend(columns []analysis.Column, rows []matrixRow) []string {
	b := rows[0].cells[0].Report.Bounds
	lines := []string{
		"A cell lists what breaks: mutex (mutual-exclusion), stale (no-stale-overwrite), release (no-foreign-release), orphan (no-orphaned-lock), stuck (answered); then the rebuilds for one expiry, worst case, against the number claimed, - for none. A + says that there may be more, a ? that the cell was cut off.",
	}
	var help []string
	for _, c := range columns {
		help = append(help, c.Name+": "+c.Help)
	}
	lines = append(lines, strings.Join(help, "; ")+".")
	least, most := b.Requests, b.Requests
	for _, row := range rows {
		n := row.cells[0].Report.Bounds.Requests
		least, most = min(least, n), max(most, n)
	}
	requests := model.Count(most, "request", "requests") + " each"
	if least != most {
		requests = fmt.Sprintf("%s each, %d where requests of a node share work", model.Count(least, "request", "requests"), most)
	}
	return append(lines, fmt.Sprintf("Each cell is about every run of %s, %s, %s, latency %s.",
		model.Count(b.Nodes, "node", "nodes"), requests, model.Count(b.Updates, "update", "updates"), b.Latency))
}

func printMatrix(w io.Writer, columns []analysis.Column, rows []matrixRow) error {
	width, color, _ := terminal(w)
	_, err := io.WriteString(w, matrixText(columns, rows, width, color))
	return err
}

func matrixText(columns []analysis.Column, rows []matrixRow, width int, color bool) string {
	t := newTable()
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(header(columns))
	for _, row := range rows {
		cells := table.Row{row.name}
		for _, c := range row.cells {
			cells = append(cells, coloredCell(c, color))
		}
		t.AppendRow(cells)
	}
	names := len("protocol")
	for _, row := range rows {
		names = max(names, len(row.name))
	}
	room := max((width-names)/len(columns)-2, 11)
	var configs []table.ColumnConfig
	for i := range columns {
		configs = append(configs, table.ColumnConfig{Number: i + 2, WidthMax: room, WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(configs)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", wrap(t.Render(), 1<<10))
	for _, line := range legend(columns, rows) {
		fmt.Fprintln(&b, wrap(line, width))
	}
	if name, ok := firstBroken(rows); ok {
		fmt.Fprintln(&b, wrap("Under each broken cell there are traces: lockstep matrix --explain "+name, width))
	}
	return b.String()
}

// firstBroken is the name of the first cell in which something is broken.
func firstBroken(rows []matrixRow) (name string, ok bool) {
	for _, row := range rows {
		for _, c := range row.cells {
			if len(c.Broken()) > 0 {
				return row.name + "/" + c.Column, true
			}
		}
	}
	return "", false
}

func header(columns []analysis.Column) table.Row {
	h := table.Row{"protocol"}
	for _, c := range columns {
		h = append(h, c.Name)
	}
	return h
}

func coloredCell(c *analysis.Cell, color bool) string {
	s := cellText(c)
	if !color {
		return s
	}
	shade := text.FgGreen
	switch {
	case len(c.Broken()) > 0:
		shade = text.FgRed
	case !c.Report.Exhausted:
		shade = text.FgYellow
	}
	return text.Colors{shade}.Sprint(s)
}

func printMatrixMarkdown(w io.Writer, columns []analysis.Column, rows []matrixRow) error {
	t := table.NewWriter()
	t.AppendHeader(header(columns))
	for _, row := range rows {
		cells := table.Row{"`" + row.name + "`"}
		for _, c := range row.cells {
			cells = append(cells, cellText(c))
		}
		t.AppendRow(cells)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.RenderMarkdown())
	for _, line := range legend(columns, rows) {
		fmt.Fprintf(&b, "\n%s\n", wrap(line, defaultWidth))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printMatrixJSON(w io.Writer, columns []analysis.Column, rows []matrixRow) error {
	type jsonCell struct {
		Column    string   `json:"column"`
		Broken    []string `json:"broken"`
		Rebuilds  int      `json:"rebuilds"`
		AtLeast   bool     `json:"at_least"`
		Claimed   int      `json:"claimed"`
		Exhausted bool     `json:"exhausted"`
	}
	type jsonRow struct {
		Protocol   string                 `json:"protocol"`
		Parameters []model.ParameterValue `json:"parameters"`
		Bounds     model.Bounds           `json:"bounds"`
		Cells      []jsonCell             `json:"cells"`
	}
	type jsonColumn struct {
		Name string `json:"name"`
		Help string `json:"help"`
	}
	out := struct {
		Columns []jsonColumn `json:"columns"`
		Rows    []jsonRow    `json:"rows"`
	}{}
	for _, c := range columns {
		out.Columns = append(out.Columns, jsonColumn{c.Name, c.Help})
	}
	for _, row := range rows {
		r := jsonRow{Protocol: row.name, Parameters: row.cells[0].Report.Parameters, Bounds: row.cells[0].Report.Bounds}
		for _, c := range row.cells {
			broken := c.Broken()
			if broken == nil {
				broken = []string{}
			}
			r.Cells = append(r.Cells, jsonCell{c.Column, broken, c.Rebuilds, c.AtLeast, c.Claimed, c.Report.Exhausted})
		}
		out.Rows = append(out.Rows, r)
	}
	return encode(w, out)
}
