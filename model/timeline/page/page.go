package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"lockstep/model"
)

// Document is what a page shows.
type Document struct {
	// Title stands at the head of the page; the protocols of the traces if it is empty.
	Title string
	// Traces are the runs. A page with several has a list to choose from.
	Traces []*model.Trace
	// Attains says, by the index of the trace, what a run attains that attains a maximum instead
	// of violating a property. It may be shorter than Traces.
	Attains []string
	// Names are, by the index of the trace, what the runs are called in the list; their protocols
	// where they are empty. It may be shorter than Traces.
	Names []string
	// Sources are the texts of source files by the File of a [model.Source]. Those that no trace
	// mentions are not shown; of those that are missing nothing but the line is.
	Sources map[string]string
	// Verdicts are those that have no trace, and others that belong at the head of the page.
	Verdicts []Verdict
}

// Verdict is what is known of a property.
type Verdict struct {
	Property string
	// Verdict is holds, violated or inconclusive, Text what else is to be said: the bounds, what
	// is vacuous.
	Verdict, Text string
}

//go:embed assets/page.css
var styles string

//go:embed assets/page.js
var script string

//go:embed assets/page.html.tmpl
var layout string

var tmpl = template.Must(template.New("page").Parse(layout))

// contents is what the template fills in.
type contents struct {
	Title, Policy string
	Styles        template.CSS
	Script, Data  template.JS
	Verdicts      []Verdict
	Runs          []runView
	Files         []file
	Several       bool
}

// runView is a run as the template shows it.
type runView struct {
	Number   int
	Name     string
	Property string
	Rule     string
	Violated bool
	// Heading and Text are the verdict in words, Cost what the run is made of.
	Heading, Text, Cost string
	Scenario            []pair
	Labels, Lanes       template.HTML
	Legend              []legendEntry
	Keys                []string
	Steps               []stepView
	History             []operationView
}

type legendEntry struct {
	Shape template.HTML
	Word  string
}

type stepView struct {
	Number                      int
	Link                        string
	Time, Who, Kind, Text, Line string
	Notes                       []string
	Cells                       []string
	Last                        bool
}

type operationView struct {
	Called, Returned, By, Input, Output string
	Last                                bool
}

// Write writes the page. The error is that of w; there is none in the document.
func Write(w io.Writer, d Document) error {
	c := contents{
		Title: d.Title, Styles: template.CSS(styles), Script: template.JS(script), Policy: policy(),
		Verdicts: d.Verdicts, Files: files(&d), Several: len(d.Traces) > 1,
	}
	runs := []runData{}
	for i, t := range d.Traces {
		view, data := view(&d, i, c.Files)
		c.Runs = append(c.Runs, view)
		runs = append(runs, data)
		if d.Title == "" {
			c.Title = join(c.Title, t.Protocol)
		}
	}
	if c.Title == "" {
		c.Title = "Lockstep"
	}
	data, err := encode(runs)
	if err != nil {
		return err
	}
	c.Data = template.JS(data)
	var b bytes.Buffer
	if err := tmpl.Execute(&b, c); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

func join(title, protocol string) string {
	switch title {
	case "":
		return protocol
	case protocol:
		return title
	}
	return title + ", " + protocol
}

// policy is the content security policy of the page: nothing but its own style and script.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(styles), hash(script))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func view(d *Document, i int, files []file) (runView, runData) {
	t := d.Traces[i]
	c := &chart{story: newStory(t), id: strconv.Itoa(i + 1)}
	v := runView{
		Number: i + 1, Name: t.Protocol, Property: t.Property, Rule: t.Rule, Text: t.Explanation,
		Scenario: scenario(t), Cost: cost(t), Legend: legend(t),
	}
	if i < len(d.Names) && d.Names[i] != "" {
		v.Name = d.Names[i]
	}
	if t.Argument != "" {
		v.Property += "=" + t.Argument
	}
	if i < len(d.Attains) && d.Attains[i] != "" {
		v.Heading = d.Attains[i]
	} else {
		v.Violated, c.violates = true, true
		v.Heading = v.Property + " violated"
	}
	v.Labels, v.Lanes = c.draw()
	for _, key := range c.keys {
		v.Keys = append(v.Keys, c.name(key))
	}
	for k := range t.Steps {
		v.Steps = append(v.Steps, c.step(k, len(d.Traces) > 1, i+1))
	}
	last := t.LastReturned()
	for k := range t.History {
		o := &t.History[k]
		op := operationView{Called: model.FormatDuration(o.Call), Returned: "not yet", By: o.Process, Input: o.Input, Output: o.Output, Last: o == last}
		if o.Return != nil {
			op.Returned = model.FormatDuration(*o.Return)
		}
		v.History = append(v.History, op)
	}
	return v, c.data(files, v.Heading+": "+v.Text)
}

func cost(t *model.Trace) string {
	return counted(t.Faults, "fault") + ", " + counted(t.Weight, "step")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// step is a row of the table of steps.
func (c *chart) step(i int, several bool, run int) stepView {
	s := &c.trace.Steps[i]
	v := stepView{
		Number: i + 1, Link: strconv.Itoa(i + 1), Time: model.FormatDuration(s.Time), Who: who(s), Kind: kindOf(s), Text: s.Text,
		Line: place(s.Source), Notes: c.notes(s), Last: i == len(c.trace.Steps)-1,
	}
	if several {
		v.Link = fmt.Sprintf("trace=%d&step=%d", run, i+1)
	}
	for k := range c.keys {
		e := &c.moments[i].entries[k]
		cell := e.value
		if e.value != "" && e.ttl > 0 {
			cell += " " + model.FormatDuration(e.left)
		}
		v.Cells = append(v.Cells, cell)
	}
	return v
}

// legend has the kinds of steps that occur in the trace.
func legend(t *model.Trace) []legendEntry {
	var entries []legendEntry
	for _, k := range kindWords {
		for i := range t.Steps {
			if kindOf(&t.Steps[i]) != k.kind {
				continue
			}
			var c canvas
			c.open("svg", "class", "lanes key", "width", "30", "height", "30", "aria-hidden", "true", "focusable", "false")
			c.open("g", "class", "marker c-none "+k.kind)
			marker(&c, k.kind, 15, 15)
			c.close("g")
			c.close("svg")
			entries = append(entries, legendEntry{c.html(), k.word})
			break
		}
	}
	return entries
}
