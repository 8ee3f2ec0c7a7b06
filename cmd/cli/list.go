package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"lockstep/checks"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
)

func newList() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "list [PROTOCOL]",
		Short: "list protocols, their parameters, and properties",
		Example: `  lockstep list
  lockstep list lease`,
		RunE: func(c *cobra.Command, args []string) error {
			entries := protocols
			switch {
			case len(args) > 1:
				return usage("list takes at most one protocol, not %d", len(args))
			case len(args) == 1:
				e, err := findProtocol(args[0])
				if err != nil {
					return err
				}
				entries = []catalogue.Entry{e}
			}
			if asJSON {
				return listJSON(c.OutOrStdout(), entries)
			}
			width, _, _ := terminal(c.OutOrStdout())
			return list(c.OutOrStdout(), width, entries, len(args) == 0)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func list(w io.Writer, width int, entries []catalogue.Entry, properties bool) error {
	var b strings.Builder
	fmt.Fprintln(&b, "Protocols")
	for _, e := range entries {
		fmt.Fprintf(&b, "\n%s\n  %s\n", e.Name, e.Summary)
		parameters, err := protocol.Parameters(e.New())
		if err != nil {
			return err
		}
		t := newTable()
		for _, p := range parameters {
			t.AppendRow(table.Row{"  --" + p.Name, p.Kind, p.Default, p.Help})
		}
		if len(parameters) > 0 {
			fmt.Fprintln(&b, t.Render())
		}
	}
	if properties {
		fmt.Fprintf(&b, "\nProperties (lockstep properties tells all)\n\n")
		t := newTable()
		for _, p := range checks.All(1) {
			t.AppendRow(table.Row{"  " + p.Name(), p.Rule()})
		}
		fmt.Fprintln(&b, t.Render())
	}
	_, err := io.WriteString(w, fit(b.String(), width))
	return asOutput(err)
}

func listJSON(w io.Writer, entries []catalogue.Entry) error {
	type listed struct {
		Name       string               `json:"name"`
		Summary    string               `json:"summary"`
		Parameters []protocol.Parameter `json:"parameters"`
	}
	type rule struct {
		Name string `json:"name"`
		Rule string `json:"rule"`
	}
	var out struct {
		Protocols  []listed `json:"protocols"`
		Properties []rule   `json:"properties"`
	}
	for _, e := range entries {
		parameters, err := protocol.Parameters(e.New())
		if err != nil {
			return err
		}
		out.Protocols = append(out.Protocols, listed{e.Name, e.Summary, parameters})
	}
	for _, p := range checks.All(1) {
		out.Properties = append(out.Properties, rule{p.Name(), p.Rule()})
	}
	return encode(w, out)
}

// newTable returns a table without lines.
func newTable() table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	return t
}

func findProtocol(name string) (catalogue.Entry, error) {
	var names []string
	for _, e := range protocols {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return catalogue.Entry{}, unknown("protocol", name, names)
}
