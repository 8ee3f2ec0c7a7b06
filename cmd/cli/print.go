package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/scheduler"
)

// defaultWidth is used where results do not go to a terminal, so that they are
// the same everywhere.
const defaultWidth = 100

// terminal returns the width of the terminal behind w, and whether colour is
// welcome; ok is false if there is none.
func terminal(w io.Writer) (width int, color, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return defaultWidth, false, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = defaultWidth
	}
	return width, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", true
}

func printReport(w io.Writer, r *scheduler.Report, stats bool) error {
	width, color, _ := terminal(w)
	var b strings.Builder
	fmt.Fprintln(&b, wrap(boundsText(r.Protocol, &r.Bounds), width))
	if line := parametersText(r.Parameters); line != "" {
		fmt.Fprintln(&b, wrap(line, width))
	}
	fmt.Fprintln(&b)
	t := newTable()
	for _, v := range r.Verdicts {
		t.AppendRow(table.Row{v.Property, colored(v.Verdict, color), remark(r, &v)})
	}
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 3, WidthMax: max(width-36, 30), WidthMaxEnforcer: text.WrapSoft}})
	fmt.Fprintln(&b, t.Render())
	fmt.Fprintln(&b)
	fmt.Fprintln(&b, wrap(conclusion(r), width))
	if text := sides(r); text != "" {
		fmt.Fprintln(&b, wrap(text, width))
	}
	if stats {
		printStats(&b, r, width)
	}
	for _, v := range r.Verdicts {
		if v.Trace == nil {
			continue
		}
		heading := fmt.Sprintf("%s: %s", v.Property, cost(&v))
		fmt.Fprintf(&b, "\n%s\n%s\n\n", heading, strings.Repeat("─", text.StringWidth(heading)))
		if err := timeline.Write(&b, v.Trace, timeline.Options{Width: width, Color: color}); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// boundsText says in a line within which bounds a protocol was explored.
func boundsText(name string, b *model.Bounds) string {
	return name + ": " + strings.Join(b.Words(), ", ")
}

func parametersText(values []model.ParameterValue) string {
	if len(values) == 0 {
		return ""
	}
	return "parameters: " + strings.Join(model.ParameterWords(values), ", ")
}

// wrap breaks each line at words.
func wrap(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = text.WrapSoft(lines[i], width)
	}
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func colored(v scheduler.Result, color bool) string {
	if !color {
		return string(v)
	}
	c := map[scheduler.Result]text.Color{scheduler.Holds: text.FgGreen, scheduler.Violated: text.FgRed, scheduler.Inconclusive: text.FgYellow}[v]
	return text.Colors{c, text.Bold}.Sprint(string(v))
}

func remark(r *scheduler.Report, v *scheduler.Verdict) string {
	switch {
	case v.Verdict == scheduler.Violated:
		return cost(v)
	case v.Reason != "":
		return v.Reason
	case v.Vacuous != "":
		return "vacuously: " + v.Vacuous
	}
	return v.Rule
}

// sides says where what processes believe and what the stores have accepted part: one is
// as it should be, and the other is not. Most repairs are about one of them.
func sides(r *scheduler.Report) string {
	levels := map[string]checks.Level{}
	for _, k := range checks.Kinds() {
		levels[k.Name] = k.Level
	}
	var names [2][]string // of what is violated
	var some [2]bool
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		level, known := levels[v.Property]
		if !known || level > checks.Effect || v.Vacuous != "" || v.Verdict == scheduler.Inconclusive {
			continue
		}
		some[level] = true
		if v.Verdict == scheduler.Violated {
			names[level] = append(names[level], v.Property)
		}
	}
	belief, effect := names[checks.Belief], names[checks.Effect]
	switch {
	case !some[checks.Belief] || !some[checks.Effect] || (len(belief) == 0) == (len(effect) == 0):
		return ""
	case len(belief) > 0:
		return "Belief and effect part: processes believe what is not so (" + strings.Join(belief, ", ") + "), and what was asked of the stores holds."
	}
	return "Belief and effect part: what was asked of beliefs holds, and the stores accepted what they should not (" + strings.Join(effect, ", ") + ")."
}

func cost(v *scheduler.Verdict) string {
	minimal := "minimal"
	if !v.Minimal {
		minimal = "minimality not proven"
	}
	return fmt.Sprintf("%s, %s, %s", model.Count(v.Faults, "fault", "faults"), model.Count(v.Steps, "step", "steps"), minimal)
}

func conclusion(r *scheduler.Report) string {
	var b strings.Builder
	switch {
	case r.Exhausted && r.Worse() == scheduler.Inconclusive:
		b.WriteString("Exhausted: these verdicts are about every run within these bounds, but what is inconclusive may hold or not.")
	case r.Exhausted:
		b.WriteString("Exhausted: these verdicts are about every run within these bounds.")
	default:
		fmt.Fprintf(&b, "Cut off: %s; every run of up to %s was explored, %s. What is inconclusive may hold or not.",
			r.CutOff, model.Count(max(r.Stats.Steps-1, 0), "step", "steps"), model.Count(r.Stats.States, "state", "states"))
	}
	if r.Worst != nil {
		atLeast := ""
		if r.Worst.AtLeast {
			atLeast = "at least "
		}
		fmt.Fprintf(&b, "\nWorst case: %s%s for one expiry; %d claimed or allowed.", atLeast, model.Count(r.Worst.Rebuilds, "rebuild", "rebuilds"), r.Bounds.RebuildBound)
	}
	return b.String()
}

func printStats(w io.Writer, r *scheduler.Report, width int) {
	s := &r.Stats
	line := fmt.Sprintf("%d states, %d transitions, %.2f s (%.0f transitions a second), %s in the search (%d bytes a state), %s at the peak, protocol code run %d times",
		s.States, s.Transitions, s.Seconds, float64(s.Transitions)/max(s.Seconds, 1e-9), formatBytes(s.Memory), s.Memory/max(int64(s.States), 1), formatBytes(peakMemory()), s.Runs)
	fmt.Fprintf(w, "\n%s\n", wrap(line, width))
	fmt.Fprintln(w, "lines with the most states:")
	t := newTable()
	for _, l := range s.Busiest {
		t.AppendRow(table.Row{"  " + fmt.Sprintf("%s:%d", l.Source.File, l.Source.Line), model.Count(l.Locals, "local state", "local states"), fmt.Sprintf("%d states", l.States)})
	}
	fmt.Fprintln(w, t.Render())
}

func printJSON(w io.Writer, r *scheduler.Report, stats bool) error {
	out := struct {
		*scheduler.Report
		*scheduler.Stats
		PeakMemory int64 `json:"peak_memory_bytes,omitempty"`
	}{Report: r}
	if stats {
		out.Stats, out.PeakMemory = &r.Stats, peakMemory()
	}
	return encode(w, out)
}

// encode writes a value as indented JSON.
func encode(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

func formatBytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
