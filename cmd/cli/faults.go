package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/faults"
)

func newFaults() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "faults [FAULT]",
		Short: "list the faults that can be injected, with their flags",
		Long: `Faults lists what can be made to go wrong: what it does, what it stands for in the
world, the flag that allows it, and a check whose verdict it decides. All are off by
default. A flag says how many faults of the kind a run may contain; the search tries
them at every point at which they could matter.`,
		Example: `  lockstep faults
  lockstep faults lost-reply`,
		RunE: func(c *cobra.Command, args []string) error {
			kinds := faults.Kinds()
			switch {
			case len(args) > 1:
				return usage("faults takes at most one fault, not %d", len(args))
			case len(args) == 1:
				var err error
				if kinds, err = findFault(args[0]); err != nil {
					return err
				}
			}
			if asJSON {
				return faultsJSON(c.OutOrStdout(), kinds)
			}
			width, _, _ := terminal(c.OutOrStdout())
			return listFaults(c.OutOrStdout(), width, kinds)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func findFault(name string) ([]faults.Kind, error) {
	var names []string
	for _, k := range faults.Kinds() {
		if k.Name == name {
			return []faults.Kind{k}, nil
		}
		names = append(names, k.Name)
	}
	return nil, unknown("fault", name, names)
}

func listFaults(w io.Writer, width int, kinds []faults.Kind) error {
	var b strings.Builder
	for i, k := range kinds {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "--%s %s\n  %s\n  In the world: %s.\n  lockstep check %s\n", k.Name, (&faultFlag{kind: k}).Type(), k.Meaning, k.Event, k.Example)
	}
	_, err := io.WriteString(w, fit(b.String(), width))
	return asOutput(err)
}

func faultsJSON(w io.Writer, kinds []faults.Kind) error {
	type listed struct {
		Name    string `json:"name"`
		Value   string `json:"value"`
		Meaning string `json:"meaning"`
		Event   string `json:"event"`
		Example string `json:"example"`
	}
	out := struct {
		Faults []listed `json:"faults"`
	}{[]listed{}}
	for _, k := range kinds {
		out.Faults = append(out.Faults, listed{k.Name, (&faultFlag{kind: k}).Type(), k.Meaning, k.Event, "lockstep check " + k.Example})
	}
	return asOutput(encode(w, out))
}
