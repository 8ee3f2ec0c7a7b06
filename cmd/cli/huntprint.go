package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/scheduler"
)

// huntWidth is how many columns the result of a hunt has at most.
const huntWidth = 80

// showHunt shows how far a hunt has got.
func (p *progress) showHunt(h scheduler.HuntProgress) {
	if !p.due(h.Elapsed) {
		return
	}
	p.last = h.Elapsed
	line := fmt.Sprintf("%.1f s: ", h.Elapsed.Seconds())
	switch h.Phase {
	case "runs":
		line += fmt.Sprintf("%d runs, %.0f/s, %d steps", h.Runs, float64(h.Runs)/max(h.Elapsed.Seconds(), 1e-3), h.Steps)
		if h.Left >= 0 {
			line += fmt.Sprintf(", about %s left", h.Left.Round(time.Second))
		}
	case "shrinking":
		line += fmt.Sprintf("found in run %d; shrinking, %d tries", h.Runs, h.Tries)
	case "search":
		line += fmt.Sprintf("found in run %d; exploring what is left, %d states", h.Runs, h.States)
	}
	p.print(line)
}

// huntCommands are what to type to get the same again.
type huntCommands struct {
	// Again hunts as far as the find, Check explores what it was shrunk to.
	Again string `json:"again,omitempty"`
	Check string `json:"check,omitempty"`
}

// commands returns those for a find.
func (f *huntFlags) commands(c *cobra.Command, r *scheduler.HuntReport) huntCommands {
	if r.Find == nil {
		return huntCommands{}
	}
	again := map[string]string{"runs": strconv.Itoa(r.Find.Run), "seed": strconv.FormatUint(r.Seed, 10)}
	for _, name := range []string{"for", "workers", "trace", "json", "file"} {
		again[name] = ""
	}
	// A hunt for several properties ends with the first that is violated.
	b := &r.Find.Bounds
	property := r.Find.Property
	if a := r.Find.Trace.Argument; a != "" {
		property += "=" + a
	}
	small := map[string]string{
		"nodes": strconv.Itoa(b.Nodes), "requests": strconv.Itoa(b.Requests), "updates": strconv.Itoa(b.Updates),
		"jobs": strconv.Itoa(b.Jobs), "property": property,
	}
	others := 0
	for _, o := range b.Others {
		others += o.Nodes
	}
	small["other-nodes"] = strconv.Itoa(others)
	if others == 0 {
		small["other-nodes"], small["other"] = "", ""
	}
	if b.Jobs == 0 && f.scenario.Jobs == 0 {
		small["jobs"] = ""
	}
	for _, f := range f.faults {
		small[f.kind.Name] = ""
	}
	for _, f := range b.Faults {
		small[f.Name] = f.Value
	}
	for _, name := range []string{"for", "runs", "seed", "strategy", "depth", "max-steps", "max-states", "workers", "trace", "json", "file"} {
		small[name] = ""
	}
	return huntCommands{commandLine("hunt", c, again), commandLine("check", c, small)}
}

// commandLine writes a command with the flags that c was given, but for those whose values
// are listed; those whose value is empty are left out.
func commandLine(command string, c *cobra.Command, instead map[string]string) string {
	words := []string{"lockstep", command, c.Name()}
	add := func(flag *pflag.Flag, value string) {
		if flag.Value.Type() == "bool" {
			if value != "true" {
				value = "=" + value
			} else {
				value = ""
			}
			words = append(words, "--"+flag.Name+value)
			return
		}
		if value == "" || strings.ContainsAny(value, " '\"$&|;<>()*?[]{}\\`!#~\t\n") {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		words = append(words, "--"+flag.Name+" "+value)
	}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		value, replaced := instead[flag.Name]
		switch {
		case replaced && value == "", flag.Name == "help":
		case replaced:
			add(flag, value)
		case !flag.Changed:
		case isRepeatable(flag):
			for _, value := range flag.Value.(pflag.SliceValue).GetSlice() {
				add(flag, value)
			}
		default:
			add(flag, flag.Value.String())
		}
	})
	return strings.Join(words, " ")
}

