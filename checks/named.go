package checks

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Named returns the property of the name with the argument, as they stand in a trace; the
// argument is empty if it takes none. It does not know those that [Define] or [Linearizable]
// makes.
func Named(name, argument string) (model.Property, error) {
	var known []string
	for _, k := range Kinds() {
		if k.Name == name {
			if argument == "" {
				return k.Parse(name)
			}
			return k.Parse(name + "=" + argument)
		}
		known = append(known, k.Name)
	}
	return nil, fmt.Errorf("unknown property %q; the nearest are %s", name, strings.Join(protocol.Nearest(name, known), ", "))
}

// Parse returns the property of the kind that is given by its name and, after an equals
// sign, its argument if it takes one: answered-within=10s.
func (k Kind) Parse(given string) (model.Property, error) {
	name, argument, has := strings.Cut(given, "=")
	switch k.Argument {
	case Longest:
		if !has {
			return nil, fmt.Errorf("%s needs the longest time that is allowed, as in %s=10s", name, name)
		}
		d, err := model.ParseDuration(argument)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", given, err)
		}
		return k.New(0, d), nil
	case Window:
		most, within, _ := strings.Cut(argument, "/")
		n, wrongCount := strconv.Atoi(most)
		d, wrongLength := model.ParseDuration(within)
		if wrongCount != nil || wrongLength != nil {
			return nil, fmt.Errorf("%s: write how many are allowed within how long, as in %s=2/10s", given, name)
		}
		return k.New(n, d), nil
	case Count:
		if !has {
			return nil, fmt.Errorf("%s needs the number that is allowed, as in %s=1", name, name)
		}
		n, err := strconv.Atoi(argument)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a number; write it as %s=1", given, argument, name)
		}
		return k.New(n, 0), nil
	}
	if has {
		return nil, fmt.Errorf("%s takes no argument; leave %q away", name, "="+argument)
	}
	return k.New(0, time.Duration(0)), nil
}

// ScenarioOf returns the scenario of a trace. find returns a pointer to a protocol of the
// name, whose fields are zero; it is asked for that of the other nodes, too, which have the
// name of its Go type.
func ScenarioOf(t *model.Trace, find func(name string) (protocol.Protocol, error)) (Scenario, error) {
	variant := func(name string, values []model.ParameterValue) (protocol.Protocol, error) {
		p, err := find(name)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if err := protocol.SetParameter(p, v.Name, v.Value); err != nil {
				return nil, fmt.Errorf("the parameter %s of the trace: %w", v.Name, err)
			}
		}
		return p, nil
	}
	p, err := variant(t.Protocol, t.Parameters)
	if err != nil {
		return Scenario{}, err
	}
	b := &t.Bounds
	s := NewScenario(p)
	s.Name, s.KeepZeros = t.Protocol, true
	s.Nodes, s.Requests, s.Updates, s.Invalidate, s.ArriveWithin = b.Nodes, b.Requests, b.Updates, b.Invalidate, b.ArriveWithin
	s.Latency, s.Reply, s.ValueTTL, s.Jobs, s.RebuildBound = b.Latency, b.Reply, b.ValueTTL, b.Jobs, b.RebuildBound
	s.Endless = b.Endless
	if b.Timeout != nil {
		s.Timeout = *b.Timeout
	}
	if b.Replicas > 0 {
		s.Replicas = b.Replicas
	}
	for _, o := range b.Others {
		p, err := variant(o.Protocol, o.Parameters)
		if err != nil {
			return s, err
		}
		s.Others = append(s.Others, scheduler.Other{Protocol: p, Nodes: o.Nodes})
	}
	s.Faults = nil
	for _, f := range b.Faults {
		fault, err := faults.Named(f.Name, f.Value)
		if err != nil {
			return s, fmt.Errorf("the faults of the trace: %w", err)
		}
		if fault.Budget() != f.Budget {
			return s, fmt.Errorf("the faults of the trace: the budget of %s is %d, and %s says %d", f.Name, f.Budget, f.Value, fault.Budget())
		}
		s.Faults = append(s.Faults, fault)
	}
	return s.Check()
}
