package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// scenarioFile is a mapping in YAML, of which JSON is a subset, with the places of
// its keys and values.
type scenarioFile struct {
	// name is what errors call the file.
	name    string
	top     *yaml.Node
	entries []scenarioEntry
}

// scenarioEntry is a key with its value.
type scenarioEntry struct{ key, value *yaml.Node }

// parseScenarioFile reads a file that holds one mapping.
func parseScenarioFile(name string, text []byte) (*scenarioFile, error) {
	f := &scenarioFile{name: name}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var document, second yaml.Node
	err = loader.Load(&document)
	if errors.Is(err, io.EOF) || err == nil && document.Content[0].ShortTag() == "!!null" {
		return nil, f.wrong(nil, "the file is empty; it needs at least a protocol, as in protocol: lease")
	}
	if err != nil {
		return nil, f.syntax(err)
	}
	f.top = document.Content[0]
	if err := loader.Load(&second); err == nil {
		return nil, f.wrong(&second, "a second document begins here; a file holds one scenario")
	} else if !errors.Is(err, io.EOF) {
		return nil, f.syntax(err)
	}
	if f.top.Kind != yaml.MappingNode {
		return nil, f.wrong(f.top, "a scenario is a mapping of keys to values, as in protocol: lease, not %s", kindOf(f.top))
	}
	f.entries, err = f.mapping(f.top)
	return f, err
}

// place is where the node begins; the beginning of the file if it is not known.
func (f *scenarioFile) place(n *yaml.Node) string {
	line, column := 1, 1
	if n != nil {
		line, column = n.Line, n.Column
	}
	return fmt.Sprintf("%s:%d:%d", f.name, line, column)
}

// wrong is an error about the node.
func (f *scenarioFile) wrong(n *yaml.Node, format string, args ...any) error {
	return &placedError{f.place(n), usage(format, args...)}
}

// syntax is the error for what is not YAML.
func (f *scenarioFile) syntax(err error) error {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return f.wrong(nil, "the file cannot be read as YAML: %w", err)
	}
	at := &yaml.Node{Line: max(load.Mark.Line, 1), Column: max(load.Mark.Column, 1)}
	if load.ContextMsg == "" {
		return f.wrong(at, "the file cannot be read as YAML: %s", load.Message)
	}
	return f.wrong(at, "the file cannot be read as YAML: %s %s, which begins in line %d", load.Message, load.ContextMsg, load.ContextMark.Line)
}

// mapping returns the entries of a mapping, each of whose keys must be a plain name
// of its own.
func (f *scenarioFile) mapping(n *yaml.Node) ([]scenarioEntry, error) {
	first := map[string]*yaml.Node{}
	var entries []scenarioEntry
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return nil, f.wrong(key, "a key is a name, not %s", kindOf(key))
		}
		if before, ok := first[key.Value]; ok {
			return nil, f.wrong(key, "the key %s is given twice, first in line %d", key.Value, before.Line)
		}
		first[key.Value] = key
		entries = append(entries, scenarioEntry{key, resolve(value)})
	}
	return entries, nil
}

// text returns the value of a key that takes one.
func (f *scenarioFile) text(key, value *yaml.Node) (string, error) {
	if value.Kind != yaml.ScalarNode {
		return "", f.wrong(value, "%s takes one value, not %s", key.Value, kindOf(value))
	}
	if value.ShortTag() == "!!null" {
		return "", f.wrong(key, "%s has no value; write one, or leave the key out", key.Value)
	}
	return value.Value, nil
}

// resolve returns what an alias stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// kindOf names the kind of a node in an error.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return fmt.Sprintf("the value %q", n.Value)
}
