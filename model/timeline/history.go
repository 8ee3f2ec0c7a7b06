package timeline

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"lockstep/model"
)

// history draws the history of the object that the property is about: a line for each
// operation, in the order of their calls. It is empty if there is none.
func history(t *model.Trace, o Options) string {
	if len(t.History) == 0 {
		return ""
	}
	w := plainTable()
	w.AppendHeader(table.Row{"called", "returned", "by", "operation", "answer"})
	last := t.LastReturned()
	fixed := 0
	for i := range t.History {
		op := &t.History[i]
		row := table.Row{model.FormatDuration(op.Call), "-", op.Process, op.Input, op.Output}
		if op.Return != nil {
			row[1] = model.FormatDuration(*op.Return)
		}
		used := 0
		for c, cell := range row {
			used += max(text.StringWidth(cell.(string)), len("returned")) + 2
			if o.Color && op == last {
				row[c] = text.Colors{text.FgRed, text.Bold}.Sprint(cell)
			}
		}
		fixed = max(fixed, used-max(text.StringWidth(op.Input), len("returned")))
		w.AppendRow(row)
	}
	w.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 4, WidthMax: max(o.Width-fixed, 20), WidthMaxEnforcer: wrap},
	})
	return trimmed(w.Render()) + "\n\n"
}

// plainTable returns a table with nothing but a line below its header.
func plainTable() table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateColumns: true, SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", ""
	style.Box.MiddleVertical = "  "
	style.Box.MiddleSeparator = "──"
	t.SetStyle(style)
	return t
}
