package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// help writes the help of a command, as wide as the terminal.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	width, _, _ := terminal(w)
	if _, err := io.WriteString(w, helpText(c, width)); err != nil {
		c.PrintErrln("lockstep:", err)
	}
}

func helpText(c *cobra.Command, width int) string {
	text := c.Long
	if text == "" {
		text = c.Short
	}
	if c.Runnable() || c.HasSubCommands() {
		text = strings.TrimRight(text, " \n") + "\n\n" + c.UsageString()
	}
	return fit(text, width)
}
