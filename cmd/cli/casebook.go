package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"lockstep/checks/analysis"
	"lockstep/model"
	"lockstep/model/timeline"
	"lockstep/protocol/casebook"
	"lockstep/scheduler"
)

func newCasebook(code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "casebook",
		Short: "public failures of locks and caches, before and after the repair",
		Long: `The casebook has ways in which locks and caches break that people have met and reported:
each as protocol code before and after the repair, with what it teaches and the smallest
scenario that shows it.`,
		Example: `  lockstep casebook list --kind heartbeat
  lockstep casebook show L-03
  lockstep casebook check L-03`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				if _, err := findCase(args[0]); err == nil {
					return usage("casebook wants to know what of %s: lockstep casebook show %s, or check %s", args[0], args[0], args[0])
				}
				return unknown("command of casebook", args[0], []string{"list", "show", "check"})
			}
			return usage("casebook wants a command: list, show or check")
		},
	}
	root.AddCommand(newCasebookList(), newCasebookShow(), newCasebookCheck(code))
	return root
}

func newCasebookList() *cobra.Command {
	kind, asJSON := "", false
	c := &cobra.Command{
		Use:   "list",
		Short: "list the cases",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("casebook list takes no argument; --kind limits it to a kind")
			}
			list := casebook.All()
			if kind != "" {
				var known []string
				for _, k := range casebook.Kinds() {
					known = append(known, string(k))
				}
				if !slices.Contains(known, kind) {
					return unknown("kind", kind, known)
				}
				list = slices.DeleteFunc(list, func(c casebook.Case) bool { return string(c.Kind) != kind })
			}
			if asJSON {
				return asOutput(casesJSON(c.OutOrStdout(), list))
			}
			width, _, _ := terminal(c.OutOrStdout())
			return asOutput(listCases(c.OutOrStdout(), width, list))
		},
	}
	c.Flags().StringVar(&kind, "kind", "", `only those of a kind, "stale set" for example`)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func listCases(w io.Writer, width int, list []casebook.Case) error {
	t := newTable()
	for _, c := range list {
		t.AppendRow(table.Row{c.ID, c.Kind, c.Title})
	}
	_, err := fmt.Fprintln(w, fit(t.Render(), width))
	return err
}

func casesJSON(w io.Writer, list []casebook.Case) error {
	type check struct {
		Shows    string `json:"shows"`
		Property string `json:"property"`
		Faults   int    `json:"faults"`
		Steps    int    `json:"steps"`
	}
	type listed struct {
		ID      string   `json:"id"`
		Kind    string   `json:"kind"`
		Title   string   `json:"title"`
		Lesson  string   `json:"lesson"`
		Differs string   `json:"differs,omitempty"`
		Sources []string `json:"sources"`
		Checks  []check  `json:"checks"`
	}
	out := struct {
		Cases []listed `json:"cases"`
	}{[]listed{}}
	for _, c := range list {
		one := listed{ID: c.ID, Kind: string(c.Kind), Title: c.Title, Lesson: oneLine(c.Lesson), Differs: oneLine(c.Differs), Sources: c.Sources}
		for i := range c.Checks {
			k := &c.Checks[i]
			one.Checks = append(one.Checks, check{k.Shows, k.Property.Name(), k.Faults, k.Steps})
		}
		out.Cases = append(out.Cases, one)
	}
	return encode(w, out)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func newCasebookShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show CASE",
		Short:   "show a case: what it teaches, and its code",
		Example: "  lockstep casebook show L-03",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("casebook show wants one case, as in: lockstep casebook show L-03")
			}
			one, err := findCase(args[0])
			if err != nil {
				return err
			}
			if err := showCase(c.OutOrStdout(), &one); err != nil {
				return &outputError{err}
			}
			return nil
		},
	}
}

func findCase(id string) (casebook.Case, error) {
	if c, ok := casebook.Find(id); ok {
		return c, nil
	}
	var known []string
	for _, c := range casebook.All() {
		known = append(known, c.ID)
	}
	return casebook.Case{}, unknown("case", id, known)
}

