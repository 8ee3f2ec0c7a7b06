package timeline

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

// Options say how to draw.
type Options struct {
	// Width is the number of columns to stay within; 100 if it is 0. Below 60
	// there is no room, so 60 are used.
	Width int
	// Attains says, for a run that attains a maximum instead of violating a
	// property, what it attains.
	Attains string
	// Open: the run does not end with a violation. Nothing is said of one.
	Open bool
	// Color marks faults and the violation by colour, too.
	Color bool
}

// The signs in the lane of a node.
const (
	signActs    = "●"
	signHolds   = "┃"
	signActive  = "│"
	signPaused  = "░"
	signCrashed = "✗"
	signIdle    = "·"
)

const legend = signActs + " acts  " + signHolds + " believes that it holds a lock  " + signActive + " active  " + signPaused + " paused  " + signCrashed + " crashed"

// row is one line of the drawing.
type row struct {
	step *model.TraceStep
	time string
	// lanes and keys have an entry a node and a key.
	lanes, keys []string
	text, line  string
}

// Write draws the trace, with a legend and the explanation of the violation.
func Write(w io.Writer, t *model.Trace, o Options) error {
	if o.Width == 0 {
		o.Width = 100
	}
	o.Width = max(o.Width, 60)
	t = printable(t)
	d := &drawing{NewWorld(t)}
	rows := make([]row, 0, len(t.Steps))
	for i := range t.Steps {
		rows = append(rows, d.row(&t.Steps[i]))
	}
	parts := []string{d.table(fold(rows), o), legend, strings.TrimSuffix(history(t, o), "\n\n"), wrapped(t, o)}
	_, err := fmt.Fprintln(w, strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n"))
	return err
}

func wrapped(t *model.Trace, o Options) string {
	if o.Open {
		return ""
	}
	line := fmt.Sprintf("%s violated: %s", t.Property, t.Explanation)
	if o.Attains != "" {
		line = fmt.Sprintf("%s: %s", o.Attains, t.Explanation)
	}
	line = wrap(line, o.Width)
	if o.Color {
		return colored(line, text.Colors{text.FgRed, text.Bold})
	}
	return line
}

// drawing is what is known of the run at the row under way.
type drawing struct{ *World }

func (d *drawing) row(s *model.TraceStep) row {
	r := row{step: s, time: model.FormatDuration(s.Time), text: Describe(s)}
	if s.Source != nil {
		r.line = s.Source.Short()
	}
	d.Follow(s)
	for _, n := range d.nodes {
		sign := d.sign(n)
		if n == s.Node && s.Process != "" {
			sign = signActs
		}
		r.lanes = append(r.lanes, sign)
	}
	for _, k := range d.keys {
		r.keys = append(r.keys, d.entry(k))
	}
	return r
}

func (d *drawing) sign(node string) string {
	return [...]string{Idle: signIdle, Active: signActive, Holding: signHolds, Paused: signPaused, Crashed: signCrashed}[d.Status(node)]
}

// entry is what a key holds, and what is left of its TTL.
func (d *drawing) entry(key string) string {
	e, ok := d.Entry(key)
	switch {
	case !ok:
		return "-"
	case e.TTL == 0:
		return e.Value
	}
	return e.Value + " " + model.FormatDuration(e.Left)
}

// Describe says what a step does, and on lines of their own, which begin with a plus sign,
// what follows from it: beliefs, answers, processes that are overdue.
func Describe(s *model.TraceStep) string {
	what := s.Text
	if s.Process != "" && !strings.HasSuffix(s.Process, "/0") {
		what = s.Process + ": " + what
	}
	for i := range s.Marks {
		m := &s.Marks[i]
		who := ""
		if m.Process != "" {
			who = m.Process + " "
		}
		switch m.Kind {
		case "acquired":
			what += "\n+ " + who + "believes that it holds " + KeyName(m.Subject)
		case "releasing":
			what += "\n+ " + who + "no longer believes that it holds " + KeyName(m.Subject)
		case "restart":
			what += "\n+ starts over"
		case "return":
			if run.Root(s.By(m)) && s.Node[0] == 'n' {
				what += "\n+ answers " + m.Subject
			} else if !run.Root(s.By(m)) {
				what += "\n+ " + who + "ends"
			}
		}
	}
	if len(s.Overdue) > 0 {
		what += "\n+ overdue: " + strings.Join(s.Overdue, ", ")
	}
	return what
}

// KeyName returns a key without its store.
func KeyName(key string) string { return run.KeyName(key) }

// fold replaces what repeats itself by a count: blocks of up to maxBlock rows
// that differ in nothing but time and what is left of a TTL.
func fold(rows []row) []row {
	const maxBlock = 6
	var out []row
	for i := 0; i < len(rows); {
		folded := false
		for size := 1; size <= maxBlock && !folded; size++ {
			times := 0
			for alike(rows, i, i+(times+1)*size, size) {
				times++
			}
			if times < 2 {
				continue
			}
			out = append(out, rows[i:i+size]...)
			last := rows[i+(times+1)*size-1]
			out = append(out, row{time: last.time, lanes: last.lanes, keys: last.keys, text: fmt.Sprintf("... %d more times", times), line: ""})
			i += (times + 1) * size
			folded = true
		}
		if !folded {
			out = append(out, rows[i])
			i++
		}
	}
	return out
}

func alike(rows []row, a, b, size int) bool {
	if b+size > len(rows) {
		return false
	}
	for k := range size {
		x, y := &rows[a+k], &rows[b+k]
		if x.text != y.text || x.line != y.line || x.step.Process != y.step.Process || x.step.Node != y.step.Node {
			return false
		}
	}
	return true
}

func (d *drawing) table(rows []row, o Options) string {
	t := plainTable()
	header := table.Row{"time"}
	for _, n := range d.nodes {
		header = append(header, n)
	}
	header = append(header, "step")
	for _, k := range d.keys {
		header = append(header, KeyName(k))
	}
	header = append(header, "line")
	t.AppendHeader(header)
	used := 0
	widths := make([]int, len(header))
	for c, h := range header {
		widths[c] = text.StringWidth(h.(string))
	}
	at := 1 + len(d.nodes)
	for i := range rows {
		for c, cell := range rows[i].cells() {
			widths[c] = max(widths[c], text.LongestLineLen(cell.(string)))
		}
	}
	for c, width := range widths {
		if c != at {
			used += width + 2
		}
	}
	room := narrow(widths, at+1, len(d.keys), o.Width-used)
	for i := range rows {
		r := &rows[i]
		r.text = colored(wrap(r.text, room), r.colors(o, i == len(rows)-1))
		t.AppendRow(r.cells())
	}
	configs := []table.ColumnConfig{{Number: 1, Align: text.AlignRight, AlignHeader: text.AlignRight}}
	for c := at + 1; c <= at+len(d.keys); c++ {
		configs = append(configs, table.ColumnConfig{Number: c + 1, WidthMax: widths[c], WidthMaxEnforcer: breakKey})
	}
	t.SetColumnConfigs(configs)
	return trimmed(t.Render())
}

// colors are those of the text of a row; the last one may be the violation.
func (r *row) colors(o Options, last bool) text.Colors {
	switch {
	case !o.Color:
	case last && !o.Open:
		return text.Colors{text.FgRed, text.Bold}
	case r.step != nil && (r.step.Kind == "fault" || r.step.Kind == "recovery"):
		return text.Colors{text.FgYellow}
	case r.step != nil && r.step.Kind == "expire":
		return text.Colors{text.FgMagenta}
	}
	return nil
}

// colored colours each line for itself, so that nothing beside it is coloured.
func colored(s string, c text.Colors) string {
	if c == nil {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = c.Sprint(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (r *row) cells() table.Row {
	cells := table.Row{r.time}
	for _, l := range r.lanes {
		cells = append(cells, l)
	}
	cells = append(cells, r.text)
	for _, k := range r.keys {
		cells = append(cells, k)
	}
	return append(cells, r.line)
}

// wrap breaks lines at words and indents what continues a line.
func wrap(s string, width int) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		first, rest, more := strings.Cut(text.WrapSoft(line, width), "\n")
		out = append(out, first)
		if more {
			rest = strings.Join(strings.Fields(rest), " ")
			for _, l := range strings.Split(text.WrapSoft(rest, width-2), "\n") {
				out = append(out, "  "+l)
			}
		}
	}
	return trimmed(strings.Join(out, "\n"))
}

// trimmed removes blanks at the ends of lines, which nobody sees and every diff
// shows.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
