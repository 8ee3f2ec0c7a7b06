package timeline

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"lockstep/model"
)

// Side is one of two runs that are compared: what it is called, and its steps.
type Side struct {
	Name  string
	Trace *model.Trace
}

// Compare draws two runs by one schedule side by side. of has for each step of the right run
// the number, from 1, of the step of the left one that it stands next to, 0 for none; they
// increase.
//
// The sign between them is = where both do the same, ~ where the same process does something
// else, < and > where only one of them does anything.
func Compare(w io.Writer, left, right Side, of []int, o Options) error {
	if o.Width == 0 {
		o.Width = 100
	}
	t := plainTable()
	t.AppendHeader(table.Row{"time", "node", left.Name, "", right.Name})
	l, r := printable(left.Trace).Steps, printable(right.Trace).Steps
	lines := compared(l, r, of)
	stepOf := func(line pair) *model.TraceStep {
		if line.left >= 0 {
			return &l[line.left]
		}
		return &r[line.right]
	}
	times, nodes := len("time"), len("node")
	for _, line := range lines {
		step := stepOf(line)
		times, nodes = max(times, text.StringWidth(model.FormatDuration(step.Time))), max(nodes, text.StringWidth(step.Node))
	}
	// Two blanks follow each column but the last, and the sign takes one.
	room := max((max(o.Width, 60)-times-nodes-4*2-1)/2, 20)
	for _, line := range lines {
		sign, a, b := line.sign(l, r), "", ""
		if line.left >= 0 {
			a = wrap(Describe(&l[line.left]), room)
		}
		if line.right >= 0 && sign != "=" {
			b = wrap(Describe(&r[line.right]), room)
			if o.Color {
				b = colored(b, text.Colors{text.Bold})
			}
		}
		step := stepOf(line)
		t.AppendRow(table.Row{model.FormatDuration(step.Time), step.Node, a, sign, b})
	}
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 3, WidthMax: room, WidthMaxEnforcer: wrap},
		{Number: 5, WidthMax: room, WidthMaxEnforcer: wrap},
	})
	_, err := fmt.Fprintf(w, "%s\n\n= the same  ~ something else  < only on the left  > only on the right\n", trimmed(t.Render()))
	return err
}

// pair is the steps that stand next to each other, by index, -1 for none.
type pair struct{ left, right int }

// compared returns the lines of a comparison.
func compared(left, right []model.TraceStep, of []int) []pair {
	var lines []pair
	next := 0
	for k := range right {
		if of[k] == 0 {
			for next < len(left) && left[next].Time <= right[k].Time {
				lines = append(lines, pair{next, -1})
				next++
			}
			lines = append(lines, pair{-1, k})
			continue
		}
		for ; next < of[k]-1; next++ {
			lines = append(lines, pair{next, -1})
		}
		lines = append(lines, pair{next, k})
		next++
	}
	for ; next < len(left); next++ {
		lines = append(lines, pair{next, -1})
	}
	return lines
}

func (p pair) sign(left, right []model.TraceStep) string {
	switch {
	case p.right < 0:
		return "<"
	case p.left < 0:
		return ">"
	}
	if Describe(&left[p.left]) == Describe(&right[p.right]) {
		return "="
	}
	return "~"
}
