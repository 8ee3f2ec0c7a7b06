package incident

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// MappingError says what is wrong with a mapping, where, and what to write instead.
type MappingError struct {
	// Line and Column are from 1.
	Line, Column int
	Err          error
}

// Error begins with the line and the column, so that it can follow the name of a file and a
// colon.
func (e *MappingError) Error() string { return fmt.Sprintf("%d:%d: %v", e.Line, e.Column, e.Err) }

// Unwrap returns the cause.
func (e *MappingError) Unwrap() error { return e.Err }

func wrongMapping(n *yaml.Node, format string, args ...any) error {
	return &MappingError{max(n.Line, 1), max(n.Column, 1), fmt.Errorf(format, args...)}
}

// mappingHead is the key with the version.
const mappingHead = "lockstep-mapping"

// maxMapping is the size of a mapping in bytes.
const maxMapping = 1 << 20

// ReadMapping reads a mapping in YAML, as docs/incident.md describes it. What it does not say is
// as in [DefaultMapping]; its events stand before those. The error is a *MappingError, or that
// of the reader.
func ReadMapping(r io.Reader) (*Mapping, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxMapping+1))
	if err != nil {
		return nil, err
	}
	top := &yaml.Node{}
	if len(text) > maxMapping {
		return nil, wrongMapping(top, "a mapping has at most %d bytes", maxMapping)
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var document, second yaml.Node
	err = loader.Load(&document)
	if errors.Is(err, io.EOF) || err == nil && document.Content[0].ShortTag() == "!!null" {
		return nil, wrongMapping(top, "the mapping is empty; it says at least lockstep-mapping: 1")
	}
	if err != nil {
		return nil, notYAML(err)
	}
	if err := loader.Load(&second); err == nil {
		return nil, wrongMapping(&second, "a second document begins here; a file holds one mapping")
	} else if !errors.Is(err, io.EOF) {
		return nil, notYAML(err)
	}
	top = document.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, wrongMapping(top, "a mapping has keys with values, as in time: ts, not %s", kindOf(top))
	}
	return readMapping(top)
}

func notYAML(err error) error {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return wrongMapping(&yaml.Node{}, "this cannot be read as YAML: %w", err)
	}
	return wrongMapping(&yaml.Node{Line: load.Mark.Line, Column: load.Mark.Column}, "this cannot be read as YAML: %s", load.Message)
}

