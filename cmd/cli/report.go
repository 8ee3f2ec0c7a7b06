package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/checks/analysis"
	"lockstep/model"
	"lockstep/model/timeline/page"
	"lockstep/protocol"
	"lockstep/protocol/casebook"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// reportFlags say where a page goes.
type reportFlags struct{ out string }

func (f *reportFlags) register(c *cobra.Command) {
	registerOut(c.Flags(), &f.out, "out", "o", "report.html", "the file to write, - for standard output")
}

func newReport(code *int) *cobra.Command {
	c := &cobra.Command{
		Use:   "report",
		Short: "write an HTML page of a check, a matrix, a case or traces",
		Long: `Report writes one HTML page that needs nothing else: no network, no other file. It shows
runs on a time axis, who holds the lock according to the store and who believes to hold it, the
line of the protocol at each step and the state after it. Left and right arrow step through it.`,
		Example: `  lockstep report check lease --pause 1x12s
  lockstep report matrix
  lockstep report case L-03
  lockstep report trace trace.json -o page.html`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				if _, err := findProtocol(args[0]); err == nil {
					return usage("report wants to know what of %s: lockstep report check %s", args[0], args[0])
				}
				return unknown("command of report", args[0], []string{"check", "matrix", "case", "trace"})
			}
			return usage("report wants to know of what: lockstep report check lease, matrix, case L-03 or trace trace.json")
		},
	}
	c.AddCommand(newReportCheck(code), newReportMatrix(code), newReportCase(code), newReportTrace())
	return c
}

func newReportCheck(code *int) *cobra.Command {
	c := &cobra.Command{
		Use:   "check PROTOCOL [flags]",
		Short: "check a protocol, as lockstep check does, and write a page",
		RunE:  func(_ *cobra.Command, args []string) error { return wantsProtocol("report check", args) },
	}
	for _, e := range protocols {
		c.AddCommand(newReportProtocol(code, e))
	}
	return c
}

func newReportProtocol(code *int, e catalogue.Entry) *cobra.Command {
	f, r := newCheckFlags(e), &reportFlags{}
	c := forProtocol(e, "report check", f, f.registerSearch, func(c *cobra.Command) error {
		report, err := f.search(c)
		if err != nil {
			return err
		}
		*code = codeOf(report)
		d := &page.Document{Title: "lockstep check " + e.Name}
		addReport(d, report, "")
		return r.write(c, d)
	})
	r.register(c)
	return c
}

// addReport adds the verdicts of a report and their traces to a page; where says of what they
// are, if of several things.
func addReport(d *page.Document, r *scheduler.Report, where string) {
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		name := v.Property
		if where != "" {
			name = where + ": " + name
		}
		d.Verdicts = append(d.Verdicts, page.Verdict{Property: name, Verdict: string(v.Verdict), Text: remark(r, v)})
		if v.Trace != nil {
			addTrace(d, v.Trace, where)
		}
	}
}

// addTrace adds a run, and what it is called in the list of all.
func addTrace(d *page.Document, t *model.Trace, name string) {
	d.Traces, d.Names = append(d.Traces, t), append(d.Names, name)
}

func newReportMatrix(code *int) *cobra.Command {
	f, r := newMatrixFlags(), &reportFlags{}
	c := &cobra.Command{
		Use:   "matrix [PROTOCOL ...]",
		Short: "write a page of all counterexamples of the matrix",
		RunE: func(c *cobra.Command, args []string) error {
			columns, rows, err := f.check(c, args, code)
			if err != nil {
				return err
			}
			d := &page.Document{Title: "lockstep matrix"}
			for _, row := range rows {
				for i, cell := range row.cells {
					addCell(d, row.name+"/"+columns[i].Name, cell)
				}
			}
			return r.write(c, d)
		},
	}
	c.Flags().BoolVar(&f.full, "full", false, "add crash and pause together")
	f.registerCells(c.Flags())
	r.register(c)
	return c
}