// folded breaks a command line between flags.
func folded(line string, width int) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Split(line, " --") {
		if i > 0 {
			word = "--" + word
		}
		switch {
		case i == 0:
			b.WriteString("  ")
			length = 2
		case length+1+len(word)+2 > width:
			b.WriteString(" \\\n    ")
			length = 4
		default:
			b.WriteString(" ")
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}

func huntJSON(w io.Writer, r *scheduler.HuntReport, commands huntCommands) error {
	out := struct {
		*scheduler.HuntReport
		Commands *huntCommands `json:"commands,omitempty"`
	}{HuntReport: r}
	if r.Find != nil {
		out.Commands = &commands
	}
	return encode(w, out)
}

func printHunt(w io.Writer, r *scheduler.HuntReport, commands huntCommands) error {
	width, color, _ := terminal(w)
	width = min(width, huntWidth)
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintln(&b, wrap(fmt.Sprintf(format, args...), width)) }
	say("%s", boundsText(r.Protocol, &r.Bounds))
	if line := parametersText(r.Parameters); line != "" {
		say("%s", line)
	}
	fmt.Fprintln(&b)
	say("Hunted for a violation of %s: %s, %s, seed %d, %s.", strings.Join(r.Properties, ", "),
		model.Count(r.Runs, "run", "runs"), model.Count(int(r.Steps), "step", "steps"), r.Seed, strategyText(r.Strategy, r.Depth))
	if r.Partial != "" {
		say("Partial: %s; what is said here is as far as it came.", r.Partial)
	}
	if f := r.Find; f == nil {
		say("Nothing was found. That proves nothing: other runs may violate what these did not. lockstep check explores every run, of a smaller scenario for example.")
		for _, v := range r.Vacuous {
			say("%s had nothing to say in any of these runs: %s.", v.Property, v.Vacuous)
		}
		if g := r.PCT; g != nil {
			fmt.Fprintln(&b)
			say("%s", guaranteeText(g))
		}
	} else {
		say("Found in run %d, drawn by %s: %s is violated.", f.Run, f.Strategy, f.Property)
		fmt.Fprintln(&b)
		fmt.Fprintln(&b, sizes(f))
		fmt.Fprintln(&b)
		switch {
		case f.Smallest:
			say("Minimal: every run of the last scenario was explored, and none violates %s with fewer faults, nor with as many faults and fewer steps. With one node less, one request on each, one update or one fault, it holds.", f.Property)
		case f.Minimal:
			say("Minimal: every run of the last scenario was explored, and none violates %s with fewer faults, nor with as many faults and fewer steps. Whether a smaller scenario would do is not known.", f.Property)
		default:
			say("Not proven minimal: %s.", f.Unproven)
		}
		fmt.Fprintf(&b, "\n%s\n\n", wrap(boundsText(f.Trace.Protocol, &f.Bounds), width))
		if err := timeline.Write(&b, f.Trace, timeline.Options{Width: width, Color: color}); err != nil {
			return err
		}
		fmt.Fprintf(&b, "\nAgain, and all runs of what is left:\n\n%s\n%s\n", folded(commands.Again, width), folded(commands.Check, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func strategyText(s scheduler.Strategy, depth int) string {
	switch s {
	case scheduler.RandomWalk:
		return "random walks"
	case scheduler.PCT:
		return fmt.Sprintf("PCT of depth %d", depth)
	}
	return fmt.Sprintf("random walks and PCT of depth %d in turn", depth)
}

// guaranteeText says what PCT's bound is, and of what.
func guaranteeText(g *scheduler.PCTGuarantee) string {
	return fmt.Sprintf("PCT's bound, of %s: a violation of depth %d among the first %d steps of %d processes and timers would have been found by each of them with a probability of at least 1/(n*k^(d-1)) = %.2g, by one of them at least with %.2g. That is so if it needs no fault and no time to pass, and nothing but the order of steps; for others there is no bound.",
		model.Count(g.Runs, "run", "runs"), g.Depth, g.Steps, g.Threads, g.Bound, g.AnyRun)
}

// sizes is a table of how large a find was, and how large it is.
func sizes(f *scheduler.Find) string {
	t := newTable()
	t.AppendRow(table.Row{"", "nodes", "requests each", "updates", "faults", "steps"})
	row := func(name string, s scheduler.Size) {
		t.AppendRow(table.Row{name, s.Nodes, s.Requests, s.Updates, s.Faults, s.Steps})
	}
	row("found", f.Found)
	row(fmt.Sprintf("shrunk, %s", model.Count(f.Tries, "try", "tries")), f.Shrunk)
	name := "minimal"
	if !f.Minimal {
		name = "printed"
	}
	row(name, f.Least)
	lines := strings.Split(t.Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