func showCase(w io.Writer, c *casebook.Case) error {
	width, _, _ := terminal(w)
	var b strings.Builder
	title := fmt.Sprintf("%s  %s (%s)", c.ID, c.Title, c.Kind)
	fmt.Fprintf(&b, "%s\n\n%s\n", wrap(title, width), wrap(oneLine(c.Lesson), width))
	if c.Differs != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap("The checker and the report: "+oneLine(c.Differs), width))
	}
	b.WriteString("\n")
	for _, source := range c.Sources {
		fmt.Fprintln(&b, source)
	}
	file, text, err := c.Code()
	if err != nil {
		return err
	}
	_, code, _ := strings.Cut(text, "\n}\n")
	fmt.Fprintf(&b, "\nprotocol/casebook/%s\n\n%s", file, strings.TrimLeft(code, "\n"))
	_, err = io.WriteString(w, b.String())
	return err
}

func newCasebookCheck(code *int) *cobra.Command {
	return &cobra.Command{
		Use:   "check [CASE ...]",
		Short: "check cases, all without one; show the counterexamples of one",
		Long: `Check repeats the searches: before the repair the property must be violated at the cost
that the case says, and after it hold. The exit code is 0 if every verdict is as the case
says, and 1 if one is not. Of a single case the counterexamples are shown.`,
		Example: `  lockstep casebook check
  lockstep casebook check L-03`,
		RunE: func(c *cobra.Command, args []string) error {
			list := casebook.All()
			if len(args) > 0 {
				list = nil
				for _, id := range args {
					one, err := findCase(id)
					if err != nil {
						return err
					}
					list = append(list, one)
				}
			}
			wrong, err := checkCases(c, list)
			if wrong > 0 {
				*code = exitViolated
			}
			return err
		},
	}
}

// checkCases prints what became of the checks and returns how many are not as their case
// says.
func checkCases(c *cobra.Command, list []casebook.Case) (wrong int, err error) {
	w := c.OutOrStdout()
	width, color, _ := terminal(w)
	checked := 0
	for i := range list {
		for k := range list[i].Checks {
			check := &list[i].Checks[k]
			out, err := verifyCase(c, &list[i], check)
			if err != nil {
				return wrong, err
			}
			checked++
			verdict := "as it says"
			if len(out.Wrong) > 0 {
				wrong++
				verdict = strings.Join(out.Wrong, "; ")
			}
			text := wrap(fmt.Sprintf("%s  %s: %s", list[i].ID, check.Shows, verdict), width) + "\n"
			if len(list) == 1 && out.Before != nil {
				text += "\n" + wrap(boundsText("before the repair", &out.Before.Bounds), width) + "\n"
				var b strings.Builder
				if trace := out.Before.Verdicts[0].Trace; trace != nil {
					err = timeline.Write(&b, trace, timeline.Options{Width: width, Color: color})
				}
				text += "\n" + b.String() + "\n"
			}
			if _, err2 := io.WriteString(w, text); err != nil || err2 != nil {
				return wrong, &outputError{errorOf(err, err2)}
			}
		}
	}
	_, err = fmt.Fprintf(w, "%s of %s: %s\n", model.Count(checked, "check", "checks"), model.Count(len(list), "case", "cases"), summary(wrong))
	if err != nil {
		return wrong, &outputError{err}
	}
	return wrong, nil
}

// verifyCase repeats a check of a case.
func verifyCase(c *cobra.Command, one *casebook.Case, check *casebook.Check) (*casebook.Outcome, error) {
	out, err := check.Verify(c.Context(), scheduler.Options{})
	what := one.ID + ", " + check.Shows
	switch {
	case err == nil:
		return out, nil
	case c.Context().Err() != nil:
		return nil, &analysis.CutOffError{What: what, Why: "it was interrupted"}
	}
	return nil, fmt.Errorf("%s: %w", what, err)
}

func errorOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func summary(wrong int) string {
	if wrong == 0 {
		return "every verdict is as the case says"
	}
	return fmt.Sprintf("%d not as the case says", wrong)
}
