package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/protocol"
)

// bare is a protocol without parameters.
type bare struct{}

func (bare) Handle(*protocol.Client) protocol.Answer { return protocol.Empty() }

// takenFlags are the names that parameters cannot have, each with a command that has such a flag.
func takenFlags() map[string]string {
	defer func(own []Protocol) { protocols = own }(protocols)
	protocols = []Protocol{{Name: "bare", New: func() protocol.Protocol { return &bare{} }}}
	taken := map[string]string{"help": "lockstep"}
	var code int
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Name() == "bare" {
			c.Flags().VisitAll(func(flag *pflag.Flag) {
				if _, known := taken[flag.Name]; !known {
					taken[flag.Name] = c.Parent().CommandPath()
				}
			})
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&code))
	return taken
}

// validParameters reports a protocol whose fields cannot be flags.
func validParameters(e Protocol, taken map[string]string) error {
	p, err := protocol.WithDefaults(e.New())
	if err != nil {
		return fmt.Errorf("the protocol %q: %w", e.Name, err)
	}
	parameters, err := protocol.Parameters(p)
	if err != nil {
		return fmt.Errorf("the protocol %q: %w", e.Name, err)
	}
	for _, parameter := range parameters {
		if command, ok := taken[parameter.Name]; ok {
			return fmt.Errorf("the protocol %q cannot have a parameter %s, since %s has a flag that is called so; give the field another name", e.Name, parameter.Name, command)
		}
	}
	return nil
}
