package checks_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/protocol/casebook"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// counterexamples returns traces of all kinds: those of the casebook, one with each fault,
// one with other nodes and some with a history.
func counterexamples(t *testing.T) map[string]*model.Trace {
	t.Helper()
	all := map[string]*model.Trace{}
	find := func(name string, s scheduler.Scenario, p model.Property) bool {
		r, err := scheduler.Check(context.Background(), s, []model.Property{p}, scheduler.Options{MaxStates: 50_000})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if trace := r.Verdicts[0].Trace; trace != nil {
			all[name] = trace
		}
		return r.Verdicts[0].Trace != nil
	}
	for _, c := range casebook.All() {
		for i := range c.Checks {
			if k := &c.Checks[i]; k.Before != nil && !find(fmt.Sprint(c.ID, ", ", k.Shows), k.Scenario(k.Before, false), k.Property) {
				t.Errorf("%s has no counterexample", c.ID)
			}
		}
	}
	protocols := []protocol.Protocol{catalogue.Lease{}, catalogue.NoTTL{Notify: true}, catalogue.SetNX{Expiry: "recorded"}}
	for _, k := range faults.Kinds() {
		for _, p := range []struck{{k.Name, model.MoveFault}, {k.Name, model.MoveRecovery}} {
			found := false
			for i := 0; i < len(protocols) && !found; i++ {
				s := checks.NewScenario(protocols[i])
				s.Updates, s.Reply = 0, model.Between(0, time.Millisecond)
				s.Faults = []model.Fault{k.New(1, model.Between(100*time.Millisecond, 200*time.Millisecond))}
				found = find(fmt.Sprintf("%s: %v", k.Name, p.kind), s, p)
			}
			if !found && p.kind == model.MoveFault {
				t.Errorf("no run has the fault %s", k.Name)
			}
		}
	}
	mixed := checks.NewScenario(catalogue.FixedTTL{})
	within := 10 * time.Second
	mixed.ArriveWithin, mixed.ValueTTL, mixed.Others = &within, time.Minute, []scheduler.Other{{Protocol: catalogue.Lease{}, Nodes: 1}}
	if !find("other nodes", mixed, checks.MutualExclusion()) || len(all["other nodes"].Bounds.Others) == 0 {
		t.Error("no trace has other nodes")
	}
	for name, p := range map[string]model.Property{
		"reads": checks.LinearizableReads(), "lock": checks.LinearizableLock(), "waits": checks.AnsweredWithin(time.Second),
	} {
		if !find(name, checks.NewScenario(catalogue.FixedTTL{}), p) && !find(name, checks.NewScenario(catalogue.Lease{}), p) {
			t.Errorf("no trace violates %s", p.Name())
		}
	}
	return all
}

// struck is the property that the only fault of a scenario does not begin, or end.
type struck struct {
	name string
	kind model.MoveKind
}

func (p struck) Name() string                { return p.name + "-" + p.kind.String() }
func (p struck) Rule() string                { return "nothing goes wrong" }
func (p struck) Vacuous() string             { return "" }
func (p struck) Explain(*model.Trace) string { return "it went \"wrong\" \u2028 <&>" }
func (p struck) Memory() int                 { return 0 }
func (p struck) Check(_ *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Move.Kind == p.kind || p.kind == model.MoveFault && e.Move.Kind.IsFault() {
		return model.Exercised | model.Violated
	}
	return model.Exercised
}

// Every counterexample is read back as it was written, byte by byte, and conforms to the
// schema.
func TestEveryCounterexampleIsReadBack(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../docs/trace.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, trace := range counterexamples(t) {
		var first, second bytes.Buffer
		if err := trace.Write(&first); err != nil {
			t.Fatal(err)
		}
		if v, err := jsonschema.UnmarshalJSON(bytes.NewReader(first.Bytes())); err != nil || schema.Validate(v) != nil {
			t.Errorf("%s does not conform to the schema: %v, %v", name, err, schema.Validate(v))
		}
		again, err := model.ReadTrace(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := again.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: %v; it is written as\n%s\nand then as\n%s", name, err, first.Bytes(), second.Bytes())
		}
	}
}
