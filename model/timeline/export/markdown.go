package export

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"lockstep/model"
	"lockstep/model/timeline"
)

// Markdown writes the trace in the flavour of GitHub: the verdict in words, the bounds, a
// table of the steps, and one of the history if there is one. Text of the trace stands in
// spans of code wherever possible, so that #1 is a token and no reference to an issue.
func Markdown(w io.Writer, t *model.Trace, o Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", code(t.Protocol), prose(verdict(t, o)))
	fmt.Fprintf(&b, "%s.\n\n", prose(t.Explanation))
	fmt.Fprintf(&b, "- Property: %s, %s\n", code(claim(t)), prose(t.Rule))
	fmt.Fprintf(&b, "- Cost: %s\n", cost(t))
	fmt.Fprintf(&b, "- Bounds: %s\n", prose(strings.Join(t.Bounds.Words(), ", ")))
	if len(t.Parameters) > 0 {
		fmt.Fprintf(&b, "- Parameters: %s\n", prose(strings.Join(model.ParameterWords(t.Parameters), ", ")))
	}
	b.WriteString("\n" + stepTable(t) + historyTable(t))
	_, err := io.WriteString(w, b.String())
	return err
}

func stepTable(t *model.Trace) string {
	world := timeline.NewWorld(t)
	header := []string{"time", "who", "step"}
	for _, k := range world.Keys() {
		header = append(header, code(timeline.KeyName(k)))
	}
	table := newMarkdownTable(append(header, "line"), 1)
	for i := range t.Steps {
		s := &t.Steps[i]
		world.Follow(s)
		who := s.Process
		if who == "" {
			who = s.Node
		}
		var what []string
		for _, l := range strings.Split(timeline.Describe(s), "\n") {
			l = strings.TrimPrefix(l, s.Process+": ")
			if rest, follows := strings.CutPrefix(l, "+ "); follows {
				what = append(what, prose(rest))
			} else {
				what = append(what, code(l))
			}
		}
		row := []string{model.FormatDuration(s.Time), who, strings.Join(what, "<br>")}
		for _, k := range world.Keys() {
			cell := ""
			if e, ok := world.Entry(k); ok {
				cell = code(e.Value)
				if e.TTL > 0 {
					cell += " " + model.FormatDuration(e.Left)
				}
			}
			row = append(row, cell)
		}
		at := line(s.Source)
		if at != "" {
			at = code(at)
		}
		table.row(append(row, at))
	}
	return table.String()
}

func historyTable(t *model.Trace) string {
	if len(t.History) == 0 {
		return ""
	}
	table := newMarkdownTable([]string{"called", "returned", "by", "operation", "answer"}, 2)
	for i := range t.History {
		op := &t.History[i]
		row := []string{model.FormatDuration(op.Call), "", op.Process, code(op.Input), ""}
		if op.Return != nil {
			row[1], row[4] = model.FormatDuration(*op.Return), code(op.Output)
		}
		table.row(row)
	}
	return "\nThe history of the object:\n\n" + table.String()
}

// markdownTable is a table of cells that are Markdown already.
type markdownTable struct{ strings.Builder }

// newMarkdownTable returns a table with a header, whose first columns are numbers.
func newMarkdownTable(header []string, numbers int) *markdownTable {
	t := &markdownTable{}
	t.row(header)
	for i := range header {
		if i < numbers {
			t.WriteString("| ---: ")
		} else {
			t.WriteString("| --- ")
		}
	}
	t.WriteString("|\n")
	return t
}

func (t *markdownTable) row(cells []string) {
	for _, c := range cells {
		t.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
	}
	t.WriteString("|\n")
}

var backticks = regexp.MustCompile("`+")

// code writes text as a span of code, which must not be empty.
func code(s string) string {
	if s = timeline.OneLine(s); strings.TrimSpace(s) == "" {
		return s
	}
	longest := 0
	for _, run := range backticks.FindAllString(s, -1) {
		longest = max(longest, len(run))
	}
	fence, pad := strings.Repeat("`", longest+1), ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// leading is what has a meaning at the beginning of a line.
var leading = regexp.MustCompile(`^(\s*)([-+#=]|\d+[.)])`)

// prose writes text as it is read. Bars are left to the tables.
func prose(s string) string {
	var b strings.Builder
	runes := []rune(timeline.OneLine(s))
	for i, r := range runes {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case strings.ContainsRune("\\`*_[]~$", r):
			b.WriteString(`\` + string(r))
		case (r == '#' || r == '@') && i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || unicode.IsDigit(runes[i+1])):
			// GitHub makes a link of it, even where it is escaped.
			b.WriteString(string(r) + "<!-- -->")
		default:
			b.WriteRune(r)
		}
	}
	return leading.ReplaceAllString(b.String(), "$1&#8203;$2")
}
