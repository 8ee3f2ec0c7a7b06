package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// newScenarioTopic is a topic of the help.
func newScenarioTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "scenario",
		Short: "files that say what flags say",
		Long: `A scenario file says in YAML, or in JSON, what the flags of a command say:

  protocol: lease
  parameters:
    ttl: 10s
    heartbeat: 3s
  nodes: 3
  pause: {times: 1, max: 12s}   # or 1x12s
  properties: [mutual-exclusion, answered]

  lockstep check -f scenario.yaml
  lockstep check -f scenario.yaml --ttl 30s
  lockstep check -f - < scenario.yaml

The keys are the names of the flags; the parameters of the protocol stand under
parameters. A value is written as on the command line. A flag that may be repeated
takes a list, and its key may stand in the plural.

The protocol may be given on the command line, in the file, or as the same in both.
The command line wins over the file, and that over the environment. Each error names
the file, the line and the column.`,
	}
}

// composite is a flag whose value has parts, which a scenario file may give by name.
type composite interface {
	pflag.Value
	// parts returns all parts in the order in which they are written.
	parts() []part
}

type part struct {
	name  string
	value pflag.Value
}

// fileValues is a scenario file that is applied to the flags of a command.
type fileValues struct {
	*scenarioFile
	command *cobra.Command
	places  *places
	// seen has the key of each flag that the file has set.
	seen map[*pflag.Flag]*yaml.Node
}

// apply sets the flags of the command to what the file says, but for those that are
// given on the command line. What it says of these must make sense all the same.
func (f *scenarioFile) apply(c *cobra.Command, p *places) error {
	name, place, ok, err := f.protocol()
	if err != nil {
		return err
	}
	if ok && name != c.Name() {
		return &placedError{place, usage("the file is about the protocol %s, and the command line about %s; leave one out", name, c.Name())}
	}
	v := &fileValues{f, c, p, map[*pflag.Flag]*yaml.Node{}}
	for _, e := range f.entries {
		switch e.key.Value {
		case "protocol":
		case "parameters":
			err = v.applyParameters(e)
		default:
			err = v.applyEntry(e, "key", isGeneral)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isGeneral reports whether the flag is a key of the file itself.
func isGeneral(flag *pflag.Flag) bool {
	return settable(flag) && !isParameter(flag) && flag.Name != "file"
}

func (v *fileValues) applyParameters(e scenarioEntry) error {
	if e.value.Kind != yaml.MappingNode {
		return v.wrong(e.value, "parameters is a mapping of names to values, as in {ttl: 10s}, not %s", kindOf(e.value))
	}
	entries, err := v.mapping(e.value)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := v.applyEntry(e, "parameter", isParameter); err != nil {
			return err
		}
	}
	return nil
}

// applyEntry sets the flag that the key names, if it is one of those that may stand
// here; what is what errors call a key here.
func (v *fileValues) applyEntry(e scenarioEntry, what string, mayStand func(*pflag.Flag) bool) error {
	flags := v.command.Flags()
	flag := flagOfKey(flags, e.key.Value)
	if flag == nil || !mayStand(flag) {
		return v.unknownKey(e.key, flag, what, mayStand)
	}
	if before, ok := v.seen[flag]; ok {
		return v.wrong(e.key, "%s says the same as %s in line %d; write one of them", e.key.Value, before.Value, before.Line)
	}
	v.seen[flag] = e.key
	value, p := flag.Value, v.places
	if flag.Changed {
		value, p = unused(v.command).Lookup(flag.Name).Value, newPlaces()
	}
	flag.Changed = true
	p.flags[flag.Name] = v.place(e.key)
	set := func(name string, value pflag.Value, n *yaml.Node) error {
		text, err := v.text(e.key, n)
		if err != nil {
			return err
		}
		p.values[flagValue{flag.Name, text}] = v.place(n)
		if err := setFlag(name, value, text); err != nil {
			return &placedError{v.place(n), err}
		}
		return nil
	}
	if parts, ok := value.(composite); ok && e.value.Kind == yaml.MappingNode {
		return v.setParts(e, parts.parts(), set)
	}
	if !isRepeatable(flag) || e.value.Kind != yaml.SequenceNode {
		return set(e.key.Value, value, e.value)
	}
	if len(e.value.Content) == 0 {
		return v.wrong(e.value, "%s is an empty list; leave the key out for the default", e.key.Value)
	}
	for _, item := range e.value.Content {
		if err := set(e.key.Value, value, resolve(item)); err != nil {
			return err
		}
	}
	return nil
}

// setParts sets the parts of a value, all of which must be given.
func (v *fileValues) setParts(e scenarioEntry, parts []part, set func(string, pflag.Value, *yaml.Node) error) error {
	entries, err := v.mapping(e.value)
	if err != nil {
		return err
	}
	var all []string
	for _, p := range parts {
		all = append(all, p.name)
	}
	missing := slices.Clone(all)
	for _, given := range entries {
		i := slices.Index(all, given.key.Value)
		if i < 0 {
			return v.wrong(given.key, "%s has no part %q; its parts are %s", e.key.Value, given.key.Value, strings.Join(all, ", "))
		}
		if err := set(e.key.Value+"."+all[i], parts[i].value, given.value); err != nil {
			return err
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == all[i] })
	}
	if len(missing) > 0 {
		return v.wrong(e.value, "%s lacks %s; its parts are %s", e.key.Value, strings.Join(missing, ", "), strings.Join(all, ", "))
	}
	return nil
}

// unknownKey is the error for a key that may not stand where it does.
func (v *fileValues) unknownKey(key *yaml.Node, flag *pflag.Flag, what string, mayStand func(*pflag.Flag) bool) error {
	switch {
	case flag != nil && isParameter(flag):
		return v.wrong(key, "%s is a parameter of %s; write it under parameters", key.Value, v.command.Name())
	case flag != nil && isGeneral(flag):
		return v.wrong(key, "%s is no parameter of %s; write it outside of parameters", key.Value, v.command.Name())
	}
	var valid []string
	v.command.Flags().VisitAll(func(flag *pflag.Flag) {
		if mayStand(flag) {
			valid = append(valid, keyOfFlag(flag))
		}
	})
	if what == "key" {
		valid = append(valid, "protocol", "parameters")
	}
	if len(valid) == 0 {
		return v.wrong(key, "the protocol %s has no parameters", v.command.Name())
	}
	return &placedError{v.place(key), unknown(what, key.Value, valid)}
}

// keyOfFlag returns the key for a flag: its name, in the plural if it may be
// repeated.
func keyOfFlag(flag *pflag.Flag) string {
	if !isRepeatable(flag) {
		return flag.Name
	}
	if stem, ok := strings.CutSuffix(flag.Name, "y"); ok {
		return stem + "ies"
	}
	if stem, ok := strings.CutSuffix(flag.Name, "is"); ok {
		return stem + "es"
	}
	return flag.Name + "s"
}

// flagOfKey returns the flag that a key stands for: the name of a flag, or the
// plural; nil if there is none.
func flagOfKey(flags *pflag.FlagSet, key string) *pflag.Flag {
	found := flags.Lookup(key)
	flags.VisitAll(func(flag *pflag.Flag) {
		if found == nil && keyOfFlag(flag) == key {
			found = flag
		}
	})
	return found
}

// unused returns flags like those of the command that have their defaults and are
// used by none.
func unused(c *cobra.Command) *pflag.FlagSet {
	var code int
	words := strings.Fields(c.CommandPath())[1:]
	twin, _, err := newRoot(&code).Find(words)
	if err != nil {
		panic(err)
	}
	return twin.Flags()
}
