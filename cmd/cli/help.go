package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// newHelp is the command that prints the help of a command, or a topic.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "help about a command or a topic",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			about, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return subcommands(about), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				name, names := args[len(args)-len(rest)], subcommands(about)
				if len(names) == 0 {
					return usage("%s is all that there is help about; %q is too much", about.CommandPath(), name)
				}
				return unknown("command or topic", name, names)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// subcommands are the names of the commands below one.
func subcommands(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

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
