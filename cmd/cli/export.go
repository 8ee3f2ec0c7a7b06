package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/model/timeline/export"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// format is a form that a trace can be written in.
type format struct {
	name, help string
	// write writes the trace; view does so after it was replayed.
	write func(w io.Writer, t *model.Trace) error
	view  func(w io.Writer, k *kept) error
}

// formats are those of export, in the order in which they are listed.
var formats = []format{
	{name: "text", help: "the timeline", write: func(w io.Writer, t *model.Trace) error { return timeline.Write(w, t, timeline.Options{}) }},
	{name: "markdown", help: "tables, in the flavour of GitHub", write: func(w io.Writer, t *model.Trace) error { return export.Markdown(w, t, export.Options{}) }},
	{name: "mermaid", help: "a sequence diagram", write: func(w io.Writer, t *model.Trace) error { return export.Mermaid(w, t, export.Options{}) }},
	{name: "itf", help: "states in the informal trace format, for viewers of that", write: func(w io.Writer, t *model.Trace) error { return export.ITF(w, t, export.Options{}) }},
	{name: "annotation", help: "a workflow command of GitHub Actions that annotates the line of the protocol", write: func(w io.Writer, t *model.Trace) error {
		runCode(t)
		return annotate(w, t)
	}},
	{name: "porcupine", help: "a page of HTML about the history of an object, for the properties linearizable-...", view: func(w io.Writer, k *kept) error {
		return checks.Visualize(w, k.scenario, k.trace, k.property)
	}},
}

func newExport() *cobra.Command {
	name, out := "markdown", "-"
	var help strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&help, "\n  %-11s %s", f.name, f.help)
	}
	c := &cobra.Command{
		Use:   "export TRACE",
		Short: "write a trace in another form: text, Markdown, a diagram, states",
		Long: `Export writes a trace in another form:
` + help.String() + `

lockstep report writes a page of HTML, lockstep check --junit the verdicts for CI.`,
		Example: `  lockstep check fixedttl --trace trace.json
  lockstep export trace.json --format mermaid
  lockstep export trace.json --format itf --out trace.itf.json`,
		Args: wantsTrace,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := findFormat(name)
			if err != nil {
				return err
			}
			if f.view != nil {
				k, err := load(c, args[0])
				if err != nil {
					return err
				}
				// Nothing is written if it cannot be replayed.
				var page bytes.Buffer
				if err := f.view(&page, k); err != nil {
					return usage("%s: %w", args[0], err)
				}
				return writeTo(c, out, func(w io.Writer) error { _, err := page.WriteTo(w); return err })
			}
			t, err := readTrace(c, args[0])
			if err != nil {
				return err
			}
			return writeTo(c, out, func(w io.Writer) error { return f.write(w, t) })
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&name, "format", name, "the form: "+formatNames())
	registerOut(c.Flags(), &out, "out", "o", "-", "the file to write, - for standard output")
	return c
}

func formatNames() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func findFormat(name string) (format, error) {
	var names []string
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return format{}, unknown("format", name, names)
}

// annotate annotates the line of protocol code that violates a property, by the path that its
// file has where that is known.
func annotate(w io.Writer, t *model.Trace) error {
	return export.GitHub(w, t, export.Annotation{Path: pathHere})
}

// pathHere is the path of a source file below the working directory, if it is there.
func pathHere(file string) string {
	here, err := os.Getwd()
	path, ok := protocol.PathOf(file)
	if err != nil || !ok {
		return strings.TrimPrefix(file, "lockstep/")
	}
	if below, ok := strings.CutPrefix(path, here+string(os.PathSeparator)); ok {
		return below
	}
	return path
}

// junit writes the verdicts of a report as XML for continuous integration.
func junit(w io.Writer, r *scheduler.Report) error {
	s := export.Suite{Name: r.Protocol}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		s.Cases = append(s.Cases, export.Case{Property: v.Property, Rule: v.Rule, Verdict: string(v.Verdict), Message: remark(r, v), Trace: v.Trace})
	}
	return export.JUnit(w, []export.Suite{s}, pathHere)
}