func readMapping(top *yaml.Node) (*Mapping, error) {
	m := DefaultMapping()
	fields := map[string]*Field{
		"time": &m.Time, "ttl": &m.TTL, "node": &m.Node, "client": &m.Client, "request": &m.Request, "event": &m.Event,
		"key": &m.Key, "token": &m.Token, "version": &m.Version, "value": &m.Val,
	}
	known := []string{mappingHead, "time", "node", "client", "request", "event", "key", "token", "ttl", "version", "value", "events"}
	versioned := false
	err := entries(top, func(key, value *yaml.Node) error {
		switch f := fields[key.Value]; {
		case key.Value == mappingHead:
			versioned = true
			if value.Kind != yaml.ScalarNode || value.Value != "1" {
				return wrongMapping(value, "the version of the mapping is %s; this reads %s: 1", kindOf(value), mappingHead)
			}
			return nil
		case key.Value == "events":
			rules, err := readRules(value)
			m.Events = append(rules, m.Events...)
			return err
		case f != nil:
			return readField(key, value, f)
		}
		return wrongMapping(key, "%s is no key of a mapping; %s", key.Value, nearest(key.Value, known))
	})
	if err == nil && !versioned {
		err = wrongMapping(top, "the mapping does not say its version; write %s: 1 at its top", mappingHead)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// entries calls take for each entry of a mapping, with aliases resolved.
func entries(n *yaml.Node, take func(key, value *yaml.Node) error) error {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolved(n.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			return wrongMapping(key, "a key is a name, not %s", kindOf(key))
		}
		if line, twice := first[key.Value]; twice {
			return wrongMapping(key, "the key %s is given twice, first in line %d", key.Value, line)
		}
		first[key.Value] = key.Line
		if err := take(key, value); err != nil {
			return err
		}
	}
	return nil
}

func resolved(n *yaml.Node) *yaml.Node {
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
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// readField reads the name of a field, a list of names, or {field: name, unit: ms, value: text}.
func readField(key, value *yaml.Node, f *Field) error {
	if value.Kind != yaml.MappingNode {
		names, err := readNames(key, value)
		f.Names = names
		return err
	}
	timed := key.Value == "time" || key.Value == "ttl"
	known := []string{"field", "value"}
	if timed {
		known = []string{"field", "unit"}
	}
	named := false
	err := entries(value, func(part, v *yaml.Node) (err error) {
		if !slices.Contains(known, part.Value) {
			return wrongMapping(part, "%s has no part %s; %s", key.Value, part.Value, nearest(part.Value, known))
		}
		if part.Value == "field" {
			named = true
			f.Names, err = readNames(part, v)
			return err
		}
		if v.Kind != yaml.ScalarNode || v.ShortTag() == "!!null" || v.Value == "" {
			return wrongMapping(v, "%s takes one value, not %s", part.Value, kindOf(v))
		}
		if part.Value == "value" {
			f.Value = v.Value
			return nil
		}
		allowed := []string{"s", "ms", "us", "ns"}
		if key.Value == "time" {
			allowed = append([]string{"rfc3339"}, allowed...)
		}
		if !slices.Contains(allowed, v.Value) {
			return wrongMapping(v, "%q is no unit of %s; it is one of %s", v.Value, key.Value, strings.Join(allowed, ", "))
		}
		f.Unit = v.Value
		return nil
	})
	if err == nil && !named && !timed {
		f.Names = nil
		if f.Value == "" {
			err = wrongMapping(value, "%s has neither field nor value; write for example %s: {value: name}", key.Value, key.Value)
		}
	}
	return err
}

func readNames(key, value *yaml.Node) ([]string, error) {
	list := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		list = value.Content
	}
	var names []string
	for _, n := range list {
		n = resolved(n)
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.Value == "" {
			return nil, wrongMapping(n, "%s is the name of a field, or a list of names, not %s", key.Value, kindOf(n))
		}
		names = append(names, n.Value)
	}
	if len(names) == 0 {
		return nil, wrongMapping(value, "%s is an empty list; leave it out for the default", key.Value)
	}
	return names, nil
}

// readRules reads which values mean which event: of each a text, a mapping of fields to texts,
// or a list of these.
func readRules(value *yaml.Node) ([]EventRule, error) {
	if value.Kind != yaml.MappingNode {
		return nil, wrongMapping(value, "events says by what each event is known, as in acquired: lock-taken, not %s", kindOf(value))
	}
	var known []string
	for _, kind := range ApplicationEvents() {
		known = append(known, string(kind))
	}
	var rules []EventRule
	err := entries(value, func(key, v *yaml.Node) error {
		if !slices.Contains(known, key.Value) {
			return wrongMapping(key, "%s is no event; %s", key.Value, nearest(key.Value, known))
		}
		list := []*yaml.Node{v}
		if v.Kind == yaml.SequenceNode {
			list = v.Content
		}
		for _, n := range list {
			rule, err := readRule(key, resolved(n))
			if err != nil {
				return err
			}
			rules = append(rules, rule)
		}
		return nil
	})
	return rules, err
}

func readRule(key, n *yaml.Node) (EventRule, error) {
	rule := EventRule{Kind: EventKind(key.Value)}
	add := func(field string, v *yaml.Node) error {
		if v.Kind != yaml.ScalarNode || v.ShortTag() == "!!null" {
			return wrongMapping(v, "%s is known by a text, not by %s", key.Value, kindOf(v))
		}
		c, err := NewCondition(field, v.Value)
		if err != nil {
			return wrongMapping(v, "%w", err)
		}
		rule.Where = append(rule.Where, c)
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return rule, add("event", n)
	}
	if len(n.Content) == 0 {
		return rule, wrongMapping(n, "%s has no condition; write for example {event: renew, ok: 1}", key.Value)
	}
	return rule, entries(n, func(field, v *yaml.Node) error { return add(field.Value, v) })
}
