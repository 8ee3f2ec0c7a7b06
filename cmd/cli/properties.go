package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/scheduler"
)

func newProperties() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "properties [PROPERTY]",
		Short: "list the properties that can be checked",
		Long: `Properties lists what can be asked of a protocol: the rule, whether it is about what
processes believe, what the stores have accepted, what requests get or what that costs,
and a check that violates it. Those marked with * are checked if none is named.

What stands after the name is given on the command line, as in
--property answered-within=10s: N a number that is allowed, D a duration.`,
		Example: `  lockstep properties
  lockstep properties no-stale-set
  lockstep check lease --invalidate --property no-stale-set --property write-under-lease`,
		RunE: func(c *cobra.Command, args []string) error {
			kinds := checks.Kinds()
			switch {
			case len(args) > 1:
				return usage("properties takes at most one property, not %d", len(args))
			case len(args) == 1:
				k, err := findProperty(args[0])
				if err != nil {
					return err
				}
				kinds = []checks.Kind{k}
			}
			if asJSON {
				return asOutput(propertiesJSON(c.OutOrStdout(), kinds))
			}
			width, _, _ := terminal(c.OutOrStdout())
			return asOutput(listProperties(c.OutOrStdout(), width, kinds))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// written is how a kind is written on the command line.
func written(k *checks.Kind) string {
	return k.Name + [...]string{checks.NoArgument: "", checks.Count: "=N", checks.Longest: "=D", checks.Window: "=N/D"}[k.Argument]
}

// rule is that of a kind, with its argument as it is written.
func rule(k *checks.Kind) string {
	const n, d = 7, 7777 * time.Second
	text := k.New(n, d).Rule()
	text = strings.ReplaceAll(text, strconv.Itoa(n)+" ", "N ")
	return strings.ReplaceAll(text, model.FormatDuration(d), "D")
}

func listProperties(w io.Writer, width int, kinds []checks.Kind) error {
	var b strings.Builder
	for i := range kinds {
		k := &kinds[i]
		if i > 0 {
			b.WriteString("\n")
		}
		mark := ""
		if k.Default {
			mark = " *"
		}
		fmt.Fprintf(&b, "%s (%s)%s\n  %s\n  Vacuous if %s.\n", written(k), k.Level, mark, rule(k), k.New(1, time.Second).Vacuous())
		if example := exampleOf(k); example != "" {
			fmt.Fprintf(&b, "  %s\n", example)
		}
	}
	_, err := io.WriteString(w, fit(b.String(), width))
	return err
}

// exampleOf is a check that violates the property, empty if there is none.
func exampleOf(k *checks.Kind) string {
	if k.Example == "" {
		return ""
	}
	name := k.Name
	switch {
	case k.Default:
	case k.Argument == checks.Count:
		name += "=1"
	case k.Argument == checks.Longest:
		name += "=1s"
	case k.Argument == checks.Window:
		name += "=1/1s"
	}
	return "lockstep check " + k.Example + " --property " + name
}

func propertiesJSON(w io.Writer, kinds []checks.Kind) error {
	type listed struct {
		Name    string `json:"name"`
		Value   string `json:"value,omitempty"`
		Level   string `json:"level"`
		Rule    string `json:"rule"`
		Vacuous string `json:"vacuous"`
		Default bool   `json:"default"`
		Example string `json:"example,omitempty"`
	}
	out := struct {
		Properties []listed `json:"properties"`
	}{[]listed{}}
	for i := range kinds {
		k := &kinds[i]
		value := strings.TrimPrefix(strings.TrimPrefix(written(k), k.Name), "=")
		out.Properties = append(out.Properties, listed{k.Name, value, k.Level.String(), rule(k), k.New(1, time.Second).Vacuous(), k.Default, exampleOf(k)})
	}
	return encode(w, out)
}

func findProperty(name string) (checks.Kind, error) {
	var known []string
	for _, k := range checks.Kinds() {
		if k.Name == name {
			return k, nil
		}
		known = append(known, written(&k))
		if short := shortName(k.Name); short == name {
			return checks.Kind{}, usage("%s is short for the property %s; write that", short, k.Name).about("property", name)
		}
	}
	return checks.Kind{}, unknown("property", name, known)
}

// selectProperties returns the properties named, the usual ones without names.
func selectProperties(names []string, s scheduler.Scenario) ([]model.Property, error) {
	if len(names) == 0 {
		return checks.All(s.RebuildBound), nil
	}
	var selected []model.Property
	for _, given := range names {
		p, err := property(given, s)
		if err != nil {
			return nil, err
		}
		same := func(q model.Property) bool { return q.Name() == p.Name() && q.Rule() == p.Rule() }
		if !slices.ContainsFunc(selected, same) {
			selected = append(selected, p)
		}
	}
	return selected, nil
}

// property returns the one that is given by its name, and its argument.
func property(given string, s scheduler.Scenario) (model.Property, error) {
	name, _, has := strings.Cut(given, "=")
	k, err := findProperty(name)
	if err != nil {
		return nil, err
	}
	if !has && k.Default && k.Argument == checks.Count {
		if s.RebuildBound == 0 {
			return nil, usage("rebuild-bound needs --rebuild-bound K: the protocol %s claims no number of rebuilds", s.Name).about("property", given)
		}
		return k.New(s.RebuildBound, 0), nil
	}
	p, err := k.Parse(given)
	if err != nil {
		return nil, usage("%w", err).about("property", given)
	}
	return p, nil
}