// addCell adds a cell of the matrix: the runs that break something, which the list of runs
// names, and a line for what has no run to show.
func addCell(d *page.Document, name string, cell *analysis.Cell) {
	add := func(what, verdict, text string) {
		d.Verdicts = append(d.Verdicts, page.Verdict{Property: strings.TrimSpace(name + " " + what), Verdict: verdict, Text: text})
	}
	for i := range cell.Report.Verdicts {
		switch v := &cell.Report.Verdicts[i]; {
		case v.Trace != nil:
			addTrace(d, v.Trace, name)
		case v.Verdict != scheduler.Holds:
			add(v.Property, string(v.Verdict), remark(cell.Report, v))
		}
	}
	switch broken := cell.Broken(); {
	case len(broken) == 0 && cell.Report.Exhausted:
		add("", string(scheduler.Holds), "everything holds")
	case slices.Contains(broken, "rebuild-bound"):
		add("rebuild-bound", string(scheduler.Violated), fmt.Sprintf("%s for one expiry, %d claimed", model.Count(cell.Rebuilds, "rebuild", "rebuilds"), cell.Claimed))
	}
}

func newReportCase(code *int) *cobra.Command {
	r := &reportFlags{}
	c := &cobra.Command{
		Use:   "case ID",
		Short: "check a case of the casebook and write a page",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("report case wants one case, as in: lockstep report case L-03")
			}
			one, err := findCase(args[0])
			if err != nil {
				return err
			}
			d := &page.Document{Title: one.ID + " " + one.Title}
			for k := range one.Checks {
				check := &one.Checks[k]
				out, err := verifyCase(c, &one, check)
				if err != nil {
					return err
				}
				if len(out.Wrong) > 0 {
					*code = exitViolated
				}
				if out.Before != nil {
					addReport(d, out.Before, check.Shows+", before")
				}
				if out.After != nil {
					addReport(d, out.After, check.Shows+", after")
				}
			}
			return r.write(c, d)
		},
	}
	r.register(c)
	return c
}

func newReportTrace() *cobra.Command {
	r := &reportFlags{}
	c := &cobra.Command{
		Use:   "trace FILE ...",
		Short: "write a page of traces",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("report trace wants files of traces; lockstep check --trace FILE writes one, and - stands for standard input")
			}
			d := &page.Document{}
			for _, file := range args {
				t, err := readTrace(c, file)
				if err != nil {
					return err
				}
				runCode(t)
				addTrace(d, t, "")
			}
			return r.write(c, d)
		},
	}
	r.register(c)
	return c
}

// write writes a page with the sources of its runs.
func (f *reportFlags) write(c *cobra.Command, d *page.Document) error {
	d.Sources = sourcesOf(d.Traces)
	if err := writeTo(c, f.out, func(w io.Writer) error { return page.Write(w, *d) }); err != nil || f.out == "-" {
		return err
	}
	what := model.Count(len(d.Traces), "run", "runs")
	if len(d.Verdicts) > 0 {
		what += ", " + model.Count(len(d.Verdicts), "verdict", "verdicts")
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "Wrote %s: %s.\n", f.out, what)
	return asOutput(err)
}

// sourcesOf returns the texts of the files in which the steps of traces are, as far as they
// are at hand: in this program, or where it was built.
func sourcesOf(traces []*model.Trace) map[string]string {
	sources := map[string]string{}
	for _, t := range traces {
		for i := range t.Steps {
			s := t.Steps[i].Source
			if s == nil {
				continue
			}
			if _, known := sources[s.File]; known {
				continue
			}
			if text, ok := sourceOf(s.File); ok {
				sources[s.File] = text
			}
		}
	}
	return sources
}

// builtIn is the text of a file that is a part of this program.
func builtIn(file string) (string, bool) {
	if text, ok := catalogue.Source(file); ok {
		return text, true
	}
	return casebook.Source(file)
}

func sourceOf(file string) (string, bool) {
	if text, ok := builtIn(file); ok {
		return text, true
	}
	path, ok := protocol.PathOf(file)
	if !ok {
		return "", false
	}
	text, err := os.ReadFile(path)
	return string(text), err == nil
}
